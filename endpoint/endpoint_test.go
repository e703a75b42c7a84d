package endpoint

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
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

func TestNothingSecretIsTold(t *testing.T) {
	u, err := url.Parse("https://user:pass@host:1/v1/x?token=abc")
	if err != nil {
		t.Fatal(err)
	}
	if got := Place(u); got != "https://host:1/v1/x" {
		t.Errorf("the place is %q", got)
	}
	why := errors.New("refused")
	if got := Bare(&url.Error{Op: "Post", URL: u.String(), Err: why}); got != why {
		t.Errorf("the bare error is %v", got)
	}
	said := Quote(strings.Repeat("x", QuoteLen-3)+" sk-secret\n\xff and more", "sk-secret").Error()
	if strings.Contains(said, "secret") || strings.Contains(said, "sk-") || len(said) > QuoteLen+len(" …") {
		t.Errorf("the quote is %q", said)
	}
	if Quote(" \n", "k") != nil {
		t.Error("silence is quoted")
	}
}
