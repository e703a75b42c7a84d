package anthropic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

// Models lists what the server serves, by name.
func (p *Policy) Models(ctx context.Context) ([]endpoint.Model, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.o.Timeout, errSilent)
	defer cancel()
	models, err := p.list(ctx)
	if err != nil {
		return nil, p.unlisted(ctx, err)
	}
	return models, nil
}

func (p *Policy) list(ctx context.Context) (models []endpoint.Model, err error) {
	page, err := p.models.List(ctx, sdk.ModelListParams{Limit: sdk.Int(1000)})
	if err != nil {
		return nil, err
	}
	for _, m := range page.Data {
		models = append(models, endpoint.Model{ID: m.ID})
	}
	slices.SortFunc(models, func(a, b endpoint.Model) int { return cmp.Compare(a.ID, b.ID) })
	return models, nil
}

// unlisted says why nothing is known of the server's models.
func (p *Policy) unlisted(ctx context.Context, err error) error {
	var refused *sdk.Error
	var broken *url.Error
	switch {
	case errors.Is(context.Cause(ctx), errSilent):
		err = errSilent
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &refused) && !errors.As(err, &broken):
		err = errNoStream
	}
	return p.failure(ctx, err, 0)
}

// Check is the cheap part of finding out whether a run can succeed: the server
// answers, takes the key and serves the model. How large a context is it does not
// tell. A gateway that lists no models is let pass, and so is a name that is not
// listed where the server knows it all the same: aliases are not in the list.
func (p *Policy) Check(ctx context.Context, _ winnow.Budget) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.o.Timeout, errSilent)
	defer cancel()
	_, err := p.models.Get(ctx, p.o.Model, sdk.ModelGetParams{})
	if err == nil {
		return nil
	}
	var refused *sdk.Error
	if !errors.As(err, &refused) || refused.StatusCode != http.StatusNotFound {
		return p.unlisted(ctx, err)
	}
	models, err := p.list(ctx)
	if err != nil || len(models) == 0 {
		return nil
	}
	return &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("the server at %s has no model %q", p.base, p.o.Model), Hint: endpoint.Names(models)}
}
