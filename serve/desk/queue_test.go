package desk

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"
)

// Whatever comes and goes: no more run than may, no one is overtaken, and places
// that are given up are given to others.
func TestTheQueueIsFair(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		most, room := 1+r.IntN(3), r.IntN(4)
		q := newQueue(most, room)
		var running, waiting []*ticket
		for range 200 {
			switch r.IntN(3) {
			case 0:
				ticket, err := q.join()
				var full *Full
				switch {
				case len(running) < most:
					running = append(running, ticket)
				case len(waiting) < room:
					waiting = append(waiting, ticket)
				default:
					if !errors.As(err, &full) || full.RetryAfter < time.Second {
						t.Fatalf("seed %d: a full queue answers with %v", seed, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			case 1:
				if len(running) == 0 {
					continue
				}
				q.leave(time.Millisecond)
				running = running[1:]
				if len(waiting) > 0 {
					running, waiting = append(running, waiting[0]), waiting[1:]
				}
			case 2:
				if len(waiting) == 0 {
					continue
				}
				i := r.IntN(len(waiting))
				gone, cancel := context.WithCancel(t.Context())
				cancel()
				if q.wait(gone, waiting[i]) == nil {
					t.Fatalf("seed %d: who gave up was let in", seed)
				}
				waiting = append(waiting[:i:i], waiting[i+1:]...)
			}
			for i, ticket := range waiting {
				if got := q.position(ticket); got != i+1 {
					t.Fatalf("seed %d: place %d is %d", seed, i+1, got)
				}
			}
			for _, ticket := range running {
				if q.position(ticket) != 0 || q.wait(t.Context(), ticket) != nil {
					t.Fatalf("seed %d: one whose turn it is waits", seed)
				}
			}
			if a, b := q.load(); a != len(running) || b != len(waiting) {
				t.Fatalf("seed %d: %d run and %d wait, not %d and %d", seed, a, b, len(running), len(waiting))
			}
		}
	}
}

func TestWorkInTheBackgroundStandsBack(t *testing.T) {
	q := newQueue(2, 0)
	if err := q.standBack(t.Context()); err != nil {
		t.Fatal(err)
	}
	q.join()
	q.join()
	done := make(chan error, 1)
	go func() { done <- q.standBack(t.Context()) }()
	select {
	case <-done:
		t.Error("it does not wait for those that run")
	default:
	}
	q.leave(0)
	q.leave(0)
	if err := <-done; err != nil {
		t.Error(err)
	}
	q.join()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if q.standBack(gone) == nil {
		t.Error("it goes on after its end")
	}
}
