package chat

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

// failure is an attempt that brought no reply.
type failure struct {
	err   *winnow.Error
	again bool          // the same may succeed later
	other bool          // the request will be another, as the dialect has changed
	after time.Duration // the server asks to be left alone for
}

// failed says what went wrong, for a run with a budget of so many tokens.
func (p *Policy) failed(ctx context.Context, err error, budget int) failure {
	at := p.server.Base.String()
	var r *endpoint.Refusal
	if errors.As(err, &r) {
		return p.refused(ctx, r, budget)
	}
	var said *inStream
	if errors.As(err, &said) {
		if e := p.known(ctx, 0, said.said, budget); e != nil {
			return failure{err: e}
		}
		return failure{again: true, err: p.fail(winnow.Unavailable, "the server at "+at+" failed in the middle of its reply", "the server's own log", said.said)}
	}
	switch {
	case errors.Is(err, endpoint.ErrSilent):
		// To ask a slow server again makes it slower.
		return failure{err: p.fail(winnow.Unavailable, "the server at "+at+" was silent for "+p.o.Timeout.String(), "a longer timeout, or a faster model", "")}
	case errors.Is(err, endpoint.ErrPage):
		return failure{err: p.fail(winnow.BadInput, "the server at "+at+" answered with a web page and not with JSON", "the address of the API, which mostly ends in /v1", "")}
	case errors.Is(err, endpoint.ErrForm):
		return failure{err: p.fail(winnow.BadInput, "the reply of the server at "+at+" is not that of a chat completion", "the address of an OpenAI-compatible API, which mostly ends in /v1", "")}
	case errors.Is(err, endpoint.ErrCut):
		return failure{again: true, err: p.fail(winnow.Unavailable, "the reply of the server at "+at+" broke off in the middle", "run it again; if it stays so, the server's own log says why", "")}
	}
	return p.broken(err)
}

// broken is the failure of a connection.
func (p *Policy) broken(err error) failure {
	at := p.server.Base.String()
	err = endpoint.Bare(err)
	f := failure{again: true, err: p.fail(winnow.Unavailable, "no server answers at "+at, "start the server, or give its address with --base-url", err.Error())}
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &name) && name.IsNotFound || errors.As(err, &certificate) {
		f.again = false
	}
	return f
}

// refused is the failure that a status stands for. What the server says comes
// before the status, as servers choose that freely.
func (p *Policy) refused(ctx context.Context, r *endpoint.Refusal, budget int) failure {
	at := p.server.Base.String()
	said := endpoint.Sentence(r.Body)
	if e := p.known(ctx, r.Status, said, budget); e != nil {
		return failure{err: e}
	}
	page := bytes.HasPrefix(bytes.TrimSpace(r.Body), []byte("<"))
	switch s := r.Status; {
	case (s == http.StatusBadRequest || s == http.StatusUnprocessableEntity) && p.dialect.learn(said):
		return failure{other: true}
	case s/100 == 3:
		to := r.Header.Get("Location")
		if at, err := p.server.Base.Parse(to); err == nil {
			to = at.Scheme + "://" + at.Host + strings.TrimSuffix(at.Path, "/chat/completions")
		}
		return failure{err: p.fail(winnow.BadInput, "the server at "+at+" redirects elsewhere", "--base-url "+to, "")}
	case r.Passing():
		f := failure{again: true, after: r.After()}
		hint := "wait and run it again"
		if f.after > 0 {
			hint = fmt.Sprintf("again in %s, as it asks for", f.after)
		}
		what := "is overloaded"
		if s >= 500 {
			what = "has trouble of its own"
		}
		f.err = p.fail(winnow.Unavailable, fmt.Sprintf("the server at %s "+what+" (%d)", at, s), hint, said)
		return f
	case page:
		return failure{err: p.fail(winnow.BadInput, fmt.Sprintf("the server at %s answered with a web page and not with JSON (%d)", at, s),
			"the address of the API, which mostly ends in /v1", "")}
	case s == http.StatusNotFound || s == http.StatusMethodNotAllowed:
		return failure{err: p.fail(winnow.NotFound, "there are no chat completions at "+at, "the address of the API, which mostly ends in /v1", said)}
	}
	return failure{err: p.fail(winnow.BadInput, fmt.Sprintf("the server at %s refused the request (%d)", at, r.Status), "the model's name and options", said)}
}

// known tells the failures that people can do something about.
func (p *Policy) known(ctx context.Context, status int, said string, budget int) *winnow.Error {
	at := p.server.Base.String()
	is := func(phrases ...string) bool {
		lower := strings.ToLower(said)
		for _, phrase := range phrases {
			if strings.Contains(lower, phrase) {
				return true
			}
		}
		return false
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		if p.o.Key == "" {
			return p.fail(winnow.BadInput, "the server at "+at+" wants a key", "set OPENAI_API_KEY, or the variable that the policy names", "")
		}
		return p.fail(winnow.BadInput, "the server at "+at+" does not accept the key", "a key that is valid and may use this model", said)
	case status == http.StatusPaymentRequired || is("insufficient_quota", "exceeded your current quota"):
		return p.fail(winnow.BadInput, "the account at "+at+" has no credit left", "pay in, or use another model", "")
	case is("context length", "context_length", "context size", "context window", "max_model_len", "too many tokens", "prompt is too long", "input is too long"):
		return p.fail(winnow.TooMuch, fmt.Sprintf("the context of %s at %s is too small for a budget of %d tokens", p.o.Model, at, budget), endpoint.WindowHint(budget), said)
	case is("not support tool", "not support function", "tool choice requires", "--jinja", "support tool use", "tools is not supported", "tools are not supported", "tool calling is not supported"):
		return p.fail(winnow.BadInput, p.o.Model+" can't call tools as it is served at "+at,
			"a model that can (vLLM: --enable-auto-tool-choice --tool-call-parser NAME; llama.cpp: --jinja; Ollama: a model tagged tools), or --policy harmony for gpt-oss and Context-1", said)
	case status == http.StatusNotFound || status == http.StatusBadRequest && is("model"):
		models, err := p.list(ctx)
		if err != nil || endpoint.Served(models, p.o.Model) != nil {
			return nil
		}
		return p.unknownModel(models)
	}
	return nil
}

// fail makes an error. What the server said is quoted without the key, which some
// repeat.
func (p *Policy) fail(code winnow.Code, message, hint, said string) *winnow.Error {
	secrets := []string{p.o.Key}
	for _, value := range p.o.Headers {
		secrets = append(secrets, value)
	}
	return &winnow.Error{Code: code, Message: message, Hint: hint, Err: endpoint.Quote(said, secrets...)}
}
