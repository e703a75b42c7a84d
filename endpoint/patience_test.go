package endpoint

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"
)

func TestBackoffDoublesUpToItsBound(t *testing.T) {
	for n, most := range []time.Duration{100, 200, 400, 800, 1000, 1000} {
		if got := Backoff(n, 100, 1000); got < most/2 || got > most {
			t.Errorf("after attempt %d it waits %v, want %v to %v", n, got, most/2, most)
		}
	}
	if got := Backoff(1000, time.Second, time.Minute); got > time.Minute {
		t.Errorf("after a thousand attempts it waits %v", got)
	}
}

func TestPatienceHasItsBounds(t *testing.T) {
	p := Patience{Attempts: 3, First: time.Second, Longest: time.Minute}
	soon, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for _, c := range []struct {
		name        string
		ctx         context.Context
		n           int
		asked       time.Duration
		least, most time.Duration
		ok          bool
	}{
		{"the first", t.Context(), 1, 0, time.Second / 2, time.Second, true},
		{"the second", t.Context(), 2, 0, time.Second, 2 * time.Second, true},
		{"the last", t.Context(), 3, 0, 0, time.Minute, false},
		{"as asked for", t.Context(), 1, 20 * time.Second, 20 * time.Second, 23 * time.Second, true},
		{"sooner than by itself", t.Context(), 2, time.Millisecond, time.Millisecond, 2 * time.Millisecond, true},
		{"too much is asked for", t.Context(), 1, 2 * time.Minute, 0, time.Hour, false},
		{"within the deadline", soon, 1, 2 * time.Second, 2 * time.Second, 3 * time.Second, true},
		{"beyond the deadline", soon, 1, 6 * time.Second, 0, time.Hour, false},
	} {
		if wait, ok := p.Wait(c.ctx, c.n, c.asked); ok != c.ok || wait < c.least || wait > c.most {
			t.Errorf("%s: %v, %v", c.name, wait, ok)
		}
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := Sleep(ctx, time.Hour); err != why {
		t.Errorf("sleep ends with %v", err)
	}
	if err := Sleep(t.Context(), time.Microsecond); err != nil {
		t.Error(err)
	}
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, "-7": 0, "": 0, "soon": 0, "99999999999999999999": 0,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got := RetryAfter(header, now); got != want {
			t.Errorf("%q is %v, want %v", header, got, want)
		}
	}
}
