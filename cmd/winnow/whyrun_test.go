package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestWhyFollowsADocumentThroughARun(t *testing.T) {
	stageNotes(t)
	must(t, "ask", "--in", "notes", "--policy", "query", "--trace", "run.jsonl", "apples")
	if err := os.RemoveAll("notes"); err != nil { // the record is enough
		t.Fatal(err)
	}
	// The same run, had its policy pruned the pears and left the apples out.
	tr := recorded(t, "run.jsonl")
	end := tr.End()
	for i := range end.Ranking {
		end.Ranking[i].Selected = false
	}
	at := len(tr.Events) - 2 // before the last action
	tr.Events = slices.Insert(tr.Events, at,
		winnow.Event{Kind: winnow.EventAction, Turn: 2, Action: &winnow.Action{Calls: []winnow.Call{{Tool: "prune_chunks", Arguments: `{"chunk_ids":["pears.md"]}`}}}},
		winnow.Event{Kind: winnow.EventPrune, Turn: 2, Prune: &winnow.Prune{Chunks: []string{"pears.md_0"}}})
	var b strings.Builder
	if _, err := tr.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	write(t, "pruned.jsonl", b.String())
	for _, c := range []struct {
		args  []string
		code  int
		stage winnow.Stage
		want  []string
	}{
		{[]string{"--run", "last", "apples", "apples.md"}, exitOK, winnow.StageSelected,
			[]string{"apples.md was selected; it is ranked 1.", "turn 1, call 1  shown     apples.md_0  by search_corpus “apples”", "turn 2          selected  apples.md_0"}},
		{[]string{"--run", "run.jsonl", "plums.md"}, exitFail, winnow.StageNeverMet, []string{"plums.md was never met: it is not in what 1 call showed."}},
		{[]string{"--run", "pruned.jsonl", "apples.md"}, exitFail, winnow.StageNotSelected, []string{"apples.md was shown and not selected; it is ranked 1."}},
		{[]string{"--run", "pruned.jsonl", "pears.md"}, exitFail, winnow.StagePruned, []string{"pears.md was shown and pruned, and not selected; it is ranked 2.", "turn 2, call 1  pruned  pears.md_0  by prune_chunks"}},
	} {
		stdout, stderr, code := try(t, append([]string{"why"}, c.args...)...)
		for _, want := range c.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%v prints\n%s%s, without %q", c.args, stdout, stderr, want)
			}
		}
		var w course
		asJSON, _, _ := try(t, append([]string{"why", "--json"}, c.args...)...)
		if err := json.Unmarshal([]byte(asJSON), &w); err != nil || code != c.code || w.Stage != c.stage || w.Question != "apples" || w.Sentence == "" {
			t.Errorf("%v: exit code %d, %s (%v)", c.args, code, asJSON, err)
		}
	}
}

func TestWhyOfARunIsAskedOfThatRun(t *testing.T) {
	stageNotes(t)
	must(t, "ask", "--in", "notes", "--trace", "run.jsonl", "apples")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--run", "last", "plums", "apples.md"}, "another question"},
		{[]string{"--run", "last", "--in", "notes", "apples.md"}, "--in"},
		{[]string{"--run", "last"}, "DOCUMENT is missing"},
		{[]string{"--run", "nothing", "apples.md"}, "there is no run"},
	} {
		if _, stderr, code := try(t, append([]string{"why"}, c.args...)...); code == exitOK || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d, %s", c.args, code, stderr)
		}
	}
}
