package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

const (
	// longestReply is far above any real one: 64 vectors of 4,096 numbers in
	// decimal have six megabytes.
	longestReply = 64 << 20
	firstPause   = 500 * time.Millisecond
	// longestPause bounds the wait between attempts. Embedding is background
	// work: it pays to be patient, but a server that wants an hour is down.
	longestPause = time.Minute
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
		if err := e.sleep(ctx, max(failed.pause, endpoint.Backoff(attempt, firstPause, longestPause))); err != nil {
			return nil, err
		}
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
	return &attemptError{passing: true, err: &winnow.Error{Code: winnow.Unavailable,
		Message: "the embedder at " + e.place() + " does not answer",
		Hint:    "see that the server runs and its URL is right; what is embedded already is kept", Err: endpoint.Bare(err)}}
}

// refused is an answer other than 200.
func (e *Embedder) refused(resp *http.Response, reply []byte) *attemptError {
	status := resp.StatusCode
	failed := &attemptError{
		passing: status == http.StatusTooManyRequests || status >= 500,
		pause:   endpoint.RetryAfter(resp.Header.Get("Retry-After"), time.Now()),
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

// unusable is a reply that makes no sense.
func (e *Embedder) unusable(err error) error {
	return &winnow.Error{Code: winnow.Unavailable, Message: "the reply of the embedder at " + e.place() + " can't be used",
		Hint: "a base URL that ends in /v1, and a model that embeds", Err: err}
}

func (e *Embedder) place() string { return endpoint.Place(e.endpoint) }

func (e *Embedder) quote(reply []byte) error { return endpoint.Quote(string(reply), e.o.Key) }
