// Package serve is Winnow over HTTP: questions with live events, searches,
// collections, recorded runs, MCP, and the page on which people watch.
//
// All of it goes through one desk (package desk), and everything that guards it
// stands in one place (guard.go), in front of every route: no handler has to
// think of who asks. The routes are a table (routes.go) from which the mux and
// the OpenAPI description are made, so that neither can say what the other does
// not. What was traded away is any freedom in between: every reply is a document
// of package wire, a problem, or a stream of them.
package serve

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/serve/desk"
)

// Options of a server. Desk is needed; the zero of every other field is a good
// choice.
type Options struct {
	Desk *desk.Desk
	// Addr is what the server listens on; "" means 127.0.0.1:7700. Beyond
	// loopback a token is needed.
	Addr string
	// Token lets in; "" lets everybody in who can reach loopback.
	Token string
	// Hosts are further names that the server may be called by, as a proxy in
	// front of it does.
	Hosts []string
	// Page are the files of the web page; nil serves none.
	Page fs.FS
	// MCP answers under /mcp; nil serves none.
	MCP http.Handler
	// Version is told to whoever asks.
	Version string
	// Failed is told of errors that are nobody's request's fault. It may be nil.
	Failed func(route string, err error)
	// MaxBody bounds a request's body, and MaxDocuments one that brings
	// documents; 0 means 1 MiB and 64 MiB.
	MaxBody, MaxDocuments int64
}

// Server answers HTTP.
type Server struct {
	options  Options
	desk     *desk.Desk
	guard    *guard
	archive  *archive
	meter    *meter
	searches chan struct{} // one for each search under way
	http     *http.Server

	description []byte // in OpenAPI
}

// DefaultAddr is what a server listens on if nothing else is said.
const DefaultAddr = "127.0.0.1:7700"

// searchesAtOnce bounds searches that are no runs. They take milliseconds, and
// more of them at once only take longer each.
const searchesAtOnce = 16

// New returns a server, or says why it would not be safe to start.
func New(o Options) (*Server, error) {
	o.Addr = cmp.Or(o.Addr, DefaultAddr)
	o.MaxBody = cmp.Or(max(0, o.MaxBody), 1<<20)
	o.MaxDocuments = cmp.Or(max(0, o.MaxDocuments), 64<<20)
	g, err := newGuard(o.Addr, o.Token, o.Hosts)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, desk: o.Desk, guard: g, meter: newMeter(), searches: make(chan struct{}, searchesAtOnce)}
	s.archive = &archive{folder: o.Desk.Runs()}
	handler, err := s.handler()
	if err != nil {
		return nil, err
	}
	s.http = &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10}
	return s, nil
}

// Handler is the server without its listener.
func (s *Server) Handler() http.Handler { return s.http.Handler }

// Listen takes the address.
func (s *Server) Listen(ctx context.Context) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.options.Addr)
	if err != nil {
		return nil, &winnow.Error{Code: winnow.Unavailable, Message: "the address " + s.options.Addr + " can't be listened on", Hint: "--addr with another port", Err: err}
	}
	return l, nil
}

// drainTime is how long requests under way may take to end when the server
// stops. Runs end at once with their best ranking; the rest is slow readers.
const drainTime = 15 * time.Second

// Serve answers until ctx ends, and then drains: runs in flight end with their
// best ranking, and who listens gets it.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.desk.Drain()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	err := s.http.Shutdown(late)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	if e := <-failed; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// LoginLink is an address that lets a browser in, once.
func (s *Server) LoginLink(addr string) string { return s.guard.link("http://" + addr) }
