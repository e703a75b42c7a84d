package serve

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/wire"
)

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
	var sent map[string]wire.RunState // of the runs on the page
	tick := time.NewTicker(runsPoll)
	defer tick.Stop()
	last := time.Now()
	for {
		states := make(map[string]wire.RunState, len(page.Runs))
		for _, run := range slices.Backward(page.Runs) {
			states[run.Run] = run.State
			if sent[run.Run] == run.State {
				continue
			}
			last = time.Now()
			if out.event("run", 0, run) != nil {
				return nil
			}
		}
		sent = states
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
	if wantsStream(r) {
		return s.replay(w, r)
	}
	about, t, err := s.archive.read(r.PathValue("id"))
	if err != nil {
		return err
	}
	record := wire.Record{Recorded: about, Events: t.Events}
	if t.Start() != nil && t.End() != nil {
		answer := wire.AskOf(about.Run, t, wire.Places(t), t.End().Warnings)
		record.Ask = &answer
	}
	reply(w, http.StatusOK, record)
	return nil
}

// replay sends the events of a recorded run, as they are written.
func (s *Server) replay(w http.ResponseWriter, r *http.Request) error {
	id, err := s.archive.find(r.PathValue("id"))
	if err != nil {
		return err
	}
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
				out.event("error", 0, s.problem(r, next.err).Problem)
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
