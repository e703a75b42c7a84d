package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
)

// Model is one that a server serves.
type Model struct {
	ID string
	// Context is the number of tokens that prompt and reply may have together, 0
	// where the server does not say.
	Context int
}

// Models lists what the server serves, by name.
func (p *Policy) Models(ctx context.Context) ([]Model, error) {
	models, err := p.list(ctx)
	if err != nil {
		return nil, p.unlisted(ctx, err, 0)
	}
	return models, nil
}

func (p *Policy) list(ctx context.Context) ([]Model, error) {
	ctx, cancel := context.WithTimeout(ctx, p.o.Timeout)
	defer cancel()
	page, err := p.models.List(ctx)
	if err != nil {
		return nil, unread(err)
	}
	var list struct {
		Data []struct {
			ID      string `json:"id"`
			VLLM    int    `json:"max_model_len"`
			Gateway int    `json:"context_length"`
			Llama   struct {
				Context int `json:"n_ctx"`
			} `json:"meta"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(page.RawJSON()), &list); err != nil {
		return nil, errForm
	}
	models := make([]Model, len(list.Data))
	for i, m := range list.Data {
		models[i] = Model{m.ID, max(m.VLLM, m.Gateway, m.Llama.Context)}
	}
	slices.SortFunc(models, func(a, b Model) int { return strings.Compare(a.ID, b.ID) })
	return models, nil
}

// unread tells a reply that the SDK could not read from one that did not come.
func unread(err error) error {
	var r *refusal
	var broken *url.Error
	if errors.As(err, &r) || errors.As(err, &broken) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return errForm
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
	m := served(models, p.o.Model)
	if m == nil {
		return p.unknownModel(models)
	}
	if m.Context > 0 && m.Context < budget.Tokens {
		return p.fail(winnow.TooMuch, fmt.Sprintf("the context of %s at %s is %d tokens, and the budget is %d", m.ID, p.base, m.Context, budget.Tokens),
			windowHint(budget.Tokens), "")
	}
	return nil
}

// lists reports whether a server that failed to list its models is one that
// does. Small ones have no such endpoint.
func lists(err error) bool {
	var r *refusal
	return !errors.As(err, &r) || r.status != http.StatusNotFound && r.status != http.StatusMethodNotAllowed
}

// unlisted says why there is no list of models.
func (p *Policy) unlisted(ctx context.Context, err error, budget int) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !lists(err):
		return p.fail(winnow.NotFound, "the server at "+p.base.String()+" does not list its models", "the address of the API, which mostly ends in /v1", "")
	case errors.Is(err, context.DeadlineExceeded):
		err = errSilent
	}
	return p.failed(ctx, err, budget).err
}

// served finds a model. Ollama lists names with the tag that is the default.
func served(models []Model, name string) *Model {
	for i := range models {
		if models[i].ID == name || models[i].ID == name+":latest" {
			return &models[i]
		}
	}
	return nil
}

// maxListed is how many models an error names.
const maxListed = 12

func (p *Policy) unknownModel(models []Model) *winnow.Error {
	var names []string
	for _, m := range models[:min(len(models), maxListed)] {
		names = append(names, m.ID)
	}
	hint := strings.Join(names, ", ")
	if more := len(models) - len(names); more > 0 {
		hint += fmt.Sprintf(" or one of %d others", more)
	}
	if hint == "" {
		hint = "load a model into the server; it serves none"
	}
	return p.fail(winnow.NotFound, fmt.Sprintf("the server at %s has no model %q", p.base, p.o.Model), hint, "")
}
