package endpoint

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Patience is how often a client asks, and how long it waits in between.
type Patience struct {
	Attempts int
	// First is the wait after the first attempt, which doubles with each. Longest
	// bounds all waits: a server that asks for more is not waited for.
	First, Longest time.Duration
}

// Wait is the time to wait after failed attempt n, from 1, where the server asks
// to be left alone for so long. It is not ok to try again after the last attempt,
// and not if the wait would outlast ctx.
func (p Patience) Wait(ctx context.Context, n int, asked time.Duration) (wait time.Duration, ok bool) {
	wait = Backoff(n-1, p.First, p.Longest)
	if asked > 0 {
		// A little more than asked for: others were asked for the same.
		wait = asked + rand.N(asked/10+1)
	}
	deadline, bounded := ctx.Deadline()
	return wait, n < p.Attempts && asked <= p.Longest && !(bounded && time.Until(deadline) < wait)
}

// Backoff is the wait after failed attempt n, from 0: it doubles from first up
// to longest. A random half of it keeps clients that failed together from
// returning together.
func Backoff(n int, first, longest time.Duration) time.Duration {
	wait := min(first<<min(n, 16), longest)
	return wait/2 + rand.N(wait/2)
}

// Sleep waits, or returns why ctx ended.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// RetryAfter reads the header of that name, which holds seconds or a date; 0 for
// anything else.
func RetryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
