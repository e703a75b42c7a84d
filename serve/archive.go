package serve

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"slices"
	"sync"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/runs"
	"github.com/winnow-search/winnow/wire"
)

// archive is the folder of recorded runs, with what is known of those that have
// ended: they do not change any more.
type archive struct {
	folder runs.Folder

	mu    sync.Mutex
	ended map[string]wire.Recorded
}

var runID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.-]{0,80}$`)

// find returns the id of a run; "last" is the newest. An id never becomes a path
// before it is known to be in the folder.
func (a *archive) find(id string) (string, error) {
	ids := a.folder.List()
	if id == "last" && len(ids) > 0 {
		return ids[len(ids)-1], nil
	}
	if !runID.MatchString(id) || !slices.Contains(ids, id) {
		return "", noRun("there is no such run")
	}
	return id, nil
}

// run is what is known of a run; false if that is nothing yet.
func (a *archive) run(id string) (wire.Recorded, bool) {
	a.mu.Lock()
	known, ok := a.ended[id]
	a.mu.Unlock()
	if ok {
		return known, true
	}
	s, err := a.folder.Summarise(id)
	if err != nil {
		return wire.Recorded{}, false
	}
	out := wire.Recorded{
		Run: id, Began: s.Began, State: wire.RunCut, Question: s.Start.Question, Policy: s.Start.Policy, Model: s.Start.Model,
		Collections: append([]string{}, s.Start.Collections...),
	}
	switch {
	case s.End != nil:
		out.State, out.Ended, out.Selected = wire.RunEnded, s.End.Ended, len(s.End.Ranking.Selected())
		out.Turns, out.Confidence = s.End.Turns, s.End.Confidence
		a.mu.Lock()
		if a.ended == nil {
			a.ended = map[string]wire.Recorded{}
		}
		a.ended[id] = out
		a.mu.Unlock()
	case s.Live:
		out.State = wire.RunLive
	}
	return out, true
}

// forget drops what is known of runs that are gone.
func (a *archive) forget(ids []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.ended) <= len(ids) {
		return
	}
	for id := range a.ended {
		if _, there := slices.BinarySearch(ids, id); !there {
			delete(a.ended, id)
		}
	}
}

// page returns up to limit runs, newest first, that began before an id.
func (a *archive) page(before string, limit int) wire.Runs {
	ids := a.folder.List() // sorted
	a.forget(ids)
	if before != "" {
		i, _ := slices.BinarySearch(ids, before)
		ids = ids[:i]
	}
	out := wire.Runs{Runs: []wire.Recorded{}}
	for i := len(ids) - 1; i >= 0; i-- {
		if len(out.Runs) == limit {
			out.Next = ids[i+1]
			break
		}
		if r, ok := a.run(ids[i]); ok {
			out.Runs = append(out.Runs, r)
		}
	}
	return out
}

// read returns a whole run; one that was cut off as far as it goes.
func (a *archive) read(name string) (about wire.Recorded, t *winnow.Trajectory, err error) {
	id, err := a.find(name)
	if err != nil {
		return about, nil, err
	}
	about, ok := a.run(id)
	if !ok {
		return about, nil, noRun("the run has not begun yet")
	}
	file, err := os.Open(a.folder.Path(id))
	if errors.Is(err, fs.ErrNotExist) { // it was the oldest, and made way
		return about, nil, noRun("there is no such run")
	}
	if err != nil {
		return about, nil, err
	}
	defer file.Close()
	t, _ = winnow.ReadTrajectory(file)
	return about, t, nil
}

func noRun(why string) error {
	return fault(http.StatusNotFound, string(winnow.NotFound), "GET /v1/runs lists them", why)
}
