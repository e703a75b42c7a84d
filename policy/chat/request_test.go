package chat

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/policytest"
)

var update = flag.Bool("update", false, "write the golden requests anew")

func TestRequestsAreThoseOfTheGoldenFiles(t *testing.T) {
	temperature, topP := 1.0, 0.9
	for _, c := range []struct {
		name   string
		o      Options
		change func(*winnow.View, *Policy)
	}{
		{"first", Options{}, func(v *winnow.View, _ *Policy) { v.Turns, v.Note, v.Date = nil, "", "" }},
		{"turns", Options{}, nil},
		{"options", Options{Temperature: &temperature, TopP: &topP, Strict: true, Body: map[string]any{"reasoning_effort": "high"}},
			func(v *winnow.View, _ *Policy) { v.Turns, v.Note, v.Seed = nil, "", 1<<40+7 }},
		{"learned", Options{Temperature: &temperature, Strict: true}, func(v *winnow.View, p *Policy) {
			for _, said := range []string{
				"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
				"Unsupported value: 'temperature' does not support 0.2 with this model.",
				"Conversation roles must alternate user/assistant/user/assistant/...",
				"property 'reasoning_content' is unsupported", "unknown field strict", "stream_options: extra fields not permitted",
			} {
				if !p.dialect.learn(said) {
					t.Errorf("nothing was learned from %q", said)
				}
			}
		}},
		{"batch", Options{}, func(v *winnow.View, _ *Policy) {
			v.Note = ""
			v.Turns = []winnow.Turn{{Action: winnow.Action{Calls: []winnow.Call{{ID: "m", Tool: "multi_tool_use", Arguments: `[{"tool_name": "search_corpus", "parameters": {"query": "a"}}]`}}},
				Results: []winnow.Result{
					{Tool: "search_corpus", Parts: []winnow.Part{{Text: "<first>"}}}, {Tool: "search_corpus", Parts: []winnow.Part{{Text: "second"}}, Usage: "\n\n[Token usage: 1/2]"}}}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &policytest.Server{Script: []policytest.Reply{{Text: "<None/>"}}}
			c.o.BaseURL = serve(t, s)
			p, _ := ask(t, c.o)
			v := view()
			if c.change != nil {
				c.change(v, p)
			}
			if _, err := p.Next(t.Context(), v); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := json.Indent(&got, s.Requests()[0], "", "  "); err != nil {
				t.Fatal(err)
			}
			got.WriteByte('\n')
			file := filepath.Join("testdata", c.name+".json")
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

func TestTheMessagesOfEarlierTurnsAreTheSameBytes(t *testing.T) {
	d := newDialect()
	whole := view()
	whole.Note = ""
	var before []byte
	for n := range len(whole.Turns) + 1 {
		v := *whole
		v.Turns = whole.Turns[:n]
		b, err := json.Marshal(d.messages(&v, ""))
		if err != nil {
			t.Fatal(err)
		}
		b = bytes.TrimSuffix(b, []byte("]"))
		if !bytes.HasPrefix(b, before) {
			t.Errorf("the messages of turn %d do not begin with those of turn %d", n+1, n)
		}
		before = b
	}
}

func TestReasoningGoesBackInTheFieldItCameIn(t *testing.T) {
	s := &policytest.Server{Script: []policytest.Reply{{Reasoning: "hm", Field: "reasoning", Text: "<None/>"}}}
	p, _ := ask(t, Options{BaseURL: serve(t, s)})
	for range 2 {
		if _, err := p.Next(t.Context(), view()); err != nil {
			t.Fatal(err)
		}
	}
	requests := s.Requests()
	if !bytes.Contains(requests[0], []byte(`"reasoning_content":"think first"`)) || !bytes.Contains(requests[1], []byte(`"reasoning":"think first"`)) {
		t.Errorf("%s\n%s", requests[0], requests[1])
	}
}
