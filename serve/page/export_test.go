package page_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/serve/browser"
	"github.com/winnow-search/winnow/serve/page"
	"github.com/winnow-search/winnow/wire"
)

const secret = "</script><!-- the treasure lies under the oak"

// told is a run in which everything repeats what a document says.
func told() []winnow.Event {
	chunk := winnow.Hit{Chunk: winnow.Chunk{ID: "a_0", Document: "a", Title: "A title", Path: "a.md", Lines: [2]int{1, 9}, Heading: secret, Text: secret, Tokens: 12, Metadata: winnow.Metadata{"note": secret}},
		Matched: []string{secret}, Lead: &winnow.Lead{From: "b_0", Kind: winnow.LinkNamed, Via: secret}}
	return []winnow.Event{
		{Kind: winnow.EventStart, Start: &winnow.Start{Version: 1, Question: "Where?", Policy: "chat", Budget: winnow.Budget{Tokens: 100, Soft: 50, Hard: 80}}},
		{Kind: winnow.EventAction, Turn: 1, View: 40, Action: &winnow.Action{Reasoning: secret, Text: secret, Calls: []winnow.Call{{Tool: "search_corpus", Arguments: `{"query": "treasure"}`}}}},
		{Kind: winnow.EventObservation, Turn: 1, Observation: &winnow.Observation{Results: []winnow.Result{{Tool: "search_corpus", Query: "treasure", Parts: []winnow.Part{{Chunk: &chunk, Handle: "c1"}, {Text: secret}}}}}},
		{Kind: winnow.EventAction, Turn: 2, View: 52, Action: &winnow.Action{Answer: &winnow.Answer{Selected: []winnow.Choice{{ID: "c1", Justification: secret, Lead: &winnow.Lead{From: "c1", Kind: winnow.LinkNamed, Via: secret}}}}}},
		{Kind: winnow.EventEnd, Turn: 2, End: &winnow.End{Ended: winnow.Concluded, Ranking: winnow.Ranking{{Rank: 1, Selected: true, Document: "a", Title: "A title", Chunks: []string{"a_0"}, Justification: secret}}}},
	}
}

func write(t *testing.T, e *page.Export) string {
	t.Helper()
	var b bytes.Buffer
	if err := e.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAnExportedPageStandsAlone(t *testing.T) {
	html := write(t, &page.Export{Run: "x", State: wire.RunEnded, Events: told()})
	if strings.Contains(html, secret) {
		t.Error("the text of a document ends the element that it stands in")
	}
	if !strings.Contains(html, `\u003c/script\u003e\u003c!-- the treasure lies under the oak`) {
		t.Error("the text of the document is not there")
	}
	if found := regexp.MustCompile(`(?:src|href)="[^#"]|\burl\(|@import|https?://`).FindAllString(strings.ReplaceAll(html, "http://www.w3.org/2000/svg", ""), -1); found != nil {
		t.Errorf("it asks for something: %q", found)
	}
	if strings.Count(html, "<script") != 2 || !strings.Contains(html, "default-src 'none'") {
		t.Error("it is not one script behind a policy")
	}
	if n := strings.Count(html, "\nimport ") + strings.Count(html, "\nexport "); n != 0 {
		t.Errorf("%d lines want modules that are not there", n)
	}
}

func TestWithoutTextNothingOfADocumentIsLeft(t *testing.T) {
	events := told()
	html := write(t, &page.Export{Run: "x", State: wire.RunEnded, Events: events, NoText: true})
	if strings.Contains(html, "under the oak") {
		t.Error("the text of a document is still there")
	}
	for _, kept := range []string{"A title", "a.md", "treasure", "Where?"} {
		if !strings.Contains(html, kept) {
			t.Errorf("%q is gone", kept)
		}
	}
	if events[2].Observation.Results[0].Parts[0].Chunk.Text != secret || events[1].Action.Reasoning != secret {
		t.Error("the run itself was changed")
	}
}

func TestAnExportedRunOpensFromAFile(t *testing.T) {
	b := browser.Start(t)
	for _, c := range []struct {
		state wire.RunState
		cut   int
		want  string
	}{{wire.RunEnded, 5, "1 document found"}, {wire.RunCut, 3, "cut off"}} {
		file := filepath.Join(t.TempDir(), "run.html")
		html := write(t, &page.Export{Run: "x", State: c.state, Events: told()[:c.cut]})
		if err := os.WriteFile(file, []byte(html), 0o600); err != nil {
			t.Fatal(err)
		}
		tab := b.Open("file://"+file+"#turn-1", browser.Look{Still: true})
		tab.Wait(`document.querySelector("main").innerText.includes("` + c.want + `") && !!document.querySelector("#turn-1 .chunk")`)
		tab.Click("#turn-1 .chunk summary")
		tab.Click("#turn-1 .chunk[open] button")
		tab.Wait(`document.querySelector(".reader[open] .passage.here").textContent.includes("under the oak")`)
		clean(t, tab, "file://")
	}
}
