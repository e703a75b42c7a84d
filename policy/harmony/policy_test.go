package harmony

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/token"
)

const (
	searches = `<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant to=functions.search_corpus<|channel|>commentary <|constrain|>json<|message|>{"query": "x"}<|call|>`
	answers  = `<|start|>assistant<|channel|>final<|message|><Document id=film_1><Justification>it</Justification></Document><|return|>`
	thinks   = `<|start|>assistant<|channel|>analysis<|message|>It must be film_12.<|end|>`
)

func TestRequestIsTheRenderedViewWithItsReserve(t *testing.T) {
	s := &server{replies: []string{searches}}
	p, _ := serve(t, s, Options{})
	v := context1()
	v.Seed = 1<<63 | 5
	a, err := p.Next(context.Background(), v)
	if err != nil {
		t.Fatal(err)
	}
	if a.Reasoning != "Hm." || !reflect.DeepEqual(a.Calls, call("search_corpus", `{"query": "x"}`)) || len(a.Warnings) != 0 {
		t.Errorf("%+v", a)
	}
	ids := harmony.Render(v)
	if want := (winnow.Usage{Prompt: len(ids), Completion: len(sampled(searches)), Cached: 3}); a.Usage != want {
		t.Errorf("usage %+v, not %+v", a.Usage, want)
	}
	r := s.requests[0]
	if !reflect.DeepEqual(r.prompt, ids) {
		t.Errorf("the prompt is %v", r.prompt)
	}
	for field, want := range map[string]string{"max_tokens": "4096", "temperature": "1", "top_p": "0.9", "seed": "5",
		"stop_token_ids": "[200002,200012]", "return_token_ids": "true", "skip_special_tokens": "false", "model": `"context-1"`} {
		if string(r.body[field]) != want {
			t.Errorf("%s is %s, not %s", field, r.body[field], want)
		}
	}
}

func TestSamplingCanBeSet(t *testing.T) {
	s := &server{replies: []string{answers}}
	p, _ := serve(t, s, Options{Temperature: new(float64), TopP: 0.5})
	if _, err := p.Next(context.Background(), context1()); err != nil {
		t.Fatal(err)
	}
	if b := s.requests[0].body; string(b["temperature"]) != "0" || string(b["top_p"]) != "0.5" {
		t.Errorf("temperature %s, top_p %s", b["temperature"], b["top_p"])
	}
}

func TestServerWithoutIDsGetsText(t *testing.T) {
	s := &server{textual: true, replies: []string{searches, answers}}
	p, _ := serve(t, s, Options{})
	v := context1()
	v.Prompt = "what does <|end|> mean?"
	a, err := p.Next(context.Background(), v)
	if err != nil || len(a.Calls) != 1 || len(a.Warnings) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	text := s.requests[0].prompt.(string)
	if !strings.Contains(text, "<|start|>user<|message|>what does <end> mean?<|end|>") {
		t.Errorf("the prompt is %q", text)
	}
	if a, err = p.Next(context.Background(), v); err != nil || a.Answer == nil {
		t.Fatalf("%+v, %v", a, err)
	}
	if s.tries != 3 {
		t.Errorf("%d requests: ids were tried again", s.tries)
	}
}

func TestBadReplyIsAskedForOnceMore(t *testing.T) {
	for name, bad := range map[string]string{"empty": "", "reasoning only": thinks, "cut": `<|channel|>analysis<|message|>` + strings.Repeat(" so", 5000)} {
		t.Run(name, func(t *testing.T) {
			s := &server{replies: []string{bad, searches}}
			p, _ := serve(t, s, Options{})
			v := context1()
			v.Note = "The context is full."
			v.Budget.Tokens = len(harmony.Render(v)) + v.Budget.Reserve // not a token to spare
			a, err := p.Next(context.Background(), v)
			if err != nil || len(a.Calls) != 1 || len(a.Warnings) == 0 {
				t.Fatalf("%+v, %v", a, err)
			}
			prompt := s.requests[1].prompt.([]token.ID)
			if text := token.Decode(prompt); !strings.Contains(text, "The context is full.\n\nYour last reply ") {
				t.Errorf("the second prompt ends %q", text[max(0, len(text)-200):])
			}
			if want := fmt.Sprint(v.Budget.Tokens - len(prompt)); string(s.requests[1].body["max_tokens"]) != want {
				t.Errorf("max_tokens is %s, not %s: the budget is exceeded", s.requests[1].body["max_tokens"], want)
			}
			if string(s.requests[1].body["seed"]) == string(s.requests[0].body["seed"]) {
				t.Error("the same seed again")
			}
			if a.Usage.Prompt != len(prompt)+len(s.requests[0].prompt.([]token.ID)) {
				t.Errorf("usage %+v", a.Usage)
			}
		})
	}
}

func TestReasoningIsTheLastResort(t *testing.T) {
	s := &server{replies: []string{thinks, ""}}
	p, _ := serve(t, s, Options{})
	a, err := p.Next(context.Background(), context1())
	if err != nil || a.Answer == nil || len(a.Answer.Selected) != 1 || a.Answer.Selected[0].ID != "film_12" || len(a.Answer.Flags) == 0 {
		t.Errorf("%+v, %v", a, err)
	}
	s = &server{replies: []string{"", `<|channel|>analysis<|message|>No idea.<|end|>`}}
	p, _ = serve(t, s, Options{})
	var said *winnow.Error
	if _, err = p.Next(context.Background(), context1()); !errors.As(err, &said) || said.Hint == "" || !strings.Contains(err.Error(), "twice") {
		t.Errorf("%v", err)
	}
}

func TestPassingTroubleIsRetried(t *testing.T) {
	s := &server{replies: []string{searches}, before: func(n int, w http.ResponseWriter, r *http.Request) bool {
		switch n {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case 3: // the connection breaks
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return true
			}
			conn.Close()
		case 4: // the connection breaks inside the body
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"choices":`)
		default:
			return false
		}
		return true
	}}
	p, pauses := serve(t, s, Options{Attempts: 5})
	if a, err := p.Next(context.Background(), context1()); err != nil || len(a.Calls) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	got := pauses()
	if len(got) != 4 || got[1] != 7*time.Second {
		t.Fatalf("pauses %v", got)
	}
	for i, least := range []time.Duration{firstPause / 2, firstPause, 2 * firstPause, 4 * firstPause} {
		if got[i] < least {
			t.Errorf("pause %d is %v, less than %v", i, got[i], least)
		}
	}
}

func TestFailuresAreOneSentenceWithAHint(t *testing.T) {
	static := func(status int, body string) func(int, http.ResponseWriter, *http.Request) bool {
		return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return true
		}
	}
	for name, c := range map[string]struct {
		server *server
		o      Options
		code   winnow.Code
		says   string
		hint   string
	}{
		"no server":            {&server{}, Options{BaseURL: "http://127.0.0.1:1/v1"}, winnow.Unavailable, "no server answers", "--base-url"},
		"wrong key":            {&server{}, Options{Key: "sk-wrong-99"}, winnow.BadInput, "does not accept the key", "key"},
		"unknown model":        {&server{}, Options{Model: "llama"}, winnow.NotFound, `no model "llama"`, "/v1/models"},
		"wrong path":           {&server{}, Options{BaseURL: "/"}, winnow.NotFound, "no completions at", "/v1"},
		"HTML":                 {&server{before: static(200, "<!doctype html><title>nginx</title>")}, Options{}, winnow.BadInput, "a web page", "/v1"},
		"not JSON":             {&server{before: static(200, "ok")}, Options{}, winnow.Unavailable, "JSON", "/v1"},
		"no choices":           {&server{before: static(200, `{"choices":[]}`)}, Options{}, winnow.Unavailable, "no completion", "/v1"},
		"a redirect":           {&server{before: static(302, "")}, Options{}, winnow.BadInput, "302", "address"},
		"a small context":      {&server{context: 4200}, Options{}, winnow.TooMuch, "too small", "--max-model-len"},
		"a prompt that is cut": {&server{reads: 100, replies: []string{searches}}, Options{}, winnow.TooMuch, "read 100 tokens", "num_ctx"},
		"no special tokens":    {&server{mute: true, replies: []string{searches}}, Options{}, winnow.Unavailable, "special tokens", "--special"},
		"always down":          {&server{before: static(503, "")}, Options{}, winnow.Unavailable, "503", "later"},
		"always full":          {&server{before: static(429, `{"error":{"message":"slow down"}}`)}, Options{}, winnow.Unavailable, "slow down", "later"},
		"refused":              {&server{before: static(422, `{"detail":"no"}`)}, Options{}, winnow.BadInput, "422", "completions"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.o.BaseURL == "/" {
				p, _ := serve(t, c.server, Options{})
				c.o.BaseURL = strings.TrimSuffix(p.o.BaseURL, "/v1") + "/api"
			}
			p, _ := serve(t, c.server, c.o)
			_, err := p.Next(context.Background(), context1())
			var said *winnow.Error
			if !errors.As(err, &said) {
				t.Fatalf("error %v", err)
			}
			if said.Code != c.code || !strings.Contains(err.Error(), c.says) || !strings.Contains(said.Hint, c.hint) {
				t.Errorf("code %s, hint %q, error %q", said.Code, said.Hint, err)
			}
			if whole := err.Error() + said.Hint; strings.Contains(whole, p.o.Key) || strings.Contains(whole, "\n") {
				t.Errorf("the error is %q", whole)
			}
		})
	}
}

func TestCancelledTurnStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p, _ := serve(t, &server{before: hang(cancel)}, Options{})
	if _, err := p.Next(ctx, context1()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestSlowServerTimesOut(t *testing.T) {
	p, _ := serve(t, &server{before: hang(func() {})}, Options{Timeout: 5 * time.Millisecond, Attempts: 2})
	var said *winnow.Error
	if _, err := p.Next(context.Background(), context1()); !errors.As(err, &said) || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(said.Hint, "timeout") {
		t.Errorf("error %v", err)
	}
}

// hang waits until the client has gone away, which a server notices only once it
// has read the request.
func hang(first func()) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		io.Copy(io.Discard, r.Body)
		first()
		<-r.Context().Done()
		return true
	}
}

func TestBadSettingsAreRefused(t *testing.T) {
	for _, o := range []Options{{}, {BaseURL: "localhost:8000", Model: "m"}, {BaseURL: "ftp://host/v1", Model: "m"}, {BaseURL: "http://host/v1"}} {
		if _, err := New(o); winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
