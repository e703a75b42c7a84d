package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

var update = flag.Bool("update", false, "write the golden requests anew")

const (
	secret = "sk-ant-very-secret"
	none   = `{"type":"text","text":"<None/>"}`
)

func ask(t *testing.T, o Options) *Policy {
	t.Helper()
	o.Key = secret
	if o.Model == "" {
		o.Model = "claude"
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func view() *winnow.View {
	turn := func(a winnow.Action, texts ...string) winnow.Turn {
		t := winnow.Turn{Action: a}
		for i, text := range texts {
			t.Results = append(t.Results, winnow.Result{Call: i, Tool: "search_corpus", Parts: []winnow.Part{{Text: text}}})
		}
		return t
	}
	v := &winnow.View{Prompt: "Find: who?", Date: "2026-01-05", Turn: 4, Note: "Prune or conclude.", Budget: winnow.Budget{Tokens: 32768, Reserve: 4096},
		Tools: []winnow.Tool{
			{Name: "search_corpus", Description: "Search.", Parameters: []winnow.Parameter{{Name: "query", Type: winnow.TypeString}}},
			{Name: "list_corpus", Description: "List."}},
		Turns: []winnow.Turn{
			turn(winnow.Action{Reasoning: "first thought", Signature: `[{"bytes":6,"signature":"s1"},{"data":"hidden"},{"bytes":7,"signature":"s2"}]`, Text: "I search.",
				Calls: []winnow.Call{{ID: "a1", Tool: "search_corpus", Arguments: `{"query": "x"}`}, {ID: "a2", Tool: "search_corpus", Arguments: `{"query": "y`}}}, "one", "Error: not JSON."),
			turn(winnow.Action{Reasoning: "not whole", Signature: `[{"bytes":20,"signature":"s3"}]`, Calls: []winnow.Call{{ID: "b1", Tool: "list_corpus"}}}, "folders"),
			turn(winnow.Action{Reasoning: "last", Signature: `[{"bytes":4,"signature":"s4"}]`, Calls: []winnow.Call{{ID: "c1", Tool: "list_corpus", Arguments: "{}"}}}, "folders again"),
		}}
	v.Turns[0].Results[1].Code = winnow.BadInput
	return v
}

func TestRequestsAreThoseOfTheGoldenFiles(t *testing.T) {
	cold := 0.2
	for _, c := range []struct {
		name   string
		o      Options
		change func(*winnow.View)
	}{
		{"first", Options{Temperature: &cold}, func(v *winnow.View) { v.Turns, v.Note, v.Date = nil, "", "" }},
		{"turns", Options{Thinking: 2048, Temperature: &cold}, nil},
		{"adaptive", Options{Thinking: Adaptive}, func(v *winnow.View) { v.Turns = nil }},
		{"thoughts lost", Options{Thinking: 2048}, func(v *winnow.View) { v.Turns = v.Turns[:2] }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, url := serve(t, answer{blocks: []string{none}})
			c.o.BaseURL = url
			v := view()
			if c.change != nil {
				c.change(v)
			}
			if _, err := ask(t, c.o).Next(t.Context(), v); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := json.Indent(&got, s.requests[0], "", "  "); err != nil {
				t.Fatal(err)
			}
			got.WriteByte('\n')
			file := filepath.Join("testdata", strings.ReplaceAll(c.name, " ", "_")+".json")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("the request is\n%s", got.Bytes())
			}
		})
	}
}

func TestAReplyBecomesAnActionAndGoesBackAsItCame(t *testing.T) {
	s, url := serve(t, answer{stop: "tool_use", blocks: []string{
		`{"type":"thinking","thinking":"grüße","signature":"s1"}`, `{"type":"redacted_thinking","data":"xyz"}`, `{"type":"text","text":"Two at once."}`,
		`{"type":"tool_use","id":"t1","name":"search_corpus","input":{"query":"a"}}`, `{"type":"tool_use","id":"t2","name":"list_corpus","input":{}}`}},
		answer{blocks: []string{none}})
	p := ask(t, Options{BaseURL: url, Thinking: 1024, Price: endpoint.Price{Prompt: 3, Completion: 15}})
	v := view()
	v.Turns = nil
	a, err := p.Next(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	u := a.Usage
	if u.Prompt != 910 || u.Cached != 800 || u.Completion != 50 || u.CostUSD == nil || math.Abs(*u.CostUSD-(10*3+800*0.3+100*3.75+50*15)/1e6) > 1e-12 {
		t.Errorf("usage %+v", u)
	}
	a.Usage = winnow.Usage{}
	want := winnow.Action{Reasoning: "grüße", Signature: `[{"bytes":7,"signature":"s1"},{"data":"xyz"}]`, Text: "Two at once.", Calls: []winnow.Call{
		{ID: "t1", Tool: "search_corpus", Arguments: `{"query":"a"}`}, {ID: "t2", Tool: "list_corpus", Arguments: `{}`}}}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("got  %+v\nwant %+v", a, want)
	}
	v.Turns = []winnow.Turn{{Action: a}} // results that are missing are made up for
	if _, err := p.Next(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"thinking":"grüße"`, `"signature":"s1"`, `"data":"xyz"`, `"budget_tokens":1024`, "Not run."} {
		if !strings.Contains(string(s.requests[1]), part) {
			t.Errorf("%s is not in %s", part, s.requests[1])
		}
	}
}

func TestAReplyWithoutCallOrAnswerIsAskedForAgain(t *testing.T) {
	s, url := serve(t, answer{blocks: []string{`{"type":"text","text":"Hm."}`}}, answer{blocks: []string{none}})
	a, err := ask(t, Options{BaseURL: url}).Next(t.Context(), view())
	if err != nil || a.Answer == nil || len(a.Answer.Selected) != 0 || len(s.requests) != 2 || !strings.Contains(string(s.requests[1]), "neither a tool call") {
		t.Errorf("%+v, %v after %d requests", a, err, len(s.requests))
	}
}

func TestEveryFailureIsASentenceWithAHint(t *testing.T) {
	refused := func(status int, message string) answer {
		return answer{status: status, body: `{"type":"error","error":{"type":"x","message":"` + message + `"}}`}
	}
	for _, c := range []struct {
		name          string
		answer        answer
		code          winnow.Code
		message, hint string
		requests      int
	}{
		{"wrong key", refused(401, "invalid x-api-key "+secret), winnow.BadInput, "does not accept the key", "a key", 1},
		{"unknown model", refused(404, "model: claude"), winnow.NotFound, `has no model "claude"`, "claude-a, claude-b", 1},
		{"too long", refused(400, "prompt is too long: 210000 tokens"), winnow.TooMuch, "too small for a budget of 32768", "--budget", 1},
		{"no credit", refused(400, "Your credit balance is too low"), winnow.BadInput, "no credit", "another model", 1},
		{"overloaded", refused(529, "Overloaded"), winnow.Unavailable, "overloaded (529)", "wait", 4},
		{"a page", answer{status: 200, body: "<html>", kind: "text/html"}, winnow.BadInput, "does not speak the Messages API", "https://api.anthropic.com", 1},
		{"a page that refuses", answer{status: 405, body: "<html>no</html>", kind: "text/html"}, winnow.BadInput, "refused the request (405)", "options", 1},
		{"redirected", answer{status: 307}, winnow.BadInput, "redirects elsewhere", "the address", 1},
		{"cut", answer{blocks: []string{none}, cut: true}, winnow.Unavailable, "broke off", "again", 2},
		{"overloaded in the stream", answer{status: 200, kind: "text/event-stream", body: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"}, winnow.Unavailable, "broke off", "again", 2},
		{"silent", answer{stall: true}, winnow.Unavailable, "silent for 50ms", "timeout", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, url := serve(t, c.answer)
			o := Options{BaseURL: url}
			if c.answer.stall {
				o.Timeout = 50 * time.Millisecond
			}
			_, err := ask(t, o).Next(t.Context(), view())
			var e *winnow.Error
			if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Error(), c.message) || !strings.Contains(e.Hint, c.hint) {
				t.Fatalf("got %v, %+v", err, e)
			}
			if strings.Contains(e.Error()+e.Hint, secret) || strings.ContainsAny(e.Error(), "<\n") {
				t.Errorf("it says %q", e.Error())
			}
			if len(s.requests) != c.requests {
				t.Errorf("%d requests, want %d", len(s.requests), c.requests)
			}
		})
	}
}

func TestNoServerAtTheAddress(t *testing.T) {
	h := httptest.NewServer(http.NotFoundHandler())
	h.Close()
	_, err := ask(t, Options{BaseURL: h.URL, Attempts: 1}).Next(t.Context(), view())
	var e *winnow.Error
	if !errors.As(err, &e) || e.Code != winnow.Unavailable || !strings.Contains(e.Message, "no server answers at "+h.URL) {
		t.Errorf("got %v", err)
	}
}

func TestACancelledRunIsNotAFailureOfTheServer(t *testing.T) {
	_, url := serve(t, answer{blocks: []string{none}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ask(t, Options{BaseURL: url}).Next(ctx, view()); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

func TestNothingIsTakenFromTheEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "env-key")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "env-token")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Env: env-header")
	s, url := serve(t, answer{blocks: []string{none}})
	if _, err := ask(t, Options{BaseURL: url}).Next(t.Context(), view()); err != nil {
		t.Fatal(err)
	}
	for name, values := range s.headers[0] {
		if strings.Contains(strings.Join(values, " "), "env-") {
			t.Errorf("%s: %s", name, values)
		}
	}
	if got := s.headers[0].Get("X-Api-Key"); got != secret {
		t.Errorf("the key sent is %q", got)
	}
}

func TestOptionsThatCannotWorkAreRefused(t *testing.T) {
	for _, o := range []Options{{}, {Model: "m"}, {Model: "m", Key: "k", Thinking: 5}, {Model: "m", Key: "k", BaseURL: "localhost:1"}} {
		if _, err := New(o); winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func FuzzThoughts(f *testing.F) {
	f.Add("reason", `[{"bytes":6,"signature":"s"}]`)
	f.Add("", `[{"data":"x"},{"bytes":-1}]`)
	f.Add("a", `{}`)
	f.Fuzz(func(t *testing.T, reasoning, signature string) {
		a := winnow.Action{Reasoning: reasoning, Signature: signature}
		var whole string
		for _, b := range thoughts(&a) {
			if b.Thinking != nil {
				whole += *b.Thinking
			}
		}
		if whole != "" && whole != reasoning {
			t.Errorf("%q became %q", reasoning, whole)
		}
	})
}
