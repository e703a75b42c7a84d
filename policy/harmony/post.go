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
	status  int           // the server's, 0 without one
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
	said, failed := p.do(ctx, http.MethodPost, "completions", body)
	if failed != nil {
		return nil, failed
	}
	c, err := decode(said)
	if err != nil {
		return nil, &failure{err: p.unusable(err)}
	}
	return c, nil
}

// do makes one request and returns the reply's body.
func (p *Policy) do(ctx context.Context, method, path string, body []byte) ([]byte, *failure) {
	ctx, cancel := context.WithTimeout(ctx, p.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, p.base.JoinPath(path).String(), bytes.NewReader(body))
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
		return nil, p.unreachable(fmt.Errorf("%w: %w", errCut, err))
	}
	if resp.StatusCode != http.StatusOK {
		return nil, p.refused(resp, said)
	}
	return said, nil
}

// errCut is a reply that ended before its end.
var errCut = errors.New("the reply broke off")

// unreachable is a connection that failed, at any point of the exchange.
func (p *Policy) unreachable(err error) *failure {
	e := &winnow.Error{Code: winnow.Unavailable, Message: "no server answers at " + p.place(),
		Hint: "start the server, or give its address with --base-url", Err: endpoint.Bare(err)}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		e.Message = fmt.Sprintf("the model at %s did not answer within %v", p.place(), p.o.Timeout)
		e.Hint = "a longer timeout, or a smaller reserve"
		return &failure{err: e} // to ask a slow server again makes it slower
	case errors.Is(err, errCut):
		e.Message, e.Err = "the reply of the server at "+p.place()+" broke off in the middle", nil
		e.Hint = "run it again; if it stays so, the server's own log says why"
	}
	return &failure{err: e, passing: true}
}

// tooLong is how servers say that prompt and reply do not fit their context.
var tooLong = regexp.MustCompile(`(?i)context (length|window|size)|max_model_len|too (long|many tokens)|n_ctx`)

// notHere is a server that has no completions where they were looked for.
const notHere = "a base URL that ends in /v1, on a server that has /v1/completions"

// refused is an answer other than 200.
func (p *Policy) refused(resp *http.Response, said []byte) *failure {
	status := resp.StatusCode
	words := endpoint.Sentence(said)
	e := &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("the server at %s refused the request (%d)", p.place(), status),
		Hint: "see that address and model are right, and that the server has /v1/completions", Err: endpoint.Quote(words, p.o.Key)}
	f := &failure{err: e, status: status, pause: endpoint.RetryAfter(resp.Header.Get("Retry-After"), time.Now())}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Message, e.Hint = "the server at "+p.place()+" does not accept the key", "a key that is valid and may use this model"
		if p.o.Key == "" {
			e.Message, e.Hint, e.Err = "the server at "+p.place()+" wants a key", "set OPENAI_API_KEY, or the variable that the policy names", nil
		}
	case status == http.StatusNotFound && strings.Contains(words, "model"):
		e.Code, e.Message = winnow.NotFound, fmt.Sprintf("the server at %s has no model %q", p.place(), p.o.Model)
		e.Hint = "a name that the server lists under /v1/models"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		e.Code, e.Message, e.Hint = winnow.NotFound, "there are no completions at "+p.place(), notHere
	case tooLong.MatchString(words) && (status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status >= 500):
		e.Code, e.Message = winnow.TooMuch, "the context window of the model at "+p.place()+" is too small"
		e.Hint = "a larger one on the server (--max-model-len for vLLM, --context-length for SGLang, --ctx-size for llama.cpp), or a smaller budget"
	case status == http.StatusTooManyRequests || status >= 500:
		e.Code, e.Hint, f.passing = winnow.Unavailable, "run it again later", true
	case bytes.HasPrefix(bytes.TrimSpace(said), []byte("<")):
		e.Message, e.Hint = fmt.Sprintf("the server at %s answered with a web page and not with JSON (%d)", p.place(), status), notHere
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		f.prompt = true
	}
	return f
}

// unusable is a reply that makes no sense.
func (p *Policy) unusable(err error) error {
	e := &winnow.Error{Code: winnow.Unavailable, Message: "the reply of the server at " + p.place() + " can't be used", Hint: notHere, Err: err}
	switch {
	case errors.Is(err, errPage):
		e.Code, e.Message, e.Err = winnow.BadInput, "the server at "+p.place()+" answered with a web page and not with JSON", nil
	case errors.Is(err, errNoSpecials):
		e.Hint = "a server that keeps special tokens in its text (--special for llama.cpp's), or the chat policy"
	}
	return e
}

func (p *Policy) place() string { return endpoint.Place(p.base) }
