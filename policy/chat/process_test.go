package chat_test

import (
	"context"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/policy/chat"
	"github.com/winnow-search/winnow/policy/policytest"
)

func TestMain(m *testing.M) { policytest.Main(m) }

// shelf is a corpus that finds the documents whose text has the query in it.
type shelf struct {
	winnow.Corpus
	texts map[string]string
}

func (s shelf) Search(_ context.Context, q winnow.Query) (*winnow.Results, error) {
	r := &winnow.Results{}
	for id, text := range s.texts {
		if strings.Contains(text, q.Text) {
			r.Hits = append(r.Hits, winnow.Hit{Chunk: winnow.Chunk{ID: id + "_0", Document: id, Text: text, Tokens: 9}})
		}
	}
	return r, nil
}

func TestARunAgainstAServerProcess(t *testing.T) {
	search := func(id, arguments string) winnow.Call {
		return winnow.Call{ID: id, Tool: "search_corpus", Arguments: arguments}
	}
	address := policytest.Start(t, &policytest.Server{Key: "k", Context: 40000, Script: []policytest.Reply{
		{Reasoning: "Two angles.", Calls: []winnow.Call{search("s1", `{"query": "Ada"}`), search("s2", `{"query": "London"`)}},
		{Status: 503, Header: map[string]string{"Retry-After": "0"}},
		{Reasoning: "Now the mended one.", Calls: []winnow.Call{search("s1", "{'query': 'London'} done")}},
		{Text: "I am ready.", Finish: "stop"},
		{Text: "<Document id=c2><Justification>the place</Justification></Document><Document id=c1></Document>"},
	}})
	p, err := chat.New(chat.Options{BaseURL: address, Model: "test", Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	budget := winnow.Budget{Tokens: 32768}
	if err := p.Check(t.Context(), budget); err != nil {
		t.Fatal(err)
	}
	corpus := shelf{texts: map[string]string{"ada.md": "Ada wrote the first program.", "london.md": "London is where she lived."}}
	var end *winnow.End
	for e, err := range agent.Run(t.Context(), agent.Options{Question: "Where did the first programmer live?", Corpus: corpus, Policy: p, Budget: budget}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.End != nil {
			end = e.End
		}
	}
	if end == nil || end.Ended != winnow.Concluded || end.Failure != nil {
		t.Fatalf("ended with %+v", end)
	}
	if r := end.Ranking; len(r) != 2 || r[0].Document != "london.md" || r[0].Justification != "the place" || r[1].Document != "ada.md" || !r[1].Selected {
		t.Errorf("ranking %+v", r)
	}
	if end.Turns != 3 || end.Calls != 3 || end.Usage.Prompt == 0 {
		t.Errorf("%d turns, %d calls, usage %+v", end.Turns, end.Calls, end.Usage)
	}
}

func TestARunWhoseServerFailsStillHasARanking(t *testing.T) {
	address := policytest.Start(t, &policytest.Server{Script: []policytest.Reply{
		{Calls: []winnow.Call{{ID: "s", Tool: "search_corpus", Arguments: `{"query": "Ada"}`}}},
		{Text: "<Document id=c1>", CutAfter: 2},
	}})
	p, err := chat.New(chat.Options{BaseURL: address, Model: "test", Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	corpus := shelf{texts: map[string]string{"ada.md": "Ada wrote the first program."}}
	var end *winnow.End
	for e := range agent.Run(t.Context(), agent.Options{Question: "Who?", Corpus: corpus, Policy: p}) {
		if e.End != nil {
			end = e.End
		}
	}
	if end == nil || !end.Forced || end.Failure == nil || !strings.Contains(end.Failure.Message, "broke off") || len(end.Ranking) != 1 {
		t.Errorf("ended with %+v", end)
	}
}
