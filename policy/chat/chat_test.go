package chat

import (
	"context"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
	"github.com/winnow-search/winnow/policy/policytest"
	"github.com/winnow-search/winnow/policy/reply"
)

// serve starts a strict server.
func serve(t *testing.T, s *policytest.Server) string {
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h.URL
}

// ask returns a policy that counts its waits instead of waiting.
func ask(t *testing.T, o Options) (*Policy, *[]time.Duration) {
	t.Helper()
	if o.Model == "" {
		o.Model = "test"
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	waits := &[]time.Duration{}
	p.sleep = func(_ context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return nil
	}
	return p, waits
}

func chunkPart(handle, text string) winnow.Part {
	return winnow.Part{Text: "\n[" + handle + "] " + text, Handle: handle, Chunk: &winnow.Hit{Chunk: winnow.Chunk{ID: text + "_0", Document: text}}}
}

var tools = []winnow.Tool{
	{Name: "search_corpus", Description: "Search.", Parameters: []winnow.Parameter{{Name: "query", Type: winnow.TypeString, Description: "What."}}},
	{Name: "list_corpus", Description: "List."},
}

// view is one of two turns: calls side by side, one of them malformed, and a
// prune.
func view() *winnow.View {
	return &winnow.View{
		Profile: "winnow", Question: "who?", Date: "2026-01-05", Prompt: "Find: who? <b>", Tools: tools, Turn: 3,
		Turns: []winnow.Turn{
			{Action: winnow.Action{Reasoning: "think first", Calls: []winnow.Call{
				{ID: "a1", Tool: "search_corpus", Arguments: `{"query": "x"}`}, {ID: "a2", Tool: "search_corpus", Arguments: `{"query": "y`}}},
				Results: []winnow.Result{
					{Call: 0, Tool: "search_corpus", Parts: []winnow.Part{chunkPart("c1", "one.md"), chunkPart("c2", "two.md")}},
					{Call: 1, Tool: "search_corpus", Code: winnow.BadInput, Parts: []winnow.Part{{Text: "Error: not JSON."}}, Usage: "\n\n[Token usage: 10/100]"}}},
			{Action: winnow.Action{Text: "One more.", Calls: []winnow.Call{{ID: "b1", Tool: "list_corpus", Arguments: "{}"}}},
				Results: []winnow.Result{{Tool: "list_corpus", Parts: []winnow.Part{{Text: "folders"}}}}},
		},
		Note: "Prune or conclude.", Budget: winnow.Budget{Tokens: 32768, Reserve: 4096},
	}
}

const answer = `<Document id=c1><Justification>it is</Justification></Document>`

func TestAReplyBecomesAnAction(t *testing.T) {
	calls := []winnow.Call{{ID: "x", Tool: "search_corpus", Arguments: `{"query": "grüße, \"quoted\""}`}, {ID: "y", Tool: "list_corpus", Arguments: "{}"}}
	selected := &winnow.Answer{Selected: []winnow.Choice{{ID: "c1", Justification: "it is"}}}
	for _, c := range []struct {
		name  string
		reply policytest.Reply
		want  winnow.Action
	}{
		{"calls side by side", policytest.Reply{Reasoning: "hm, so", Calls: calls}, winnow.Action{Reasoning: "hm, so", Calls: calls}},
		{"reasoning in the other field", policytest.Reply{Reasoning: "hm", Field: "reasoning", Text: "I search.", Calls: calls[:1]},
			winnow.Action{Reasoning: "hm", Text: "I search.", Calls: calls[:1]}},
		{"not streamed", policytest.Reply{Reasoning: "hm", Calls: calls, Whole: true}, winnow.Action{Reasoning: "hm", Calls: calls}},
		{"an answer", policytest.Reply{Text: answer}, winnow.Action{Text: answer, Answer: selected}},
		{"an answer behind thoughts", policytest.Reply{Text: "<think>well</think>" + answer}, winnow.Action{Reasoning: "well", Text: answer, Answer: selected}},
		{"nothing to find", policytest.Reply{Text: "<None/>"}, winnow.Action{Text: "<None/>", Answer: &winnow.Answer{Selected: []winnow.Choice{}}}},
		{"calls win over an answer", policytest.Reply{Text: answer, Calls: calls[:1]}, winnow.Action{Text: answer, Calls: calls[:1]}},
		{"arguments mended", policytest.Reply{Calls: []winnow.Call{{ID: "x", Tool: "grep", Arguments: "{'a': 'b'}<|call|>"}}},
			winnow.Action{Calls: []winnow.Call{{ID: "x", Tool: "grep", Arguments: `{"a": "b"}`}}, Warnings: []string{"the arguments of grep were not JSON and were mended"}}},
		{"arguments beyond repair", policytest.Reply{Calls: []winnow.Call{{ID: "x", Tool: "grep", Arguments: `{"a": "b`}}},
			winnow.Action{Calls: []winnow.Call{{ID: "x", Tool: "grep", Arguments: `{"a": "b`}}}},
		{"a call in the words", policytest.Reply{Text: `So: <tool_call>{"name": "list_corpus", "arguments": {}}</tool_call>`},
			winnow.Action{Text: "So:", Calls: []winnow.Call{{Tool: "list_corpus", Arguments: "{}"}}, Warnings: []string{"the server left calls in the model's words"}}},
		{"an answer cut off", policytest.Reply{Text: answer, Finish: "length"},
			winnow.Action{Text: answer, Answer: selected, Warnings: []string{"the model's reply was cut off at its limit"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &policytest.Server{Script: []policytest.Reply{c.reply}}
			p, _ := ask(t, Options{BaseURL: serve(t, s)})
			got, err := p.Next(t.Context(), view())
			if err != nil {
				t.Fatal(err)
			}
			if got.Usage.Prompt == 0 || got.Usage.Completion == 0 {
				t.Errorf("usage is %+v", got.Usage)
			}
			got.Usage = winnow.Usage{}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("it took %d requests", n)
			}
		})
	}
}

func TestAReplyWithoutCallOrAnswerIsAskedForAgainOnce(t *testing.T) {
	search := winnow.Call{ID: "x", Tool: "search_corpus", Arguments: `{"query":"z"}`}
	for _, c := range []struct {
		name   string
		script []policytest.Reply
		want   []string // ids of the answer; nil: no answer
		flags  []string
		calls  int
		note   string
	}{
		{"and it calls", []policytest.Reply{{Text: "I will search."}, {Calls: []winnow.Call{search}}}, nil, nil, 1, "neither a tool call"},
		{"and it answers", []policytest.Reply{{Text: "I believe c2."}, {Text: answer}}, []string{"c1"}, nil, 0, "neither a tool call"},
		{"and it mentions", []policytest.Reply{{Text: "Hm."}, {Text: "It is in [c2] and one.md."}}, []string{"c2", "one.md"}, []string{reply.FromText}, 0, "neither a tool call"},
		{"and only the first mentions", []policytest.Reply{{Text: "See c1."}, {Text: "Sorry."}}, []string{"c1"}, []string{reply.FromText}, 0, "neither a tool call"},
		{"and only thoughts mention", []policytest.Reply{{Reasoning: "c2 it is"}}, []string{"c2"}, []string{reply.FromText}, 0, "neither a tool call"},
		{"after too many thoughts", []policytest.Reply{{Reasoning: "and so on", Finish: "length"}, {Text: answer}}, []string{"c1"}, nil, 0, "cut off at 4096 tokens"},
		{"and nothing comes of it", []policytest.Reply{{Text: "No."}}, nil, nil, 0, "neither a tool call"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &policytest.Server{Script: c.script}
			p, _ := ask(t, Options{BaseURL: serve(t, s)})
			got, err := p.Next(t.Context(), view())
			if err != nil {
				t.Fatal(err)
			}
			requests := s.Requests()
			if len(requests) != 2 || !strings.Contains(string(requests[1]), c.note) || strings.Contains(string(requests[0]), c.note) {
				t.Fatalf("%d requests, the last is %s", len(requests), requests[len(requests)-1])
			}
			var ids, flags []string
			if got.Answer != nil {
				flags = got.Answer.Flags
				for _, d := range got.Answer.Selected {
					ids = append(ids, d.ID)
				}
			}
			if !reflect.DeepEqual(ids, c.want) || !reflect.DeepEqual(flags, c.flags) || len(got.Calls) != c.calls {
				t.Errorf("got %+v %+v", got, got.Answer)
			}
			if len(got.Warnings) == 0 || !strings.Contains(got.Warnings[0], "asked again") {
				t.Errorf("warnings: %q", got.Warnings)
			}
		})
	}
}

func TestUsageAndCostOfAllRequestsAreAddedUp(t *testing.T) {
	s := &policytest.Server{Script: []policytest.Reply{{Text: "Hm.", Prompt: 1000, Cached: 400}, {Text: "<None/>", Prompt: 1000, Cached: 1000}}}
	p, _ := ask(t, Options{BaseURL: serve(t, s), Price: endpoint.Price{Prompt: 2, Completion: 10, Cached: 0.5}})
	a, err := p.Next(t.Context(), view())
	if err != nil {
		t.Fatal(err)
	}
	u := a.Usage
	if u.Prompt != 2000 || u.Cached != 1400 || u.Completion == 0 || u.CostUSD == nil {
		t.Fatalf("usage %+v", u)
	}
	if want := (600*2 + 1400*0.5 + float64(u.Completion)*10) / 1e6; *u.CostUSD-want > 1e-12 || want-*u.CostUSD > 1e-12 {
		t.Errorf("cost %v, want %v", *u.CostUSD, want)
	}
}

func TestAServerThatCutsThePromptIsNamed(t *testing.T) {
	v := view()
	v.Prompt = strings.Repeat("many words ", 6000)
	v.Tokens = 12100
	for prompt, cut := range map[int]bool{4096: true, 8000: true, 11000: false, 12100: false, 20000: false} {
		p, _ := ask(t, Options{BaseURL: serve(t, &policytest.Server{Script: []policytest.Reply{{Text: "<None/>", Prompt: prompt}}})})
		_, err := p.Next(t.Context(), v)
		if !cut {
			if err != nil {
				t.Errorf("%d of about 12,000 tokens: %v", prompt, err)
			}
			continue
		}
		e, ok := err.(*winnow.Error)
		if !ok || e.Code != winnow.TooMuch || !strings.Contains(e.Hint, "num_ctx") || !strings.Contains(e.Hint, "32768") {
			t.Errorf("%d of about 12,000 tokens: %v", prompt, err)
		}
	}
}
