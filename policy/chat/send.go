package chat

import (
	"context"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

// send asks until there is a reply.
func (p *Policy) send(ctx context.Context, v *winnow.View, reminder string, room int) (*received, error) {
	patience := endpoint.Patience{Attempts: p.o.Attempts, First: 500 * time.Millisecond, Longest: time.Minute}
	for n := 1; ; {
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
		wait, ok := patience.Wait(ctx, n, f.after)
		if !f.again || !ok {
			return nil, f.err
		}
		if err := p.sleep(ctx, wait); err != nil {
			return nil, err
		}
		n++
	}
}

// attempt makes one request and reads the reply.
func (p *Policy) attempt(ctx context.Context, v *winnow.View, reminder string, room int) (*received, error) {
	resp, err := p.server.Post(ctx, "chat/completions", p.request(v, reminder, room))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return read(resp)
}
