package serve

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

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
		return "", fault(http.StatusNotFound, string(winnow.NotFound), "GET /v1/runs lists them", "there is no such run")
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

const (
	runsPage    = 50
	runsPageMax = 500
	// runsPoll is how soon a new run is seen by who watches the list.
	runsPoll = 300 * time.Millisecond
)

// listRuns lists recorded runs; as a stream, it sends the newest and then each
// that begins or ends, in whatever process.
func (s *Server) listRuns(w http.ResponseWriter, r *http.Request) error {
	limit, err := number(r, "limit", runsPage, runsPageMax)
	if err != nil {
		return err
	}
	page := s.archive.page(r.URL.Query().Get("before"), limit)
	if !wantsStream(r) {
		reply(w, http.StatusOK, page)
		return nil
	}
	out := startStream(w)
	seen := map[string]wire.RunState{}
	tick := time.NewTicker(runsPoll)
	defer tick.Stop()
	last := time.Now()
	for {
		for _, run := range slices.Backward(page.Runs) {
			if seen[run.Run] == run.State {
				continue
			}
			seen[run.Run], last = run.State, time.Now()
			if out.event("run", 0, run) != nil {
				return nil
			}
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-s.desk.Draining():
			return nil
		case <-tick.C:
			if waiting(out, 0, &last) != nil {
				return nil
			}
		}
		page = s.archive.page("", limit)
	}
}

// number reads a parameter between 1 and most.
func number(r *http.Request, name string, otherwise, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, fault(http.StatusBadRequest, string(winnow.BadInput), name+"="+strconv.Itoa(otherwise), name+" wants a number from 1 to "+strconv.Itoa(most))
	}
	return n, nil
}

// showRun fetches a recorded run. As a stream it tells the run again, and goes on
// with it while it is being written, in whatever process.
func (s *Server) showRun(w http.ResponseWriter, r *http.Request) error {
	id, err := s.archive.find(r.PathValue("id"))
	if err != nil {
		return err
	}
	if wantsStream(r) {
		return s.replay(w, r, id)
	}
	about, ok := s.archive.run(id)
	if !ok {
		return fault(http.StatusNotFound, string(winnow.NotFound), "GET /v1/runs lists them", "the run has not begun yet")
	}
	file, err := os.Open(s.archive.folder.Path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return fault(http.StatusNotFound, string(winnow.NotFound), "GET /v1/runs lists them", "there is no such run")
	}
	if err != nil {
		return err
	}
	defer file.Close()
	t, _ := winnow.ReadTrajectory(file) // one that was cut off is told as far as it goes
	record := wire.Record{Recorded: about, Events: t.Events}
	if t.Start() != nil && t.End() != nil {
		answer := wire.AskOf(id, t, wire.Places(t), t.End().Warnings)
		record.Ask = &answer
	}
	reply(w, http.StatusOK, record)
	return nil
}

// replay sends the events of a recorded run, as they are written.
func (s *Server) replay(w http.ResponseWriter, r *http.Request, id string) error {
	skip, _ := strconv.Atoi(r.Header.Get("Last-Event-ID")) // one who comes back has these
	out := startStream(w)
	if out.comment("queued 0") != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(r.Context())
	type told struct {
		event winnow.Event
		err   error
	}
	events := make(chan told)
	go func() {
		defer close(events)
		for e, err := range s.archive.folder.Follow(ctx, id) {
			select {
			case events <- told{e, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	defer func() {
		cancel()
		for range events { // the follower has gone when this ends
		}
	}()
	t := &winnow.Trajectory{}
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case next, more := <-events:
			if !more {
				return nil
			}
			if next.err != nil {
				s.endStream(out, r, next.err)
				return nil
			}
			t.Events = append(t.Events, next.event)
			last = time.Now()
			if n := len(t.Events); n > skip && out.event(string(next.event.Kind), n, &next.event) != nil {
				return nil
			}
			if next.event.End != nil && next.event.Rollout == 0 {
				out.event("result", len(t.Events)+1, wire.AskOf(id, t, wire.Places(t), t.End().Warnings))
				return nil
			}
		case <-tick.C:
			if waiting(out, 0, &last) != nil {
				return nil
			}
		case <-s.desk.Draining():
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}
