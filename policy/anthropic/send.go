package anthropic

import (
	"context"
	"errors"
	"time"

	"github.com/winnow-search/winnow/endpoint"
)

// send asks until there is a reply. One that broke off is asked for only once
// more, as what came of it has to be paid for.
func (p *Policy) send(ctx context.Context, r request, budget int) (*received, error) {
	patience := endpoint.Patience{Attempts: p.o.Attempts, First: 500 * time.Millisecond, Longest: time.Minute}
	for n, cuts := 1, 0; ; n++ {
		m, err := p.attempt(ctx, r)
		if err == nil {
			return m, nil
		}
		again, asked := passing(err)
		if errors.Is(err, endpoint.ErrCut) {
			cuts++
		}
		wait, ok := patience.Wait(ctx, n, asked)
		if ctx.Err() != nil || !again || !ok || cuts > 1 {
			return nil, p.failed(ctx, err, budget)
		}
		if err := endpoint.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

func (p *Policy) attempt(ctx context.Context, r request) (*received, error) {
	resp, err := p.server.Post(ctx, "v1/messages", r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return read(resp.Body)
}

// passing reports whether the same request may succeed later, and how long the
// server asks to be left alone until then. To ask a slow server again makes it
// slower.
func passing(err error) (again bool, asked time.Duration) {
	var refused *endpoint.Refusal
	if errors.As(err, &refused) {
		return refused.Passing(), refused.After()
	}
	return !errors.Is(err, endpoint.ErrSilent) && !errors.Is(err, endpoint.ErrForm) && !errors.Is(err, endpoint.ErrPage), 0
}
