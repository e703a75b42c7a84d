// Package chroma searches collections of Chroma, a vector database, with the
// whole of Winnow: words, vectors, links and the ranker.
//
// A single Chroma node finds neighbours of vectors and nothing else, so a
// [Corpus] has a companion: an index of ours under $WINNOW_HOME that follows the
// collection and holds its texts, words, links and a copy of its vectors. The
// server answers the dense leg of each search. Everything else is answered by
// the companion, and it is searched by the same code as the embedded engine, so
// that candidates, features and order are the same wherever the texts lie.
//
// What was traded away is disk: the companion takes about what the collection
// takes. What was gained beside quality is that a corpus is pinned, as
// [winnow.Corpus] promises and no Chroma server can; and that a server that is
// restarted in the middle of a run costs the run nothing, because the copy of
// the vectors answers for it meanwhile.
//
// Chroma Cloud and distributed Chroma have a Search API that fuses words and
// vectors on their side. A [Remote] uses it, keeps nothing, and has as many
// processes in front as are needed: that is where a corpus goes that outgrows
// one machine. What it gives up is the ranker and the links between documents
// that are not near each other, for which the index would have to be here.
package chroma

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

// Options of a client.
type Options struct {
	// Token is sent as x-chroma-token, which is what Chroma Cloud asks for. Empty
	// sends none.
	Token string
	// Headers are for gateways in front of a server, which has no authentication
	// of its own.
	Headers map[string]string
	// CA are certificates in PEM that are trusted beside the system's.
	CA []byte
	// Timeout bounds one attempt of a search. 0 means 5 seconds; reading and
	// writing many records may take ten times as long.
	Timeout time.Duration
}

// Client speaks to one server. It is safe for concurrent use.
type Client struct {
	address Address
	o       Options
	http    *http.Client
	sleep   func(context.Context, time.Duration) error
}

// connections bounds those to one server: more of them only wait there.
const connections = 16

// NewClient returns a client. The server is not asked for anything yet.
func NewClient(a Address, o Options) (*Client, error) {
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost, t.MaxConnsPerHost = connections, connections
	if len(o.CA) > 0 {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(o.CA) {
			return nil, &winnow.Error{Code: winnow.BadInput, Message: "the certificates for Chroma can't be used", Hint: "a file of certificates in PEM"}
		}
		t.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	return &Client{address: a, o: o, sleep: endpoint.Sleep, http: &http.Client{Transport: t,
		// The token stays with the server it was meant for.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// Address is where the client speaks to.
func (c *Client) Address() Address { return c.address }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// patience is how long a call is tried. Every call we make may be repeated:
// writing is by upsert, and deleting what is gone deletes nothing.
type patience struct {
	attempts       int
	first, longest time.Duration // between attempts
	timeout        int           // of an attempt, in units of Options.Timeout
}

var (
	// A search has the companion's vectors to fall back on, so it does not wait.
	impatient = patience{attempts: 2, first: 100 * time.Millisecond, longest: time.Second, timeout: 1}
	// A search by the server has nothing to fall back on. It outlasts a busy
	// moment and no more: whoever asks can still search for something else.
	searching = patience{attempts: 4, first: 200 * time.Millisecond, longest: 5 * time.Second, timeout: 1}
	// A person waits for the first answer, and may have mistyped the port.
	opening = patience{attempts: 4, first: 200 * time.Millisecond, longest: 2 * time.Second, timeout: 1}
	// What has no other place to be answered from waits for a restart.
	patient = patience{attempts: 6, first: 250 * time.Millisecond, longest: 10 * time.Second, timeout: 10}
)

// longestReply is far above any real one: pages are cut to some megabytes.
const longestReply = 512 << 20

// attemptError is a failed attempt. Passing ones are worth another.
type attemptError struct {
	err     *winnow.Error
	passing bool
	pause   time.Duration // what the server asks for
}

// statusOf is the HTTP status that an error of a call stands for, 0 if none.
func statusOf(err error) int {
	var s *statusError
	if errors.As(err, &s) {
		return s.status
	}
	return 0
}

// statusError keeps the status under the sentence.
type statusError struct {
	status int
	said   error
}

func (e *statusError) Error() string {
	if e.said == nil {
		return http.StatusText(e.status)
	}
	return e.said.Error()
}

// call sends a request below the API's root until there is an answer or no hope
// of one, and decodes it into out, which may be nil.
func (c *Client) call(ctx context.Context, p patience, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	for attempt := 0; ; attempt++ {
		reply, failed := c.attempt(ctx, p, method, path, body)
		if failed == nil {
			if out == nil {
				return nil
			}
			if err := decode(reply, out); err != nil {
				return &winnow.Error{Code: winnow.Unavailable, Message: "the reply of Chroma at " + c.address.Server() + " can't be used",
					Hint: "see that it is a Chroma server of version 1.0 or later", Err: err}
			}
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !failed.passing || attempt+1 >= p.attempts || failed.pause > p.longest {
			return failed.err
		}
		if err := c.sleep(ctx, max(failed.pause, endpoint.Backoff(attempt, p.first, p.longest))); err != nil {
			return err
		}
	}
}

// decode keeps large integers of metadata what they are.
func decode(reply []byte, out any) error {
	d := json.NewDecoder(bytes.NewReader(reply))
	d.UseNumber()
	return d.Decode(out)
}

func (c *Client) attempt(ctx context.Context, p patience, method, path string, body []byte) ([]byte, *attemptError) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(p.timeout)*c.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.address.base()+"/api/v2"+path, bytes.NewReader(body))
	if err != nil {
		return nil, c.unreachable(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for k, v := range c.o.Headers {
		req.Header.Set(k, v)
	}
	if c.o.Token != "" {
		req.Header.Set("x-chroma-token", c.o.Token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, longestReply))
	if err != nil {
		return nil, c.unreachable(err)
	}
	if resp.StatusCode/100 != 2 {
		return nil, c.refused(resp, reply)
	}
	return reply, nil
}

// unreachable is a connection that failed, at any point of the exchange.
func (c *Client) unreachable(err error) *attemptError {
	err = endpoint.Bare(err)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("it took too long")
	}
	return &attemptError{passing: true, err: &winnow.Error{Code: winnow.Unavailable,
		Message: "Chroma at " + c.address.Server() + " does not answer",
		Hint:    "see that the server runs (chroma run) and that host and port are right", Err: err}}
}

// refused is an answer other than success.
func (c *Client) refused(resp *http.Response, reply []byte) *attemptError {
	var said struct {
		Message string `json:"message"`
	}
	words := string(reply)
	if json.Unmarshal(reply, &said) == nil && said.Message != "" {
		words = said.Message
	}
	status := resp.StatusCode
	failed := &attemptError{
		passing: status == http.StatusTooManyRequests || status >= 500 && status != http.StatusNotImplemented,
		pause:   endpoint.RetryAfter(resp.Header.Get("Retry-After"), time.Now()),
		err: &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("Chroma at %s answers %d", c.address.Server(), status),
			Err: &statusError{status, endpoint.Quote(words, c.o.Token)}},
	}
	switch {
	case failed.passing:
		failed.err.Code, failed.err.Hint = winnow.Unavailable, "run it again later"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		failed.err.Hint = "a valid key in CHROMA_API_KEY, or in the variable that chroma.key_env names"
	case status == http.StatusNotFound:
		failed.err.Code, failed.err.Hint = winnow.NotFound, "winnow ls "+c.address.Root().String()+" lists what there is"
	case status == http.StatusRequestEntityTooLarge:
		failed.err.Code, failed.err.Hint = winnow.TooMuch, "a larger request body limit on the server"
	case strings.Contains(strings.ToLower(words), "quota"):
		failed.err.Code, failed.err.Hint = winnow.TooMuch, "a larger quota of Chroma Cloud"
	default:
		failed.err.Hint = "see what the server says"
	}
	return failed
}
