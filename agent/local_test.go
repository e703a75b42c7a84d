package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/corpus/local/localtest"
	"github.com/winnow-search/winnow/ingest"
	"github.com/winnow-search/winnow/policy/query"
	"github.com/winnow-search/winnow/policy/scripted"
)

// engine is the embedded engine over a few documents.
func engine(t *testing.T) winnow.Corpus {
	t.Helper()
	long := strings.Repeat("The harbour was quiet and the boats lay still in the winter light. ", 500)
	var docs []*winnow.Document
	for id, text := range map[string]string{
		"notes/[odd] {name}.txt": long + "\n\nAda Lovelace wrote the first program.\n\n" + long,
		"odd.txt":                "Ada Lovelace met Charles Babbage in 1833.",
		"people/babbage.txt":     "Charles Babbage designed the Analytical Engine.",
	} {
		d := ingest.New(id, id, text, nil)
		d.Path = id
		if id == "people/babbage.txt" {
			d.Title = "Charles Babbage"
		}
		docs = append(docs, d)
	}
	return localtest.Open(t, docs, local.Options{Collection: "test"})
}

func TestTheToolsWorkOverTheEmbeddedEngine(t *testing.T) {
	tr := do(t, agent.Options{Question: "Who wrote the first program?", Corpus: engine(t), Policy: scripted.New(
		scripted.Calls(scripted.Call("read_document", map[string]string{"doc_id": "notes/[odd] {name}.txt"})),
		scripted.Calls(scripted.Call("grep_corpus", map[string]string{"pattern": "18[0-9]+"})),
		scripted.Calls(scripted.Call("follow_links", map[string]any{"chunk_ids": []string{"odd.txt"}}), scripted.Call("list_corpus", map[string]any{})),
		scripted.Answer("people/babbage.txt", "odd.txt"))})
	read := tr.Events[2].Observation.Results[0]
	shown := ""
	for _, p := range read.Parts {
		if p.Chunk != nil {
			shown += p.Chunk.Text
		}
	}
	if !strings.Contains(shown, "Ada Lovelace wrote the first program.") {
		t.Error("a document that does not fit is not read by relevance")
	}
	if got := texts(tr, 2)[0]; got != "{odd.txt_0}" {
		t.Errorf("grep: %q", got)
	}
	if got := texts(tr, 3); !strings.HasPrefix(got[0], "{people/babbage.txt_0}") || !strings.Contains(got[0], `named "charles babbage"`) || !strings.HasPrefix(got[1], "3 documents, ") {
		t.Errorf("links: %q", got)
	}
	if got := tr.End().Ranking.Selected(); len(got) != 2 || got[0].Document != "people/babbage.txt" || got[0].Collection != "test" {
		t.Errorf("got %+v", got)
	}
}

func TestTheQueryPolicyConcludesWithWhatItFound(t *testing.T) {
	end := do(t, agent.Options{Question: "Ada Lovelace and Charles Babbage", Corpus: engine(t), Policy: query.Policy{}}).End()
	if got := end.Ranking.Selected(); end.Ended != winnow.Concluded || len(got) != 3 || got[0].Document != "odd.txt" || len(end.Warnings) == 0 {
		t.Errorf("got %+v", end)
	}
}

func TestAFilterOfThePolicyNarrowsThatOfTheRun(t *testing.T) {
	m := &memory{}
	for _, year := range []int64{2000, 2001, 2002} {
		d := m.add("d"+string(rune('0'+year-2000)), "river")
		d.Chunks[0].Metadata = winnow.Metadata{"year": year}
	}
	o := options(m, scripted.Calls(scripted.Call("search_corpus", map[string]any{"query": "river", "where": map[string]any{"year": map[string]any{"$lt": 2002}}})), scripted.Answer())
	o.Scope.Where = []byte(`{"year": {"$gt": 2000}}`)
	if got := texts(do(t, o), 1)[0]; got != "{d1_0}" {
		t.Errorf("got %q", got)
	}
	o.Scope.Where = []byte(`{"year"`)
	if _, err := agent.Do(context.Background(), o); winnow.CodeOf(err) != winnow.BadFilter {
		t.Errorf("a filter of the run that can't be read is refused at once, got %v", err)
	}
}
