package desk

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/wire"
)

// Run is a question under way. Any number may listen, each from the beginning
// and at its own pace.
type Run struct {
	// ID is the name of its record.
	ID string

	queue  *queue
	ticket *ticket
	asked  time.Time

	mu         sync.Mutex
	changed    chan struct{} // closed at the next change
	trajectory winnow.Trajectory
	over       bool
	answer     wire.Ask
	err        error
}

// Position counts the runs that go first; 0 means that it has begun.
func (r *Run) Position() int { return r.queue.position(r.ticket) }

// add takes in an event.
func (r *Run) add(e winnow.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trajectory.Events = append(r.trajectory.Events, e)
	r.tell()
}

// finish is the last thing that happens to a run.
func (r *Run) finish(answer wire.Ask, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over, r.answer, r.err = true, answer, err
	r.tell()
}

func (r *Run) tell() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// Since returns the events from n on, whether they are the last, and what is
// closed when there are more.
func (r *Run) Since(n int) (events []winnow.Event, over bool, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.trajectory.Events[n:], r.over, r.changed
}

// Events yields the events as they come. It ends with an error if ctx ends, and
// without one when the run is over, with whatever outcome.
func (r *Run) Events(ctx context.Context) iter.Seq2[winnow.Event, error] {
	return func(yield func(winnow.Event, error) bool) {
		for n := 0; ; {
			events, over, changed := r.Since(n)
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
			n += len(events)
			if over {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				yield(winnow.Event{}, ctx.Err())
				return
			}
		}
	}
}

// Answer waits for the end and returns the answer. The error is why the run
// could not begin, or ctx's.
func (r *Run) Answer(ctx context.Context) (wire.Ask, error) {
	for _, err := range r.Events(ctx) {
		if err != nil {
			return wire.Ask{}, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answer, r.err
}
