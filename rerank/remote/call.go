package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

const (
	// maxReply bounds a reply. Scores are short, but vLLM sends the documents
	// back beside them.
	maxReply = 64 << 20

	firstWait = 250 * time.Millisecond
	// maxWait bounds the wait for another attempt. A server that asks for more
	// is not waited for: a search is waiting too.
	maxWait = 20 * time.Second
)

// failure is an attempt that brought no reply.
type failure struct {
	status int
	again  bool          // another attempt may succeed
	after  time.Duration // the server asks to be left alone for
	err    *winnow.Error
}

// post sends a request until there is a reply. The status is that of the last
// attempt, 0 if it got none.
func (r *Reranker) post(ctx context.Context, body []byte) (reply []byte, status int, err error) {
	for attempt := 1; ; attempt++ {
		reply, f := r.attempt(ctx, body)
		if f == nil {
			return reply, http.StatusOK, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		wait := f.after + endpoint.Backoff(attempt-1, firstWait, maxWait)
		deadline, bounded := ctx.Deadline()
		if !f.again || attempt == r.o.Attempts || wait > maxWait || bounded && time.Until(deadline) < wait {
			return nil, f.status, f.err
		}
		if err := r.sleep(ctx, wait); err != nil {
			return nil, 0, err
		}
	}
}

func (r *Reranker) attempt(ctx context.Context, body []byte) ([]byte, *failure) {
	ctx, cancel := context.WithTimeout(ctx, r.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return nil, r.broken(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if r.o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+r.o.Key)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, r.broken(err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err != nil {
		return nil, r.broken(err)
	}
	if resp.StatusCode/100 != 2 {
		return nil, r.refused(resp, reply)
	}
	if len(reply) > maxReply {
		return nil, &failure{status: resp.StatusCode, err: &winnow.Error{Code: winnow.TooMuch,
			Message: fmt.Sprintf("the reranker at %s replied with more than %d MiB", r.place(), maxReply>>20), Hint: "smaller batches"}}
	}
	return reply, nil
}

// stay keeps a request, its documents and its key with the server it was meant
// for.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// broken is the failure of a connection.
func (r *Reranker) broken(err error) *failure {
	err = endpoint.Bare(err)
	e := &winnow.Error{Code: winnow.Unavailable, Message: "the reranker at " + r.place() + " can't be reached",
		Hint: "check that it runs and that its URL is right, or rerank without it", Err: err}
	if errors.Is(err, context.DeadlineExceeded) {
		e.Message, e.Err = fmt.Sprintf("the reranker at %s did not answer within %s", r.place(), r.o.Timeout), nil
		e.Hint = "a longer timeout, smaller batches, or another reranker"
		return &failure{err: e} // to ask a slow server again makes it slower
	}
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	final := errors.As(err, &name) && name.IsNotFound || errors.As(err, &certificate)
	return &failure{again: !final, err: e}
}

// refused is the failure that a server's status stands for.
func (r *Reranker) refused(resp *http.Response, reply []byte) *failure {
	status := resp.StatusCode
	f := &failure{status: status, again: retried(status), after: endpoint.RetryAfter(resp.Header.Get("Retry-After"), time.Now())}
	e := &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("the reranker at %s answered %d", r.place(), status),
		Hint: "check its URL, model and shape"}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Message = fmt.Sprintf("the reranker at %s did not accept the key (%d)", r.place(), status)
		e.Hint = "check that the key is valid and may use this model"
		if r.o.Key == "" {
			e.Message = fmt.Sprintf("the reranker at %s wants a key (%d)", r.place(), status)
			e.Hint = "set the key of the reranker"
		}
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		e.Code, e.Hint = winnow.NotFound, "check the path of the URL, often /v1/rerank, /rerank or /score, and the model's name"
	case status == http.StatusRequestEntityTooLarge:
		e.Code, e.Hint = winnow.TooMuch, "smaller batches, or fewer tokens per document"
	case status/100 == 3:
		e.Hint = "the URL it redirects to"
		if to, err := resp.Location(); err == nil {
			e.Hint += ", " + to.Scheme + "://" + to.Host + to.Path
		}
	case f.again:
		e.Code, e.Hint = winnow.Unavailable, "wait and run this again, or rerank without it"
		if f.after > 0 {
			e.Hint = fmt.Sprintf("again in %s, as it asks for, or rerank without it", f.after)
		}
	}
	if said := message(reply); said != "" {
		e.Err = r.quote(said)
	}
	f.err = e
	return f
}

// unusable is the failure to make sense of a reply.
func (r *Reranker) unusable(err error) *winnow.Error {
	return &winnow.Error{Code: winnow.Unavailable, Message: "the reply of the reranker at " + r.place() + " can't be used",
		Hint: "check that the URL is that of a rerank or score call and the model a reranker", Err: r.quote(err.Error())}
}

// retried tells the statuses that pass: overload, and trouble behind a proxy.
func retried(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500 && status != http.StatusNotImplemented
}

func (r *Reranker) place() string { return endpoint.Place(r.endpoint) }

func (r *Reranker) quote(said string) error { return endpoint.Quote(said, r.o.Key) }
