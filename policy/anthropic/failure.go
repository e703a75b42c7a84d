package anthropic

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

// failed says what went wrong, for a run with a budget of so many tokens.
func (p *Policy) failed(ctx context.Context, err error, budget int) error {
	at := p.server.Base.String()
	var refused *endpoint.Refusal
	var certificate *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused):
		return p.refused(ctx, refused, budget)
	case errors.Is(err, endpoint.ErrSilent):
		return &winnow.Error{Code: winnow.Unavailable, Message: fmt.Sprintf("the server at %s was silent for %s", at, p.o.Timeout), Hint: "a longer timeout, or run it again"}
	case errors.Is(err, endpoint.ErrCut):
		return &winnow.Error{Code: winnow.Unavailable, Message: "the reply of the server at " + at + " broke off in the middle", Hint: "run it again"}
	case errors.Is(err, endpoint.ErrForm) || errors.Is(err, endpoint.ErrPage):
		return &winnow.Error{Code: winnow.BadInput, Message: "the server at " + at + " does not speak the Messages API", Hint: "an address without a path, such as https://api.anthropic.com"}
	case errors.As(err, &certificate):
		return &winnow.Error{Code: winnow.Unavailable, Message: "the certificate of the server at " + at + " is not valid", Hint: "the right address, or a certificate that this machine trusts"}
	}
	return &winnow.Error{Code: winnow.Unavailable, Message: "no server answers at " + at, Hint: "check the network, or give the address with --base-url", Err: endpoint.Quote(endpoint.Bare(err).Error(), p.o.Key)}
}

// refused is the failure that a status stands for.
func (p *Policy) refused(ctx context.Context, r *endpoint.Refusal, budget int) *winnow.Error {
	at, said := p.server.Base.String(), endpoint.Sentence(r.Body)
	e := &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("the server at %s refused the request (%d)", at, r.Status), Hint: "the model's name and options", Err: endpoint.Quote(said, p.o.Key)}
	lower := strings.ToLower(said)
	switch s := r.Status; {
	case s/100 == 3:
		e.Message, e.Hint = "the server at "+at+" redirects elsewhere", "the address it redirects to"
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		e.Message, e.Hint = "the server at "+at+" does not accept the key", "a key that is valid and may use this model"
	case s == http.StatusPaymentRequired || strings.Contains(lower, "credit balance"):
		e.Message, e.Hint = "the account at "+at+" has no credit left", "pay in, or use another model"
	case strings.Contains(lower, "prompt is too long") || strings.Contains(lower, "context limit") || strings.Contains(lower, "context window"):
		e.Code, e.Message, e.Hint = winnow.TooMuch, fmt.Sprintf("the context of %s is too small for a budget of %d tokens", p.o.Model, budget), "a smaller --budget"
	case s == http.StatusNotFound:
		e.Code, e.Message, e.Hint = winnow.NotFound, fmt.Sprintf("the server at %s has no model %q", at, p.o.Model), "the model's name as the provider writes it"
		if models, err := p.list(ctx); err == nil && len(models) > 0 {
			e.Hint = endpoint.Names(models)
		}
	case s == http.StatusTooManyRequests || s >= 500:
		e.Code, e.Message, e.Hint = winnow.Unavailable, fmt.Sprintf("the server at %s is overloaded (%d)", at, s), "wait and run it again"
	}
	return e
}
