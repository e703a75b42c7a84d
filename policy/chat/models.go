package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

// Models lists what the server serves, by name.
func (p *Policy) Models(ctx context.Context) ([]endpoint.Model, error) {
	models, err := p.list(ctx)
	if err != nil {
		return nil, p.unlisted(ctx, err, 0)
	}
	return models, nil
}

func (p *Policy) list(ctx context.Context) ([]endpoint.Model, error) {
	body, err := p.server.Get(ctx, "models")
	if err != nil {
		return nil, err
	}
	return endpoint.ParseModels(body)
}

// Check is the cheap part of finding out whether a run can succeed: the server
// answers, takes the key, serves the model, and its context holds the budget. A
// server that lists no models is let pass. It makes no inference; [Policy.Next]
// with a small view does.
func (p *Policy) Check(ctx context.Context, budget winnow.Budget) error {
	models, err := p.list(ctx)
	if err != nil {
		if lists(err) {
			return p.unlisted(ctx, err, budget.Tokens)
		}
		return nil
	}
	if len(models) == 0 {
		return nil
	}
	m := endpoint.Served(models, p.o.Model)
	if m == nil {
		return p.unknownModel(models)
	}
	if m.Context > 0 && m.Context < budget.Tokens {
		return p.fail(winnow.TooMuch, fmt.Sprintf("the context of %s at %s is %d tokens, and the budget is %d", m.ID, p.server.Base, m.Context, budget.Tokens),
			endpoint.WindowHint(budget.Tokens), "")
	}
	return nil
}

// lists reports whether a server that failed to list its models is one that
// does. Small ones have no such endpoint.
func lists(err error) bool {
	var r *endpoint.Refusal
	return !errors.As(err, &r) || r.Status != http.StatusNotFound && r.Status != http.StatusMethodNotAllowed
}

// unlisted says why there is no list of models.
func (p *Policy) unlisted(ctx context.Context, err error, budget int) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !lists(err):
		return p.fail(winnow.NotFound, "the server at "+p.server.Base.String()+" does not list its models", "the address of the API, which mostly ends in /v1", "")
	}
	return p.failed(ctx, err, budget).err
}

func (p *Policy) unknownModel(models []endpoint.Model) *winnow.Error {
	return p.fail(winnow.NotFound, fmt.Sprintf("the server at %s has no model %q", p.server.Base, p.o.Model), endpoint.Names(models), "")
}
