package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

// Models lists what the server serves, by name.
func (p *Policy) Models(ctx context.Context) ([]endpoint.Model, error) {
	models, err := p.list(ctx)
	if err != nil {
		return nil, p.failed(ctx, err, 0)
	}
	return models, nil
}

func (p *Policy) list(ctx context.Context) ([]endpoint.Model, error) {
	body, err := p.server.Get(ctx, "v1/models?limit=1000")
	if err != nil {
		return nil, err
	}
	return endpoint.ParseModels(body)
}

// Check is the cheap part of finding out whether a run can succeed: the server
// answers, takes the key and serves the model. How large a context is it does not
// tell. A gateway that lists no models is let pass, and so is a name that is not
// listed where the server knows it all the same: aliases are not in the list.
func (p *Policy) Check(ctx context.Context, _ winnow.Budget) error {
	body, err := p.server.Get(ctx, "v1/models/"+url.PathEscape(p.o.Model))
	if err == nil && !json.Valid(body) {
		err = endpoint.ErrForm
	}
	if err == nil {
		return nil
	}
	var refused *endpoint.Refusal
	if !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
		return p.failed(ctx, err, 0)
	}
	models, err := p.list(ctx)
	if err != nil || len(models) == 0 {
		return nil
	}
	return &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("the server at %s has no model %q", p.server.Base, p.o.Model), Hint: endpoint.Names(models)}
}
