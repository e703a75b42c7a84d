package harmony

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

const (
	// longestReply is far above any real one: a reply of 32k tokens with its
	// prompt's ids beside it has less than a megabyte.
	longestReply = 16 << 20
	firstPause   = 500 * time.Millisecond
	// longestPause bounds the wait between attempts. Somebody waits for the
	// answer: a server that wants longer is down.
	longestPause = 30 * time.Second
)

// failure is a request that brought no completion.
type failure struct {
	err     error
	passing bool          // worth another attempt
	pause   time.Duration // what the server asks for
	prompt  bool          // the prompt's form may be what was refused
}

// post sends the request until there is a completion or no hope of one.
func (p *Policy) post(ctx context.Context, r request) (*completion, *failure) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, &failure{err: err}
	}
	for attempt := 0; ; attempt++ {
		c, failed := p.attempt(ctx, body)
		if failed == nil {
			return c, nil
		}
		if ctx.Err() != nil {
			return nil, &failure{err: context.Cause(ctx)}
		}
		if !failed.passing || attempt+1 == p.o.Attempts || failed.pause > longestPause {
			return nil, failed
		}
		if err := p.sleep(ctx, max(failed.pause, endpoint.Backoff(attempt, firstPause, longestPause))); err != nil {
			return nil, &failure{err: err}
		}
	}
}

func (p *Policy) attempt(ctx context.Context, body []byte) (*completion, *failure) {
	ctx, cancel := context.WithTimeout(ctx, p.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return nil, p.unreachable(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if p.o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+p.o.Key)
	}
	resp, err := p.o.Client.Do(req)
	if err != nil {
		return nil, p.unreachable(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, longestReply))
	if err != nil {
		return nil, p.unreachable(err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, p.refused(resp, said)
	}
	c, err := decode(said)
	if err != nil {
		return nil, &failure{err: p.unusable(err)}
	}
	return c, nil
}

// unreachable is a connection that failed, at any point of the exchange.
func (p *Policy) unreachable(err error) *failure {
	e := &winnow.Error{Code: winnow.Unavailable, Message: "the model at " + p.place() + " does not answer",
		Hint: "see that the server runs and its URL is right"}
	e.Err = endpoint.Bare(err)
	if !errors.Is(err, context.DeadlineExceeded) {
		return &failure{err: e, passing: true}
	}
	e.Message = fmt.Sprintf("the model at %s did not answer within %v", p.place(), p.o.Timeout)
	e.Hint = "a longer timeout, or a smaller reserve"
	return &failure{err: e} // to ask a slow server again makes it slower
}

// tooLong is how servers say that prompt and reply do not fit their context.
var tooLong = regexp.MustCompile(`(?i)context (length|window|size)|max_model_len|too (long|many tokens)|n_ctx`)

// refused is an answer other than 200.
func (p *Policy) refused(resp *http.Response, said []byte) *failure {
	status := resp.StatusCode
	words := sentence(said)
	e := &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("the model at %s answers %d", p.place(), status),
		Hint: "see that URL and model are right, and that the server has /v1/completions", Err: p.quote(words)}
	f := &failure{err: e, pause: endpoint.RetryAfter(resp.Header.Get("Retry-After"), time.Now())}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Hint = "a valid key in the environment variable that the configuration names"
	case status == http.StatusNotFound && strings.Contains(words, "model"):
		e.Code, e.Message = winnow.NotFound, fmt.Sprintf("the server at %s has no model %q", p.place(), p.o.Model)
		e.Hint = "a name that the server lists under /v1/models"
	case status == http.StatusNotFound:
		e.Hint = "a base URL that ends in /v1, on a server that has /v1/completions"
	case tooLong.MatchString(words) && (status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status >= 500):
		e.Code, e.Message = winnow.TooMuch, "the context window of the model at "+p.place()+" is too small"
		e.Hint = "a larger one on the server (--max-model-len for vLLM, --context-length for SGLang, --ctx-size for llama.cpp), or a smaller budget"
	case status == http.StatusTooManyRequests || status >= 500:
		e.Code, e.Hint, f.passing = winnow.Unavailable, "run it again later", true
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		f.prompt = true
	}
	return f
}

// sentence is a server's own sentence, where its error has the form of OpenAI's
// or one of the others in use; else all that it sent.
func sentence(said []byte) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(said, &e) != nil {
		return string(said)
	}
	var inner struct {
		Message string `json:"message"`
	}
	var text string
	switch {
	case json.Unmarshal(e.Error, &inner) == nil && inner.Message != "":
		return inner.Message
	case json.Unmarshal(e.Error, &text) == nil && text != "":
		return text
	case e.Message != "":
		return e.Message
	}
	return string(said)
}

// unusable is a reply that makes no sense.
func (p *Policy) unusable(err error) error {
	hint := "a base URL that ends in /v1, on a server that has /v1/completions"
	if errors.Is(err, errNoSpecials) {
		hint = "a server that keeps special tokens in its text (--special for llama.cpp's), or the chat policy"
	}
	return &winnow.Error{Code: winnow.Unavailable, Message: "the reply of the model at " + p.place() + " can't be used", Hint: hint, Err: err}
}

func (p *Policy) place() string { return endpoint.Place(p.endpoint) }

func (p *Policy) quote(words string) error { return endpoint.Quote(words, p.o.Key) }
