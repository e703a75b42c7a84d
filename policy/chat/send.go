package chat

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/openai/openai-go/v3/option"

	"github.com/winnow-search/winnow"
)

const (
	firstWait = 500 * time.Millisecond
	// maxWait bounds the wait for another attempt. A server that asks for more is
	// not waited for.
	maxWait = time.Minute
	// maxRefusal is how much is read of a reply that is a refusal.
	maxRefusal = 64 << 10
)

// refusal is a reply with a status other than success.
type refusal struct {
	status int
	header http.Header
	body   []byte
}

func (r *refusal) Error() string { return http.StatusText(r.status) }

// refuse makes an error of every refusal, with its body whatever that is. The
// SDK's own error has it only if it is JSON of OpenAI's form.
func refuse(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	if err != nil || resp.StatusCode/100 == 2 {
		return resp, err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what came of it is said; the status is enough
	return nil, &refusal{resp.StatusCode, resp.Header, body}
}

// errSilent is the cause of a request that was given up.
var errSilent = errors.New("the server is silent")

// send asks until there is a reply.
func (p *Policy) send(ctx context.Context, v *winnow.View, reminder string, room int) (*received, error) {
	for attempt := 1; ; {
		r, err := p.attempt(ctx, v, reminder, room)
		if err == nil {
			if r.field != "" && p.dialect.reasoning != "" {
				p.dialect.reasoning = r.field
			}
			return r, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f := p.failed(ctx, err, v.Budget.Tokens)
		if f.other {
			continue // a dialect has finitely many things to learn
		}
		wait := backoff(attempt, f.after)
		deadline, bounded := ctx.Deadline()
		if !f.again || attempt == p.o.Attempts || wait > maxWait || bounded && time.Until(deadline) < wait {
			return nil, f.err
		}
		if err := p.sleep(ctx, wait); err != nil {
			return nil, err
		}
		attempt++
	}
}

// attempt makes one request and reads the reply.
func (p *Policy) attempt(caller context.Context, v *winnow.View, reminder string, room int) (*received, error) {
	ctx, cancel := context.WithCancelCause(caller)
	defer cancel(nil)
	silence := time.AfterFunc(p.o.Timeout, func() { cancel(errSilent) })
	defer silence.Stop()
	request, options := p.request(v, reminder, room)
	var resp *http.Response
	_, err := p.completions.New(ctx, request, append(options, option.WithResponseBodyInto(&resp))...)
	if err == nil {
		defer resp.Body.Close()
		var r *received
		if r, err = read(resp, func() { silence.Reset(p.o.Timeout) }); err == nil {
			return r, nil
		}
	}
	if errors.Is(context.Cause(ctx), errSilent) {
		return nil, errSilent
	}
	return nil, err
}

// backoff doubles from attempt to attempt. Half of it is left to chance, so that
// clients that failed together do not come back together. What a server asks for
// is kept to.
func backoff(attempt int, after time.Duration) time.Duration {
	wait := min(firstWait<<(attempt-1), maxWait/2)
	return after + wait/2 + rand.N(wait/2)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retryAfter reads the header of that name, seconds or a date.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 && seconds < 1e9 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
