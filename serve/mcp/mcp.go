// Package mcp lets assistants search through the Model Context Protocol, over
// stdio or HTTP.
//
// The tools answer with passages, not with documents of the other interfaces: an
// assistant pays for every token it reads, and clients refuse results that are
// too large. So every answer is bounded, has only what helps to cite and to read
// on, and says the same twice, as structure and as text, because some clients
// pass on only one of the two.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/serve/desk"
)

// Options of a server. Desk is needed.
type Options struct {
	Desk    *desk.Desk
	Version string
	// Log is told of calls that fail for no fault of theirs; nil logs nothing.
	Log *slog.Logger
}

// The limits of an answer where a call names no others.
const (
	// defaultTokens is what the strictest clients take without a warning.
	defaultTokens = 8000
	// defaultDeadline is shorter than the minute after which most clients give
	// up: a ranking that is not the best beats none.
	defaultDeadline = 45 * time.Second
	maxTokens       = 100_000
)

const instructions = `Winnow searches collections of documents: folders that are kept indexed, and named collections.
- ask: for a question whose answer may be spread over several documents. An agent searches, follows links, reads and prunes, and returns the passages that support an answer, with the reason for each. It does not write the answer: you do, from the passages.
- query: one search by words and meaning, in milliseconds. For a lookup, or to get a first impression.
- grep: the lines that match a regular expression. For exact names, error texts, numbers.
- read: a document or a part of it, by an id or path that another tool returned, or path:line.
- list_collections: what can be searched, when you are not sure.
Leave collections out to search the default ones. Cite path and lines.`

// New returns a server with all tools.
func New(o Options) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "winnow", Title: "Winnow", Version: o.Version}, &sdk.ServerOptions{
		Instructions: instructions, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	t := &tools{desk: o.Desk, log: o.Log}
	add(s, t, "ask", "Find the passages that answer a question", "Let a search agent look for the documents that answer a question. It searches several times, follows links between documents, reads and discards, and returns supporting passages, best first, with the reason for each. Use it for questions that one search can't answer. Returns passages, not an answer.", t.ask)
	add(s, t, "query", "Search once", "Search once by words and meaning and return the best passages. Fast. Use it for lookups; use ask for questions that need several searches.", t.query)
	add(s, t, "grep", "Find matching lines", "Find the lines that match a regular expression (RE2 syntax) in the indexed documents. Use it for exact names, identifiers, error messages, numbers.", t.grep)
	add(s, t, "read", "Read a document", "Read a document or a part of it. Takes the id of a document or chunk, a path, or path:line, as the other tools return them.", t.read)
	add(s, t, "list_collections", "List the collections", "List the collections that can be searched, each with a description, its size, and whether it is searched by default.", t.listCollections)
	s.AddReceivingMiddleware(explain)
	return s
}

// Handler serves a server over streamable HTTP. Who may ask, is for whoever
// mounts it to check.
//
// There are no sessions: nothing is kept between calls, so that a client goes on
// when the server was restarted, and several servers can stand behind one
// address. What was traded away is cancelling a call by a message of its own,
// which clients of older protocols do: such a call ends at its deadline.
func Handler(s *sdk.Server) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: 1 << 20, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the guard in front knows all names of the server
	})
}

// tools are the handlers.
type tools struct {
	desk *desk.Desk
	log  *slog.Logger
}

// add registers a tool. Whatever a handler fails with becomes text that an
// assistant can act on, and a panic in one call ends only that call.
func add[In, Out any](s *sdk.Server, t *tools, name, title, description string, handle func(context.Context, *sdk.CallToolRequest, *In) (string, *Out, error)) {
	closed := false
	tool := &sdk.Tool{Name: name, Title: title, Description: description, InputSchema: schema[In](), OutputSchema: schema[Out](), Annotations: &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, OpenWorldHint: &closed}}
	sdk.AddTool(s, tool, func(ctx context.Context, r *sdk.CallToolRequest, in In) (result *sdk.CallToolResult, out *Out, err error) {
		defer func() {
			if reason := recover(); reason != nil {
				t.failed(name, fmt.Errorf("panic: %v", reason))
				err = errors.New("internal: the call failed for a reason of its own (try: the server's log)")
			}
		}()
		text, out, err := handle(ctx, r, &in)
		if err != nil {
			return nil, nil, t.spoken(name, err)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, out, nil
	})
}

// schema is the schema of T without nulls: nothing here is ever null, and some
// clients take no type with an alternative.
func schema[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // T is one of this package's types
	}
	withoutNull(s)
	return s
}

func withoutNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		withoutNull(p)
	}
	if s.Items != nil {
		withoutNull(s.Items)
	}
}

func (t *tools) failed(tool string, err error) {
	if t.log != nil {
		t.log.Error("a call failed", "tool", tool, "error", err)
	}
}

// spoken is an error with its code and hint in the text, which is all of it that
// clients pass on.
func (t *tools) spoken(tool string, err error) error {
	var e *winnow.Error
	switch {
	case errors.As(err, &e) && e.Hint != "":
		return fmt.Errorf("%s: %s (try: %s)", e.Code, e.Message, e.Hint)
	case errors.As(err, &e):
		return fmt.Errorf("%s: %s", e.Code, e.Message)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: there was no answer in time (try: a larger deadline_s, or query)", winnow.TooMuch)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: the call was cancelled", winnow.Unavailable)
	}
	t.failed(tool, err)
	return errors.New("internal: something failed that should not have (try: the server's log)")
}

// explain gives arguments that do not fit the schema a code and a hint too.
func explain(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, r)
		call, ok := result.(*sdk.CallToolResult)
		if err != nil || !ok || !call.IsError || len(call.Content) != 1 {
			return result, err
		}
		text, ok := call.Content[0].(*sdk.TextContent)
		if !ok {
			return result, err
		}
		if reason, found := strings.CutPrefix(text.Text, `validating "arguments": `); found {
			text.Text = fmt.Sprintf("%s: the arguments do not fit: %s (try: only the parameters in the tool's schema)", winnow.BadInput, reason)
		}
		return result, err
	}
}
