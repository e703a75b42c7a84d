package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/policy/query"
	"github.com/winnow-search/winnow/policy/scripted"
	"github.com/winnow-search/winnow/runs"
	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/serve/mcp"
	"github.com/winnow-search/winnow/token"
)

// own is a searcher over a policy in code.
type own func() winnow.Policy

func (f own) Options(o *open.Opened) (agent.Options, error) {
	return agent.Options{Policy: f(), Corpus: o.Corpus, Collections: o.Collections}, nil
}

var notes = map[string]string{
	"bees.md":      "# Bees\n\nThe hive on the roof was built by Ada Novak in 2019.\n",
	"novak.md":     "# Ada Novak\n\nAda Novak was born in Brno and keeps bees.\n",
	"long/hive.md": "# The hive book\n\n" + strings.Repeat("A hive is a house for bees, and \"bees\" live in it.\n", 400),
}

func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "notes")
	for name, text := range notes {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func opened(t *testing.T, by own) *desk.Desk {
	t.Helper()
	t.Setenv("WINNOW_HOME", t.TempDir())
	home, dir := open.NewHome(os.Getenv("WINNOW_HOME")), folder(t)
	config, err := open.LoadConfig(dir, map[string]string{"embedder": "static"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := desk.New(desk.Options{Home: home, Config: config, Dir: dir, Runs: runs.In(home.Dir()), Own: by})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	for !d.Ready() {
		runtime.Gosched()
	}
	return d
}

func once() own { return func() winnow.Policy { return query.Policy{} } }

// connect returns a client's session, and what it was told of progress.
func connect(t *testing.T, to sdk.Transport) (*sdk.ClientSession, func() []string) {
	t.Helper()
	var mu sync.Mutex
	var told []string
	last := map[any]float64{}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			of := r.Params.ProgressToken
			if r.Params.Progress <= last[of] {
				t.Errorf("progress goes from %v to %v", last[of], r.Params.Progress)
			}
			last[of], told = r.Params.Progress, append(told, r.Params.Message)
		},
	})
	session, err := client.Connect(t.Context(), to, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(told)
	}
}

// inMemory connects a client to a desk.
func inMemory(t *testing.T, d *desk.Desk) (*sdk.ClientSession, func() []string) {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	session, err := mcp.New(mcp.Options{Desk: d, Version: "1"}).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return connect(t, here)
}

func call(t *testing.T, s *sdk.ClientSession, tool string, arguments map[string]any) (*sdk.CallToolResult, string) {
	t.Helper()
	p := &sdk.CallToolParams{Name: tool, Arguments: arguments}
	p.SetProgressToken(fmt.Sprint(tool, arguments))
	r, err := s.CallTool(t.Context(), p)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if len(r.Content) != 1 {
		t.Fatalf("%s answers in %d parts", tool, len(r.Content))
	}
	return r, r.Content[0].(*sdk.TextContent).Text
}

// passages are what an answer holds as structure.
type answer struct {
	Passages []struct {
		Document, Path, Text string
		Lines                [2]int
	}
	Selected bool
	CutShort string `json:"cut_short"`
	Also     []string
	Warnings []string
	Run      string
}

func structured[T any](t *testing.T, r *sdk.CallToolResult) (v T) {
	t.Helper()
	data, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEveryToolSaysWhatItTakesAndGives(t *testing.T) {
	s, _ := inMemory(t, opened(t, once()))
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		in, _ := json.Marshal(tool.InputSchema)
		out, _ := json.Marshal(tool.OutputSchema)
		if !strings.Contains(string(in), `"additionalProperties":false`) || string(out) == "null" || tool.Description == "" || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s takes %s and gives %s", tool.Name, in, out)
		}
		if strings.Contains(string(in)+string(out), "null") {
			t.Errorf("%s has an alternative to null: %s %s", tool.Name, in, out)
		}
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "ask grep list_collections query read" {
		t.Errorf("the tools are %q", got)
	}
	if s.InitializeResult().Instructions == "" {
		t.Error("there are no instructions")
	}
}

func TestAnAnswerSaysTheSameTwice(t *testing.T) {
	s, told := inMemory(t, opened(t, once()))
	for tool, arguments := range map[string]map[string]any{
		"ask":   {"question": "where was the builder of the hive born"},
		"query": {"query": "where was the builder of the hive born", "k": 3},
	} {
		r, text := call(t, s, tool, arguments)
		a := structured[answer](t, r)
		if len(a.Passages) < 2 {
			t.Fatalf("%s finds %+v", tool, a)
		}
		for _, p := range a.Passages {
			place := fmt.Sprintf("%s:%d-%d", p.Path, p.Lines[0], p.Lines[1])
			if !strings.Contains(text, place) || !strings.Contains(text, strings.TrimSpace(p.Text)) {
				t.Errorf("%s: %s is not whole in the text", tool, place)
			}
		}
		if n := token.Count(text); n > 8000 {
			t.Errorf("%s answers with %d tokens", tool, n)
		}
	}
	if !hears(told, 2) {
		t.Errorf("progress was told as %q", told())
	}
}

func TestAnswersFitTheirLimit(t *testing.T) {
	s, _ := inMemory(t, opened(t, once()))
	for _, most := range []int{40, 100, 300, 1000} {
		for tool, arguments := range map[string]map[string]any{
			"ask": {"question": "hive"}, "query": {"query": "hive house bees"}, "grep": {"pattern": "hive"}, "read": {"document": "long/hive.md"},
		} {
			arguments["max_tokens"] = most
			r, text := call(t, s, tool, arguments)
			data, _ := json.Marshal(r.StructuredContent)
			// What stands around the passages is bounded too: warnings, names,
			// the run.
			if n := max(token.Count(text), token.Count(string(data))); n > most+250 {
				t.Errorf("%s with %d tokens answers with %d: %s", tool, most, n, text)
			}
			if r.IsError || !strings.Contains(text, "max_tokens") {
				t.Errorf("%s with %d tokens does not say that it was cut: %s", tool, most, text)
			}
		}
	}
}

func TestAnAskIsBackByItsDeadline(t *testing.T) {
	s, _ := inMemory(t, opened(t, func() winnow.Policy {
		return scripted.Func(func(ctx context.Context, v *winnow.View) (winnow.Action, error) {
			if v.Turn == 1 {
				return scripted.Calls(scripted.Search("hive")), nil
			}
			<-ctx.Done()
			return winnow.Action{}, ctx.Err()
		})
	}))
	r, text := call(t, s, "ask", map[string]any{"question": "hive", "deadline_s": 0.3})
	a := structured[answer](t, r)
	if a.CutShort != "deadline" || len(a.Passages) == 0 || !strings.Contains(text, "cut short (deadline)") {
		t.Errorf("it is back with %+v: %s", a, text)
	}
}

func TestErrorsHaveACodeAndAHint(t *testing.T) {
	s, _ := inMemory(t, opened(t, once()))
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		code      string
	}{
		{"ask", map[string]any{"question": " "}, "bad_input"},
		{"ask", map[string]any{"question": "a", "depth": 3}, "bad_input"},
		{"ask", map[string]any{}, "bad_input"},
		{"ask", map[string]any{"question": 3}, "bad_input"},
		{"ask", map[string]any{"question": "a", "deadline_s": -1}, "bad_input"},
		{"ask", map[string]any{"question": "a", "policy": "chat"}, "bad_input"},
		{"query", map[string]any{"query": "a", "max_tokens": -1}, "bad_input"},
		{"query", map[string]any{"query": "a", "k": -1}, "bad_input"},
		{"query", map[string]any{"query": "a", "collections": []string{"/etc"}}, "not_found"},
		{"query", map[string]any{"query": "a", "where": map[string]any{"$nor": 1}}, "bad_filter"},
		{"grep", map[string]any{"pattern": "("}, "bad_pattern"},
		{"read", map[string]any{"document": "/etc/passwd"}, "not_found"},
		{"read", map[string]any{"document": "../../etc/passwd"}, "not_found"},
		{"list_collections", map[string]any{"all": true}, "bad_input"},
	} {
		r, text := call(t, s, c.tool, c.arguments)
		if !r.IsError || !strings.HasPrefix(text, c.code+": ") || !strings.Contains(text, "(try: ") {
			t.Errorf("%s %v: %v %s", c.tool, c.arguments, r.IsError, text)
		}
	}
}

func TestWhatOneToolNamesAnotherReads(t *testing.T) {
	s, _ := inMemory(t, opened(t, once()))
	r, _ := call(t, s, "query", map[string]any{"query": "born in Brno", "k": 1})
	p := structured[answer](t, r).Passages[0]
	for _, name := range []string{p.Document, p.Path, p.Path + ":3"} {
		if _, text := call(t, s, "read", map[string]any{"document": name}); !strings.Contains(text, "born in Brno") {
			t.Errorf("%s reads %s", name, text)
		}
	}
	if _, text := call(t, s, "list_collections", map[string]any{}); !strings.Contains(text, "3 documents") || !strings.Contains(text, "searched by default") {
		t.Errorf("the list is %s", text)
	}
}

// hears waits for so many notices: the client hands them on beside the reply, in
// its own time.
func hears(told func() []string, n int) bool {
	for late := time.Now().Add(5 * time.Second); len(told()) < n && time.Now().Before(late); {
		runtime.Gosched()
	}
	return len(told()) >= n
}

func TestTheSameToolsAnswerOverHTTP(t *testing.T) {
	d := opened(t, once())
	s, err := serve.New(serve.Options{Desk: d, MCP: mcp.Handler(mcp.New(mcp.Options{Desk: d}))})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	session, told := connect(t, &sdk.StreamableClientTransport{Endpoint: server.URL + "/mcp"})
	r, text := call(t, session, "ask", map[string]any{"question": "where was the builder of the hive born"})
	if r.IsError || !strings.Contains(text, "born in Brno") || !hears(told, 2) {
		t.Errorf("over HTTP the answer is %s, with %q", text, told())
	}
}
