package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
)

const (
	// longestReply is far above any real one: 64 vectors of 4,096 numbers in
	// decimal have six megabytes.
	longestReply = 64 << 20
	firstPause   = 500 * time.Millisecond
	// longestPause bounds the wait between attempts. Embedding is background
	// work: it pays to be patient, but a server that wants an hour is down.
	longestPause = time.Minute
	// longestQuote bounds what an error repeats of a server's words.
	longestQuote = 200
)

type request struct {
	Model  string   `json:"model"`
	Input  []string `json:"input"`
	Format string   `json:"encoding_format"`
}

// attemptError is a failed attempt. Passing ones are worth another.
type attemptError struct {
	err     *winnow.Error
	passing bool
	pause   time.Duration // what the server asks for
}

// post sends the request until there is a reply or no hope of one.
func (e *Embedder) post(ctx context.Context, r request) ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		reply, failed := e.attempt(ctx, body)
		if failed == nil {
			return reply, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !failed.passing || attempt+1 == e.o.Attempts || failed.pause > longestPause {
			return nil, failed.err
		}
		if err := e.sleep(ctx, max(failed.pause, backoff(attempt))); err != nil {
			return nil, err
		}
	}
}

// backoff doubles with every attempt; a random half of it keeps clients that
// failed together from returning together.
func backoff(attempt int) time.Duration {
	pause := min(firstPause<<attempt, longestPause)
	return pause/2 + rand.N(pause/2)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (e *Embedder) attempt(ctx context.Context, body []byte) ([]byte, *attemptError) {
	ctx, cancel := context.WithTimeout(ctx, e.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return nil, e.unreachable(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if e.o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.o.Key)
	}
	resp, err := e.o.Client.Do(req)
	if err != nil {
		return nil, e.unreachable(err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, longestReply))
	if err != nil {
		return nil, e.unreachable(err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, e.refused(resp, reply)
	}
	return reply, nil
}

// unreachable is a connection that failed, at any point of the exchange.
func (e *Embedder) unreachable(err error) *attemptError {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the URL, which may hold a password
	}
	return &attemptError{passing: true, err: &winnow.Error{Code: winnow.Unavailable,
		Message: "the embedder at " + e.place() + " does not answer",
		Hint:    "see that the server runs and its URL is right; what is embedded already is kept", Err: err}}
}

// refused is an answer other than 200.
func (e *Embedder) refused(resp *http.Response, reply []byte) *attemptError {
	status := resp.StatusCode
	failed := &attemptError{
		passing: status == http.StatusTooManyRequests || status >= 500,
		pause:   retryAfter(resp.Header.Get("Retry-After"), time.Now()),
		err: &winnow.Error{Code: winnow.BadInput,
			Message: fmt.Sprintf("the embedder at %s answers %d", e.place(), status),
			Hint:    "see that URL and model are right", Err: e.quote(reply)},
	}
	switch {
	case failed.passing:
		failed.err.Code, failed.err.Hint = winnow.Unavailable, "run it again later; what is embedded already is kept"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		failed.err.Hint = "a valid key in the environment variable that the configuration names"
	case status == http.StatusNotFound:
		failed.err.Hint = "a base URL that ends in /v1, and a model that the server has"
	case status == http.StatusRequestEntityTooLarge:
		failed.err.Hint = "a smaller batch or window"
	}
	return failed
}

// retryAfter reads the header, which holds seconds or a date.
func retryAfter(header string, now time.Time) time.Duration {
	if s, err := strconv.Atoi(header); err == nil {
		return max(0, time.Duration(s)*time.Second)
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// unusable is a reply that makes no sense.
func (e *Embedder) unusable(err error) error {
	return &winnow.Error{Code: winnow.Unavailable, Message: "the reply of the embedder at " + e.place() + " can't be used",
		Hint: "a base URL that ends in /v1, and a model that embeds", Err: err}
}

// place is the endpoint as an error may show it: no user, no password, no query.
func (e *Embedder) place() string {
	return e.endpoint.Scheme + "://" + e.endpoint.Host + e.endpoint.Path
}

// quote is the beginning of a server's words. Some servers repeat the key.
func (e *Embedder) quote(reply []byte) error {
	said := strings.Join(strings.Fields(string(reply)), " ")
	if said == "" {
		return nil
	}
	if e.o.Key != "" {
		said = strings.ReplaceAll(said, e.o.Key, "[key]")
	}
	if len(said) > longestQuote {
		said = said[:longestQuote] + "…"
	}
	return errors.New(strings.ToValidUTF8(said, ""))
}
