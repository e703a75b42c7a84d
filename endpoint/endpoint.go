// Package endpoint is what every client of a server of ours does alike: wait
// between attempts, see which models are served, and speak of the server in
// errors without giving away what is secret. Each client keeps its own requests,
// its own patience and its own hints: those differ, and a shared client would have
// an option for each.
package endpoint

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
)

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

// Base reads the address of an OpenAI-compatible API. "/v1" is added to one
// without a path, and the path of a single endpoint is taken off.
func Base(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the model's address is not an http or https URL without a password in it",
			Hint: "--base-url http://localhost:8000/v1"}
	}
	u.Path = strings.TrimRight(u.Path, "/")
	for _, end := range []string{"/chat/completions", "/completions"} {
		u.Path = strings.TrimSuffix(u.Path, end)
	}
	if u.Path == "" {
		u.Path = "/v1"
	}
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// Place is a URL as an error may show it: no user, no password, no query.
func Place(u *url.URL) string { return u.Scheme + "://" + u.Host + u.Path }

// Bare takes the URL out of an error of net/http, which shows all of it.
func Bare(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// QuoteLen bounds what an error repeats of a server's words.
const QuoteLen = 200

// Quote is the beginning of a server's words as an error, nil if it said
// nothing. Keys and other secrets are taken out first: some servers repeat them.
func Quote(said string, secrets ...string) error {
	said = strings.Join(strings.Fields(said), " ")
	if said == "" {
		return nil
	}
	for _, s := range secrets {
		if s != "" {
			said = strings.ReplaceAll(said, s, "[key]")
		}
	}
	if len(said) > QuoteLen {
		said = said[:QuoteLen] + " …"
	}
	return errors.New(strings.ToValidUTF8(said, ""))
}
