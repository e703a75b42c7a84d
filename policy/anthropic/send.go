package anthropic

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

var (
	errSilent = errors.New("the server is silent")
	errCut    = errors.New("the reply broke off")
)

// send asks for a reply. What the SDK can't retry, a reply that broke off, is
// asked for once more.
func (p *Policy) send(ctx context.Context, r sdk.MessageNewParams, budget int) (*sdk.Message, error) {
	m, err := p.attempt(ctx, r)
	if errors.Is(err, errCut) && ctx.Err() == nil {
		m, err = p.attempt(ctx, r)
	}
	if err == nil {
		return m, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, p.failure(ctx, err, budget)
}

func (p *Policy) attempt(caller context.Context, r sdk.MessageNewParams) (*sdk.Message, error) {
	ctx, cancel := context.WithCancelCause(caller)
	defer cancel(nil)
	silence := time.AfterFunc(p.o.Timeout, func() { cancel(errSilent) })
	defer silence.Stop()
	stream := p.messages.NewStreaming(ctx, r)
	defer stream.Close()
	m := &sdk.Message{}
	begun, ended := false, false
	for stream.Next() {
		silence.Reset(p.o.Timeout)
		begun = true
		event := stream.Current()
		if err := m.Accumulate(event); err != nil {
			return nil, errCut
		}
		ended = ended || event.Type == "message_stop"
	}
	err := stream.Err()
	switch {
	case errors.Is(context.Cause(ctx), errSilent):
		return nil, errSilent
	case transport(err):
		return nil, err
	case err != nil || begun && !ended:
		return nil, errCut
	case !begun:
		return nil, errNoStream
	}
	return m, nil
}

// transport reports whether an error came before the reply. The SDK makes the
// same error of a refusal and of one that is reported in the stream.
func transport(err error) bool {
	var refused *sdk.Error
	var broken *url.Error
	return errors.As(err, &refused) && refused.StatusCode >= 400 || errors.As(err, &broken)
}

var errNoStream = errors.New("the reply is no stream of events")

// failure says what went wrong.
func (p *Policy) failure(ctx context.Context, err error, budget int) *winnow.Error {
	at := p.base.String()
	var refused *sdk.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &refused):
		return p.refused(ctx, refused, budget)
	case errors.Is(err, errSilent):
		return &winnow.Error{Code: winnow.Unavailable, Message: fmt.Sprintf("the server at %s was silent for %s", at, p.o.Timeout), Hint: "a longer timeout, or run it again"}
	case errors.Is(err, errCut):
		return &winnow.Error{Code: winnow.Unavailable, Message: "the reply of the server at " + at + " broke off in the middle", Hint: "run it again"}
	case errors.Is(err, errNoStream):
		return &winnow.Error{Code: winnow.BadInput, Message: "the server at " + at + " does not speak the Messages API", Hint: "an address without a path, such as https://api.anthropic.com"}
	case errors.As(err, &certificate):
		return &winnow.Error{Code: winnow.Unavailable, Message: "the certificate of the server at " + at + " is not valid", Hint: "the right address, or a certificate that this machine trusts"}
	}
	err = endpoint.Bare(err)
	return &winnow.Error{Code: winnow.Unavailable, Message: "no server answers at " + at, Hint: "check the network, or give the address with --base-url", Err: endpoint.Quote(err.Error(), p.o.Key)}
}

// refused is the failure that a status stands for.
func (p *Policy) refused(ctx context.Context, r *sdk.Error, budget int) *winnow.Error {
	at, said := p.base.String(), message(r)
	e := &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("the server at %s refused the request (%d)", at, r.StatusCode), Hint: "the model's name and options", Err: endpoint.Quote(said, p.o.Key)}
	lower := strings.ToLower(said)
	switch s := r.StatusCode; {
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

// message is what a refusal says.
func message(r *sdk.Error) string {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if r.Response == nil {
		return ""
	}
	b, err := io.ReadAll(io.LimitReader(r.Response.Body, 64<<10))
	if err != nil || json.Unmarshal(b, &body) != nil {
		return ""
	}
	return body.Error.Message
}
