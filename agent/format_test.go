package agent_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/policy/scripted"
	"github.com/winnow-search/winnow/token"
)

// The golden transcript is the prompt of the last turn of a run in profile
// context-1, behind the instruction: what the published weights are shown.
func TestContext1IsShownWhatItWasTrainedOn(t *testing.T) {
	m := small()
	m.add("long", strings.Repeat("one giant chunk about a heron ", 3000))
	var last *winnow.View
	steps := []winnow.Action{
		{Reasoning: "Start wide.", Calls: []winnow.Call{{Tool: "multi_tool_use", Arguments: `[{"tool_name": "functions.search_corpus", "parameters": {"query": "river"}}, {"tool_name": "grep_corpus", "parameters": {"pattern": "dawn|bridge"}}]`}}},
		{Reasoning: "Read it.", Calls: []winnow.Call{{Tool: "read_document", Arguments: `{"doc_id": "d01_1"}`}}},
		{Calls: []winnow.Call{{Tool: "prune_chunks", Arguments: `{"chunk_ids": ["d00", "d01_1", "x_9"]}`}}},
		{Calls: []winnow.Call{{Tool: "search_corpus", Arguments: `{"query": "naïve"}`}, {Tool: "restore_chunks", Arguments: `{}`}}},
		scripted.Answer("d01_0"),
	}
	o := agent.Options{Question: "where does the river run?", Corpus: m, Profile: agent.Context1, Date: "2026-11-15"}
	o.Policy = scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
		last = v
		return steps[v.Turn-1], nil
	})
	do(t, o)
	got := token.Decode(harmony.Render(last))
	got = strings.ReplaceAll(got[strings.Index(got, "<|start|>assistant"):], "<|start|>", "\n<|start|>")[1:] + "\n"
	const golden = "testdata/context-1.txt"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAChunkLongerThanTheRoomIsCutAndCanBeReadOn(t *testing.T) {
	m := &memory{}
	m.add("long", strings.Repeat("a heron by the river ", 900))
	o := options(m, scripted.Calls(scripted.Search("heron")), scripted.Calls(scripted.Call("read_document", map[string]string{"doc_id": "c1"})), scripted.Answer("c1"))
	o.Budget.PerCall = 1000
	tr := do(t, o)
	for _, e := range tr.Events {
		if e.Observation == nil {
			continue
		}
		p := e.Observation.Results[0].Parts[0]
		if n := token.Count(p.Shown()); p.Bytes == 0 || n > 1000 || n < 800 {
			t.Errorf("turn %d: %d tokens are shown of a chunk of %d", e.Turn, n, p.Chunk.Tokens)
		}
	}
}

func TestADocumentThatDoesNotFitIsReadByRelevanceInItsOrder(t *testing.T) {
	m := &memory{}
	filler := strings.Repeat("stone and winter ", 60)
	chunks := make([]string, 40)
	for i := range chunks {
		chunks[i] = filler
	}
	chunks[31], chunks[12], chunks[20] = filler+"where river run", filler+"river run", filler+"heron"
	m.add("long", chunks...)
	for profile, want := range map[string]string{
		agent.Winnow:   "{long_0}{long_12}{long_31}37 chunks", // the question: where does the river run?
		agent.Context1: "{long_0}{long_1}{long_20}37 chunks",  // the query that found it: heron
	} {
		o := options(m, scripted.Calls(scripted.Search("heron")), scripted.Calls(scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{"long"}})),
			scripted.Calls(scripted.Call("read_document", map[string]string{"doc_id": "long"})), scripted.Answer())
		o.Profile, o.Budget.PerCall = profile, 720
		if got := texts(do(t, o), 3)[0]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", profile, got, want)
		}
	}
}

func TestTheNoteComesAtTheSoftLimitAndTheRefusalAtTheHardOne(t *testing.T) {
	notes, refused := 0, ""
	o := agent.Options{Question: "where?", Corpus: library(10, 10, 200), Profile: agent.Context1, Budget: winnow.Budget{Tokens: 16_000}, MaxTurns: 10}
	o.Policy = scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
		if (v.Note != "") != (v.Tokens > v.Budget.Soft) {
			t.Errorf("turn %d: %d tokens, note %q", v.Turn, v.Tokens, v.Note)
		}
		if v.Note != "" {
			notes++
		}
		for _, turn := range v.Turns {
			if turn.Results[0].Code == winnow.TooMuch {
				refused = turn.Results[0].Text()
			}
		}
		return scripted.Calls(scripted.Search("river")), nil
	})
	do(t, o)
	if notes == 0 || !strings.HasPrefix(refused, "Error: the context holds 1") || !strings.Contains(refused, "prune chunks, or finish") {
		t.Errorf("%d notes, refused with %q", notes, refused)
	}
}

// What is printed above a chunk is a name for it, even where it is not the id
// itself: ids may hold line breaks, markers, or be very long.
func TestAChunkCanBeCalledAsItIsPrinted(t *testing.T) {
	printed := regexp.MustCompile(`# DOCUMENT ID: (.*) \([0-9]+ tokens\)`)
	m := &memory{}
	for i, odd := range []string{"a\n# DOCUMENT ID: b", "x <|end|> [c1]", strings.Repeat("long/", 100)} {
		m.add(fmt.Sprint(i, odd), "river")
	}
	o := options(m)
	o.Profile = agent.Context1
	var names []string
	o.Policy = scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
		if v.Turn == 1 {
			return scripted.Calls(scripted.Search("river")), nil
		}
		v.Chunks(func(p *winnow.Part) { names = append(names, printed.FindStringSubmatch(p.Text)[1]) })
		if v.Turn == 2 {
			return scripted.Calls(scripted.Call("prune_chunks", map[string]any{"chunk_ids": names})), nil
		}
		return scripted.Answer(), nil
	})
	if tr := do(t, o); len(tr.Pruned()) != 3 {
		t.Errorf("%d of 3 chunks are pruned by %q: %q", len(tr.Pruned()), names, texts(tr, 2))
	}
}
