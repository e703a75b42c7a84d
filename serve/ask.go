package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

// ask answers a question: with one document at the end, or with a stream of the
// run's events whose last is "result" or "error".
func (s *Server) ask(w http.ResponseWriter, r *http.Request) error {
	q, err := decode[wire.AskRequest](w, r, s.options.MaxBody)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(r.Context()) // who leaves ends the run
	defer cancel()
	run, err := s.desk.Ask(ctx, q)
	if err != nil {
		return err
	}
	w.Header().Set("Winnow-Run", run.ID)
	if !wantsStream(r) {
		answer, err := run.Answer(ctx)
		if err != nil {
			return err
		}
		reply(w, http.StatusOK, answer)
		return nil
	}
	out := startStream(w)
	n := 0
	err = follow(ctx, out, run, func(e *winnow.Event) error {
		n++
		return out.event(string(e.Kind), n, e)
	})
	if err != nil {
		return nil // nobody is there to be told
	}
	answer, err := run.Answer(ctx)
	if err != nil {
		out.event("error", 0, s.problem(r, err).Problem)
		return nil
	}
	out.event("result", n+1, answer)
	return nil
}

// search is Chroma's contract for a search agent.
func (s *Server) search(w http.ResponseWriter, r *http.Request) error {
	q, err := decode[wire.SearchRequest](w, r, s.options.MaxBody)
	if err != nil {
		return err
	}
	ask := &wire.AskRequest{Question: q.Query}
	if q.CollectionName != "" {
		ask.Collections = []string{q.CollectionName}
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	run, err := s.desk.Ask(ctx, ask)
	if err != nil {
		return err
	}
	w.Header().Set("Winnow-Run", run.ID)
	out := startStream(w)
	var lines wire.SearchStream
	var end *winnow.End
	err = follow(ctx, out, run, func(e *winnow.Event) error {
		end = e.End
		for _, line := range lines.Lines(e) {
			if err := out.event("", 0, line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	answer, err := run.Answer(ctx)
	switch {
	case err != nil:
		out.event("", 0, wire.SearchEvent{Type: "error", Data: wire.SearchError{Message: s.problem(r, err).Detail}})
	case end != nil && end.Failure != nil && len(answer.Ranking) == 0:
		out.event("", 0, wire.SearchEvent{Type: "error", Data: wire.SearchError{Message: end.Failure.Message}})
	default:
		if out.event("", 0, wire.SearchEvent{Type: "result", Data: wire.SearchResultOf(&answer)}) == nil {
			out.event("", 0, wire.SearchEvent{Type: "done", Data: struct{}{}})
		}
	}
	return nil
}

// follow writes a run's events as they come, says where in the queue it stands,
// and keeps the line open. It fails when the reader has gone.
func follow(ctx context.Context, out *stream, run *desk.Run, write func(*winnow.Event) error) error {
	if err := out.comment("queued %d", run.Position()); err != nil {
		return err
	}
	tick := time.NewTicker(queueTold)
	defer tick.Stop()
	last := time.Now()
	for n := 0; ; {
		events, over, changed := run.Since(n)
		for i := range events {
			if err := write(&events[i]); err != nil {
				return err
			}
			last = time.Now()
		}
		n += len(events)
		if over {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if err := waiting(out, run.Position(), &last); err != nil {
				return err
			}
		}
	}
}

// waiting tells one who waits the position, and others from time to time that
// the line is open.
func waiting(out *stream, position int, last *time.Time) error {
	switch {
	case position > 0:
		*last = time.Now()
		return out.comment("queued %d", position)
	case time.Since(*last) >= keepAlive:
		*last = time.Now()
		return out.comment("keep-alive")
	}
	return nil
}
