package serve

import (
	"fmt"
	"net/http"
	"path"
	"reflect"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/wire"
)

// route is one thing that can be asked of the server.
type route struct {
	method, path string
	summary      string
	handle       func(http.ResponseWriter, *http.Request) error
	request      reflect.Type // of the body; nil without one
	reply        reflect.Type // of the document; nil where it is no JSON
	status       int          // of success; 0 means 200
	// stream names the events where the reply can be, or is, a stream.
	stream string
	// parameters of the query, with what they mean.
	parameters map[string]string
	open       bool // needs no token
}

func of[T any]() reflect.Type { return reflect.TypeFor[T]() }

func (s *Server) routes() []route {
	const events = "The run's events by name (start, action, prune, restore, elide, observation, end), then exactly one of result and error. Comments say the position in the queue and keep the line open."
	return []route{
		{method: "POST", path: "/search", summary: "Ask in Chroma's contract for search agents", handle: s.search, request: of[wire.SearchRequest](),
			stream: "Lines of {type, data}: action, observation and usage as they come, then result and done, or error."},
		{method: "POST", path: "/v1/ask", summary: "Let a policy look for the documents that answer a question", handle: s.ask, request: of[wire.AskRequest](), reply: of[wire.Ask](), stream: events},
		{method: "POST", path: "/v1/query", summary: "Search once", handle: s.query, request: of[wire.QueryRequest](), reply: of[wire.Query]()},
		{method: "POST", path: "/v1/grep", summary: "Find the lines that match a regular expression", handle: s.grep, request: of[wire.GrepRequest](), reply: of[wire.Grep]()},
		{method: "POST", path: "/v1/read", summary: "Read a document or a part of one", handle: s.read, request: of[wire.ReadRequest](), reply: of[wire.Read]()},
		{method: "GET", path: "/v1/collections", summary: "List the collections with size and health", handle: s.listCollections, reply: of[wire.Collections]()},
		{method: "POST", path: "/v1/collections", summary: "Make an empty collection", handle: s.createCollection, request: of[wire.CollectionRequest](), reply: of[wire.Collection](), status: http.StatusCreated},
		{method: "GET", path: "/v1/collections/{name}", summary: "Describe a collection", handle: s.showCollection, reply: of[wire.Collection]()},
		{method: "DELETE", path: "/v1/collections/{name}", summary: "Remove a collection", handle: s.deleteCollection, status: http.StatusNoContent},
		{method: "POST", path: "/v1/collections/{name}/documents", summary: "Add, replace and remove documents by content", handle: s.writeDocuments, request: of[wire.DocumentsRequest](), reply: of[wire.Written]()},
		{method: "GET", path: "/v1/runs", summary: "List recorded runs, newest first", handle: s.listRuns, reply: of[wire.Runs](),
			stream:     "The newest runs, oldest of them first, and then each that begins or ends in any process: events named run.",
			parameters: map[string]string{"limit": "how many, 50 if left out", "before": "the id to continue before"}},
		{method: "GET", path: "/v1/runs/{id}", summary: "Fetch a recorded run; last is the newest", handle: s.showRun, reply: of[wire.Record](), stream: events},
		{method: "GET", path: "/v1/runs/{id}/page", summary: "Fetch a recorded run as one page to share", handle: s.exportRun,
			parameters: map[string]string{"text": "no leaves out what the documents say"}},
		{method: "GET", path: "/v1/server", summary: "Say which policies there are and how busy the server is", handle: s.about, reply: of[wire.Server]()},
		{method: "POST", path: "/v1/login-link", summary: "Make a link that logs a browser in once", handle: s.loginLink, reply: of[wire.LoginLink]()},
		{method: "GET", path: "/login", summary: "Log a browser in", handle: s.login, status: http.StatusSeeOther, parameters: map[string]string{"code": "of the one-time link"}, open: true},
		{method: "GET", path: "/healthz", summary: "Say that the server is there", handle: s.health, reply: of[wire.Health](), open: true},
		{method: "GET", path: "/readyz", summary: "Say whether all folders are indexed", handle: s.ready, reply: of[wire.Health](), open: true},
		{method: "GET", path: "/metrics", summary: "Figures in Prometheus's text format", handle: s.metrics},
		{method: "GET", path: "/openapi.json", summary: "This description", handle: s.openAPI, reply: of[map[string]any](), open: true},
	}
}

// handler is the routes behind the guard.
func (s *Server) handler() (http.Handler, error) {
	mux := http.NewServeMux()
	routes := s.routes()
	description, err := describe(routes, s.options.Version)
	if err != nil {
		return nil, err
	}
	s.description = description
	methods := map[string][]string{}
	for _, rt := range routes {
		mux.Handle(rt.method+" "+rt.path, s.guarded(rt.method+" "+rt.path, rt.open, rt.handle))
		methods[rt.path] = append(methods[rt.path], rt.method)
	}
	for at, allowed := range methods {
		allow := strings.Join(allowed, ", ")
		mux.Handle(at, s.guarded(at, true, func(w http.ResponseWriter, r *http.Request) error {
			w.Header().Set("Allow", allow)
			return fault(http.StatusMethodNotAllowed, methodNotAllowed, allow, fmt.Sprintf("%s can't be asked of %s", r.Method, r.URL.Path))
		}))
	}
	if s.options.MCP != nil {
		mux.Handle("/mcp", s.guarded("/mcp", false, func(w http.ResponseWriter, r *http.Request) error {
			s.options.MCP.ServeHTTP(w, r)
			return nil
		}))
	}
	page := s.guarded("/", true, s.page)
	mux.Handle("/", page)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at := r.URL.EscapedPath(); path.Clean(at) != at { // which the mux would send elsewhere
			page.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}), nil
}

// guarded puts a handler behind the guard, counts what it does, and keeps a
// panic in it from reaching anything else.
func (s *Server) guarded(name string, open bool, handle func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		answer := &answer{ResponseWriter: w}
		headers(answer.Header())
		defer func() {
			if reason := recover(); reason != nil {
				if s.options.Failed != nil {
					s.options.Failed(name, fmt.Errorf("panic: %v", reason))
				}
				if answer.status == 0 {
					s.fail(answer, r, fault(http.StatusInternalServerError, internal, "the server's log", "something failed that should not have"))
				}
			}
			s.meter.count(name, answer.status, time.Since(began))
		}()
		err := s.guard.check(r, open)
		if err == nil {
			err = handle(answer, r)
		}
		if err != nil && answer.status == 0 {
			s.fail(answer, r, err)
		}
	})
}

// answer is a reply that knows its status.
type answer struct {
	http.ResponseWriter
	status int
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.ResponseWriter.Write(b)
}

// Unwrap lets a response controller reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush is for libraries that look for it.
func (a *answer) Flush() { http.NewResponseController(a.ResponseWriter).Flush() }

func (s *Server) about(w http.ResponseWriter, _ *http.Request) error {
	stats := s.desk.Stats()
	reply(w, http.StatusOK, wire.Server{Version: s.options.Version, Policy: s.desk.Policy(), Policies: s.desk.Policies(), Running: stats.Running, Queued: stats.Queued})
	return nil
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	reply(w, http.StatusOK, wire.Health{Status: "ok"})
	return nil
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if !s.desk.Ready() {
		return &winnow.Error{Code: winnow.Unavailable, Message: "folders are still being indexed, or the server is stopping", Hint: "ask again in a moment"}
	}
	reply(w, http.StatusOK, wire.Health{Status: "ready"})
	return nil
}
