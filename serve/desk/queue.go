package desk

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/winnow-search/winnow"
)

// queue admits so many runs at once and lets so many wait, first come first
// served.
type queue struct {
	most, room int

	mu      sync.Mutex
	running int
	waiting []*ticket
	quiet   chan struct{} // closed while nothing runs
	took    time.Duration // of a run, a moving average
}

// ticket is a place in the queue. Ready is closed when it is its turn.
type ticket struct {
	ready chan struct{}
}

func newQueue(most, room int) *queue {
	q := &queue{most: most, room: room, quiet: make(chan struct{})}
	close(q.quiet)
	return q
}

// Full is the error of a queue without room.
type Full struct {
	Problem *winnow.Error
	// RetryAfter is when there may be room, from what runs have taken lately.
	RetryAfter time.Duration
}

func (f *Full) Error() string { return f.Problem.Error() }
func (f *Full) Unwrap() error { return f.Problem }

// join takes a place, or fails with *Full.
func (q *queue) join() (*ticket, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &ticket{ready: make(chan struct{})}
	if q.running < q.most {
		q.start(t)
		return t, nil
	}
	if len(q.waiting) >= q.room {
		wait := max(time.Second, q.took*time.Duration(len(q.waiting)+1)/time.Duration(q.most))
		return nil, &Full{RetryAfter: wait.Round(time.Second), Problem: &winnow.Error{Code: winnow.TooMuch,
			Message: fmt.Sprintf("%d runs go on and %d wait, which is all there is room for", q.running, len(q.waiting)),
			Hint:    fmt.Sprintf("ask again in %s", wait.Round(time.Second))}}
	}
	q.waiting = append(q.waiting, t)
	return t, nil
}

func (q *queue) start(t *ticket) {
	if q.running == 0 {
		q.quiet = make(chan struct{})
	}
	q.running++
	close(t.ready)
}

// position counts those before the ticket, and is 0 when it is its turn.
func (q *queue) position(t *ticket) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Index(q.waiting, t) + 1
}

// wait returns when it is the ticket's turn; it gives the ticket back if ctx
// ends before.
func (q *queue) wait(ctx context.Context, t *ticket) error {
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, t); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return ctx.Err()
	}
	return nil // it was let in meanwhile
}

// leave ends a turn that took so long, and lets the next one in.
func (q *queue) leave(took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.took += (took - q.took) / 8
	q.running--
	if len(q.waiting) > 0 {
		next := q.waiting[0]
		q.waiting = slices.Delete(q.waiting, 0, 1)
		q.start(next)
	}
	if q.running == 0 {
		close(q.quiet)
	}
}

// load is how many run and how many wait.
func (q *queue) load() (running, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, len(q.waiting)
}

// patience is the longest that work in the background stands back, so that it
// gets done under a load that never ends.
const patience = 2 * time.Second

// standBack returns when nothing runs, or patience is at its end.
func (q *queue) standBack(ctx context.Context) error {
	q.mu.Lock()
	quiet := q.quiet
	q.mu.Unlock()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-quiet:
	case <-limit.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}
