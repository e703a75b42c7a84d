package chat

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/policytest"
)

const secret = "sk-very-secret"

func TestEveryFailureIsASentenceWithAHint(t *testing.T) {
	status := func(code int, body string) *policytest.Server {
		return &policytest.Server{Script: []policytest.Reply{{Status: code, Body: body}}}
	}
	for _, c := range []struct {
		name     string
		server   *policytest.Server
		o        Options
		code     winnow.Code
		message  string
		hint     string
		requests int
	}{
		{"wrong key", &policytest.Server{Key: "other"}, Options{Key: secret}, winnow.BadInput, "does not accept the key", "a key that is valid", 0},
		{"no key", &policytest.Server{Key: "other"}, Options{}, winnow.BadInput, "wants a key", "OPENAI_API_KEY", 0},
		{"unknown model", &policytest.Server{Model: "qwen"}, Options{Model: "gpt"}, winnow.NotFound, `has no model "gpt"`, "qwen", 0},
		{"context too small", &policytest.Server{Context: 2048}, Options{}, winnow.TooMuch, "too small for a budget of 32768", "--max-model-len", 0},
		{"context too small, llama.cpp", status(400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it"}}`), Options{}, winnow.TooMuch, "too small", "--ctx-size", 1},
		{"no tools, Ollama", status(400, `{"error":{"message":"models.example/library/gemma:2b does not support tools","type":"api_error"}}`), Options{}, winnow.BadInput, "can't call tools", "--policy harmony", 1},
		{"no tools, vLLM", status(400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}`), Options{}, winnow.BadInput, "can't call tools", "--tool-call-parser", 1},
		{"no tools, llama.cpp", status(500, `{"error":{"message":"tools param requires --jinja flag"}}`), Options{}, winnow.BadInput, "can't call tools", "--jinja", 1},
		{"no credit", status(429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`), Options{}, winnow.BadInput, "no credit", "another model", 1},
		{"a page with 200", &policytest.Server{Script: []policytest.Reply{{Status: 200, Body: "<!doctype html><p>Welcome", Header: map[string]string{"Content-Type": "text/html"}}}}, Options{}, winnow.BadInput, "web page", "/v1", 1},
		{"a page with no type", &policytest.Server{Script: []policytest.Reply{{Status: 200, Body: "<html>", Header: map[string]string{"Content-Type": "application/json"}}}}, Options{}, winnow.BadInput, "web page", "/v1", 1},
		{"a page with 403", status(403, "<html>no</html>"), Options{Key: secret}, winnow.BadInput, "does not accept the key", "a key", 1},
		{"a page with 405", status(405, "<html>nginx</html>"), Options{}, winnow.BadInput, "web page", "/v1", 1},
		{"other JSON", &policytest.Server{Script: []policytest.Reply{{Status: 200, Body: `{"hello":"world"}`, Header: map[string]string{"Content-Type": "application/json"}}}}, Options{}, winnow.BadInput, "not that of a chat completion", "/v1", 1},
		{"redirected", &policytest.Server{Script: []policytest.Reply{{Status: 307, Header: map[string]string{"Location": "https://elsewhere.example/v1/chat/completions"}}}}, Options{}, winnow.BadInput, "redirects", "https://elsewhere.example/v1", 1},
		{"refused", status(400, `{"detail":"the moon is wrong"}`), Options{}, winnow.BadInput, "the moon is wrong", "options", 1},
		{"overloaded", status(429, `slow down`), Options{}, winnow.Unavailable, "is overloaded (429)", "wait", 4},
		{"broken", status(503, `<html>nginx</html>`), Options{Attempts: 2}, winnow.Unavailable, "trouble of its own (503)", "wait", 2},
		{"cut in the middle", &policytest.Server{Script: []policytest.Reply{{Text: answer, CutAfter: 3}}}, Options{}, winnow.Unavailable, "broke off", "again", 4},
		{"an error in the stream", &policytest.Server{Script: []policytest.Reply{{Status: 200, Body: "data: {\"error\":{\"message\":\"out of memory\"}}\n\n", Header: map[string]string{"Content-Type": "text/event-stream"}}}}, Options{}, winnow.Unavailable, "out of memory", "log", 4},
		{"silent", &policytest.Server{Script: []policytest.Reply{{Text: answer, Stall: true}}}, Options{Timeout: 50 * time.Millisecond}, winnow.Unavailable, "silent for 50ms", "timeout", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.BaseURL = serve(t, c.server)
			p, waits := ask(t, c.o)
			_, err := p.Next(t.Context(), view())
			var e *winnow.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if e.Code != c.code || !strings.Contains(e.Error(), c.message) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("code %s, %q, hint %q", e.Code, e.Error(), e.Hint)
			}
			if strings.Contains(e.Error()+e.Hint, secret) {
				t.Errorf("the key is in %q", e.Error())
			}
			if strings.ContainsAny(e.Error(), "\n<") {
				t.Errorf("not one sentence: %q", e.Error())
			}
			if n := len(c.server.Requests()); n != c.requests || len(*waits) != max(0, n-1) {
				t.Errorf("%d requests and %d waits, want %d requests", n, len(*waits), c.requests)
			}
		})
	}
}

func TestNoServerAtTheAddress(t *testing.T) {
	h := httptest.NewServer(http.NotFoundHandler())
	h.Close()
	p, waits := ask(t, Options{BaseURL: h.URL, Key: secret})
	_, err := p.Next(t.Context(), view())
	var e *winnow.Error
	if !errors.As(err, &e) || e.Code != winnow.Unavailable || !strings.Contains(e.Message, "no server answers at "+h.URL) || !strings.Contains(e.Hint, "--base-url") {
		t.Errorf("got %v", err)
	}
	if len(*waits) != 3 {
		t.Errorf("%d waits", len(*waits))
	}
	if err := p.Check(t.Context(), winnow.Budget{}); winnow.CodeOf(err) != winnow.Unavailable {
		t.Errorf("Check: %v", err)
	}
}

func TestWhatPassesIsTriedAgainAndTheServersWishIsKept(t *testing.T) {
	s := &policytest.Server{Script: []policytest.Reply{
		{Status: 429, Header: map[string]string{"Retry-After": "7"}}, {Text: answer, CutAfter: 2}, {Text: answer}}}
	p, waits := ask(t, Options{BaseURL: serve(t, s)})
	a, err := p.Next(t.Context(), view())
	if err != nil || a.Answer == nil {
		t.Fatal(a, err)
	}
	if w := *waits; len(w) != 2 || w[0] < 7*time.Second || w[0] > 8*time.Second || w[1] > 2*time.Second {
		t.Errorf("waited %v", w)
	}
}

func TestAServerThatAsksForAnHourIsNotWaitedFor(t *testing.T) {
	s := &policytest.Server{Script: []policytest.Reply{{Status: 429, Header: map[string]string{"Retry-After": "3600"}}}}
	p, waits := ask(t, Options{BaseURL: serve(t, s)})
	_, err := p.Next(t.Context(), view())
	var e *winnow.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, "1h0m0s") || len(*waits) != 0 {
		t.Errorf("got %v after %v", err, *waits)
	}
}

func TestWhatAServerRefusesIsLeftOutFromThenOn(t *testing.T) {
	said := `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}`
	s := &policytest.Server{Script: []policytest.Reply{{Status: 400, Body: said}, {Text: answer}}}
	p, waits := ask(t, Options{BaseURL: serve(t, s)})
	for range 2 {
		if _, err := p.Next(t.Context(), view()); err != nil {
			t.Fatal(err)
		}
	}
	r := s.Requests()
	if len(r) != 3 || len(*waits) != 0 || strings.Contains(string(r[0]), "max_completion_tokens") ||
		!strings.Contains(string(r[1]), `"max_completion_tokens":4096`) || !strings.Contains(string(r[2]), `"max_completion_tokens":4096`) {
		t.Errorf("%d requests after %v", len(r), *waits)
	}
}

func TestACancelledRunIsNotAFailureOfTheServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // before it, nobody notices that the client leaves
		cancel()
		<-r.Context().Done()
	}))
	defer s.Close()
	p, _ := ask(t, Options{BaseURL: s.URL})
	if _, err := p.Next(ctx, view()); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

func TestTheKeyIsNotTakenFromTheEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", secret)
	t.Setenv("OPENAI_ORG_ID", "org-"+secret)
	var headers http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers = r.Header
		w.WriteHeader(http.StatusTeapot)
	}))
	defer s.Close()
	p, _ := ask(t, Options{BaseURL: s.URL, Headers: map[string]string{"X-Gateway": "g"}})
	if _, err := p.Next(t.Context(), view()); err == nil {
		t.Error("a teapot has replied")
	}
	for name, values := range headers {
		if strings.Contains(strings.Join(values, " "), secret) {
			t.Errorf("%s: %s", name, values)
		}
	}
	if headers.Get("X-Gateway") != "g" {
		t.Error("the header is not sent")
	}
}

func TestCheckIsCheapAndTellsWhatIsWrong(t *testing.T) {
	budget := winnow.Budget{Tokens: 32768}
	for _, c := range []struct {
		name   string
		server *policytest.Server
		model  string
		want   string
	}{
		{"all well", &policytest.Server{Context: 40000}, "test", ""},
		{"a window that is not known", &policytest.Server{}, "test", ""},
		{"the default tag", &policytest.Server{Model: "qwen3:latest"}, "qwen3", ""},
		{"another model", &policytest.Server{}, "nope", "has no model"},
		{"a small window", &policytest.Server{Context: 8192}, "test", "is 8192 tokens, and the budget is 32768"},
		{"no key", &policytest.Server{Key: secret}, "test", "wants a key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := ask(t, Options{BaseURL: serve(t, c.server), Model: c.model})
			err := p.Check(t.Context(), budget)
			if c.want == "" && err != nil || c.want != "" && (winnow.CodeOf(err) == "" || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v", err)
			}
			if len(c.server.Requests()) > 0 {
				t.Error("it made an inference")
			}
		})
	}
	without := httptest.NewServer(http.NotFoundHandler())
	defer without.Close()
	p, _ := ask(t, Options{BaseURL: without.URL})
	if err := p.Check(t.Context(), budget); err != nil {
		t.Errorf("a server without a list: %v", err)
	}
	if _, err := p.Models(t.Context()); winnow.CodeOf(err) != winnow.NotFound {
		t.Errorf("a server without a list: %v", err)
	}
	for kind, says := range map[string]string{"text/html": "a web page", "application/json": "is not that of"} {
		page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			io.WriteString(w, "<html>hello")
		}))
		p, _ := ask(t, Options{BaseURL: page.URL})
		if err := p.Check(t.Context(), budget); winnow.CodeOf(err) != winnow.BadInput || !strings.Contains(err.Error(), says) {
			t.Errorf("a page of the type %s: %v", kind, err)
		}
		page.Close()
	}
}

func TestNothingCanBeAskedWithoutAModel(t *testing.T) {
	if _, err := New(Options{}); winnow.CodeOf(err) != winnow.BadInput {
		t.Error("no model is no error")
	}
	p, err := New(Options{Model: "m"})
	if err != nil || p.server.Base.String() != "https://api.openai.com/v1" {
		t.Errorf("without an address it asks %v (%v)", p.server.Base, err)
	}
}
