package harmony

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

// Models lists what the server serves, by name.
func (p *Policy) Models(ctx context.Context) ([]endpoint.Model, error) {
	models, failed := p.list(ctx)
	if failed != nil {
		return nil, failed.err
	}
	return models, nil
}

func (p *Policy) list(ctx context.Context) ([]endpoint.Model, *failure) {
	body, failed := p.do(ctx, http.MethodGet, "models", nil)
	if failed != nil {
		return nil, failed
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return nil, &failure{err: p.unusable(errPage)}
	}
	models, err := endpoint.ParseModels(body)
	if err != nil {
		return nil, &failure{err: p.unusable(err)}
	}
	return models, nil
}

// Check is the cheap part of finding out whether a run can succeed: the server
// answers, takes the key, serves the model, and its context holds the budget. A
// server that lists no models is let pass. It makes no inference.
func (p *Policy) Check(ctx context.Context, budget winnow.Budget) error {
	models, failed := p.list(ctx)
	if failed != nil {
		if failed.status == http.StatusNotFound || failed.status == http.StatusMethodNotAllowed {
			return nil
		}
		return failed.err
	}
	if len(models) == 0 {
		return nil
	}
	m := endpoint.Served(models, p.o.Model)
	if m == nil {
		return &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("the server at %s has no model %q", p.place(), p.o.Model), Hint: endpoint.Names(models)}
	}
	if m.Context > 0 && m.Context < budget.Tokens {
		return &winnow.Error{Code: winnow.TooMuch, Hint: endpoint.WindowHint(budget.Tokens),
			Message: fmt.Sprintf("the context of %s at %s is %d tokens, and the budget is %d", m.ID, p.place(), m.Context, budget.Tokens)}
	}
	return nil
}
