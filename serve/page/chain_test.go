package page_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/serve/browser"
	"github.com/winnow-search/winnow/serve/page"
	"github.com/winnow-search/winnow/wire"
)

// One search brings four documents. The policy says that the film led to its
// director, and that the director and the school led to each other; nothing led to
// the film but the search, and the fourth is not selected.
func TestAChainIsWhatThePolicySaysLedToADocument(t *testing.T) {
	b := browser.Start(t)
	var parts []winnow.Part
	for i, title := range []string{"Film", "Director", "School", "Noise"} {
		id := string("fdsn"[i])
		parts = append(parts, winnow.Part{Handle: "c" + string("1234"[i]), Chunk: &winnow.Hit{Chunk: winnow.Chunk{ID: id + "_0", Document: id, Title: title, Text: title}}})
	}
	choice := func(id, from string, kind winnow.LinkKind, via string, back bool) winnow.Choice {
		return winnow.Choice{ID: id, Lead: &winnow.Lead{From: from, Kind: kind, Via: via, Back: back}}
	}
	answer := &winnow.Answer{Selected: []winnow.Choice{{ID: "c1"}, choice("c2", "c1", winnow.LinkNamed, "mara", false), choice("c3", "d_0", winnow.LinkShared, "oslo", false)}}
	ranking := winnow.Ranking{}
	for i, p := range parts {
		ranking = append(ranking, winnow.Ranked{Rank: i + 1, Selected: i < 3, Document: p.Chunk.Document, Title: p.Chunk.Title, Chunks: []string{p.Chunk.ID}})
	}
	for name, c := range map[string]struct {
		answer *winnow.Answer
		want   string
	}{
		"a chain": {answer, "How they were found | ? | The question | search “who” | 1 | Film | names “mara” | 2 | Director | speaks of “oslo”, and so does | 3 | School"},
		"a circle": {&winnow.Answer{Selected: []winnow.Choice{choice("c1", "c2", winnow.LinkReply, "", true), choice("c2", "c1", winnow.LinkNamed, "mara", false), {ID: "c3"}}},
			"How they were found | ? | The question | search “who” | 2 | Director | is answered by | 1 | Film | 3 | School"},
		"what was never shown": {&winnow.Answer{Selected: []winnow.Choice{choice("c1", "c9", winnow.LinkNamed, "x", false)}}, ""},
	} {
		events := []winnow.Event{
			{Kind: winnow.EventStart, Start: &winnow.Start{Version: 1, Question: "Who?", Policy: "builtin", Budget: winnow.Budget{Tokens: 100, Soft: 50, Hard: 80}}},
			{Kind: winnow.EventAction, Turn: 1, View: 40, Action: &winnow.Action{Calls: []winnow.Call{{Tool: "search_corpus", Arguments: `{"query": "who"}`}}}},
			{Kind: winnow.EventObservation, Turn: 1, Observation: &winnow.Observation{Results: []winnow.Result{{Tool: "search_corpus", Query: "who", Parts: parts}}}},
			{Kind: winnow.EventAction, Turn: 2, View: 52, Action: &winnow.Action{Answer: c.answer}},
			{Kind: winnow.EventEnd, Turn: 2, End: &winnow.End{Ended: winnow.Concluded, Ranking: ranking}},
		}
		file := filepath.Join(t.TempDir(), "run.html")
		if err := os.WriteFile(file, []byte(write(t, &page.Export{Run: "x", State: wire.RunEnded, Events: events})), 0o644); err != nil {
			t.Fatal(err)
		}
		tab := b.Open("file://"+file, browser.Look{Still: true})
		tab.Find(".ranking .selected")
		var got string
		tab.Eval(`document.querySelector(".chain").innerText.trim().split(/\s*\n\s*/).join(" | ")`, &got)
		if got != c.want {
			t.Errorf("%s reads %q, not %q", name, got, c.want)
		}
	}
}
