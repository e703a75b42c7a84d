package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Client sends requests to the server of a model. It follows no redirects, so
// that a request, its documents and its key stay with the server they were meant
// for, and takes no address and no key from the environment.
type Client struct {
	Base   *url.URL
	Header http.Header // sent with every request
	// Silence is how long the server may send nothing. How long a whole reply may
	// take is bounded by the context.
	Silence time.Duration
}

const (
	// MaxReply bounds a reply. A limit on its tokens does so too, for servers that
	// keep to it.
	MaxReply = 32 << 20
	// maxRefusal is how much is read of a reply that is a refusal.
	maxRefusal = 64 << 10
)

// What may come in place of a reply, beside a [Refusal] and the errors of
// net/http.
var (
	ErrSilent = errors.New("the server is silent")
	ErrCut    = errors.New("the reply broke off")
	ErrPage   = errors.New("the reply is a web page")
	ErrForm   = errors.New("the reply is not of the form that this API has")
)

// Refusal is a reply with a status other than success.
type Refusal struct {
	Status int
	Header http.Header
	Body   []byte
}

func (r *Refusal) Error() string { return http.StatusText(r.Status) }

// Passing reports whether the same request may succeed later: the server says so,
// is overloaded, or there is trouble behind a proxy.
func (r *Refusal) Passing() bool {
	if says, err := strconv.ParseBool(r.Header.Get("X-Should-Retry")); err == nil {
		return says
	}
	switch r.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return r.Status >= 500 && r.Status != http.StatusNotImplemented
}

// After is how long the server asks to be left alone, 0 if it does not.
func (r *Refusal) After() time.Duration {
	if ms, err := strconv.ParseUint(r.Header.Get("Retry-After-Ms"), 10, 31); err == nil {
		return time.Duration(ms) * time.Millisecond
	}
	return RetryAfter(r.Header.Get("Retry-After"), time.Now())
}

// Get fetches what is at a path below the base.
func (c *Client) Get(ctx context.Context, path string) ([]byte, error) {
	resp, err := c.do(ctx, http.MethodGet, path, "application/json", nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return Whole(resp.Body)
}

// Post sends a request whose reply is a stream, with a server that streams. The
// reply's body must be closed.
func (c *Client) Post(ctx context.Context, path string, request any) (*http.Response, error) {
	body, err := JSON(request)
	if err != nil {
		return nil, err
	}
	return c.do(ctx, http.MethodPost, path, "text/event-stream", body)
}

// Whole reads a body to its end.
func Whole(body io.Reader) ([]byte, error) {
	b, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCut, err)
	}
	return b, nil
}

// JSON encodes a value as models read it: with < and & as they are, which
// encoding/json would escape for browsers.
func JSON(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// do makes one request. A reply is one of success and not a web page; all else is
// an error.
func (c *Client) do(caller context.Context, method, path, accept string, body []byte) (*http.Response, error) {
	ctx, end := context.WithCancelCause(caller)
	h := &heard{ctx: ctx, end: end, limit: c.Silence, silence: time.AfterFunc(c.Silence, func() { end(ErrSilent) })}
	resp, err := c.send(ctx, method, path, accept, body)
	if err != nil {
		defer h.stop()
		return nil, h.why(err)
	}
	h.from, resp.Body = resp.Body, h
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	success := resp.StatusCode/100 == 2
	if success && kind != "text/html" {
		return resp, nil
	}
	defer resp.Body.Close()
	if success {
		return nil, ErrPage
	}
	said, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what came of it is said; the status is enough
	return nil, &Refusal{resp.StatusCode, resp.Header, said}
}

func (c *Client) send(ctx context.Context, method, path, accept string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.Base.String()+"/"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, c.Header)
	req.Header.Set("Accept", accept)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return client.Do(req)
}

// heard is a reply's body. Whatever comes of it is a sign of life.
type heard struct {
	from    io.ReadCloser
	read    int
	ctx     context.Context
	end     context.CancelCauseFunc
	silence *time.Timer
	limit   time.Duration
}

func (h *heard) Read(p []byte) (int, error) {
	if h.read == MaxReply {
		return 0, io.EOF
	}
	n, err := h.from.Read(p[:min(len(p), MaxReply-h.read)])
	h.read += n
	h.silence.Reset(h.limit)
	if err != nil && err != io.EOF {
		err = h.why(err)
	}
	return n, err
}

func (h *heard) Close() error {
	defer h.stop()
	return h.from.Close()
}

func (h *heard) stop() {
	h.silence.Stop()
	h.end(nil)
}

// why tells a server that was silent from one that failed.
func (h *heard) why(err error) error {
	if context.Cause(h.ctx) == ErrSilent {
		return ErrSilent
	}
	return err
}
