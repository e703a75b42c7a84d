package chat

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3/option"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
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

// refuse makes an error of every refusal, with its body whatever that is, and of
// web pages. The SDK's own error has it only if it is JSON of OpenAI's form.
func refuse(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode/100 == 2 && kind != "text/html" {
		return resp, nil
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		return nil, errPage
	}
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
		wait := f.after + endpoint.Backoff(attempt-1, firstWait, maxWait/2)
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
