package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/policy/replay"
	"github.com/winnow-search/winnow/policy/scripted"
)

var small = func() *memory {
	return newMemory(
		[]string{"the river runs north", "the river floods in spring", "a bridge over the river"},
		[]string{"the market opens at dawn", "a link to the river market"},
		[]string{"nothing of note"},
	)
}

func options(m *memory, actions ...winnow.Action) agent.Options {
	return agent.Options{Question: "where does the river run?", Corpus: m, Policy: scripted.New(actions...)}
}

func TestARunSearchesAndConcludes(t *testing.T) {
	tr := do(t, options(small(), scripted.Calls(scripted.Search("river")), scripted.Answer("c2", "d01", "nobody", "c1")))
	end := tr.End()
	if end.Ended != winnow.Concluded || end.Forced || end.Turns != 2 || end.Calls != 1 {
		t.Errorf("got %+v", end)
	}
	var got []string
	for _, d := range end.Ranking.Selected() {
		got = append(got, d.Document)
	}
	if !slices.Equal(got, []string{"d00", "d01"}) {
		t.Errorf("selected %v", got)
	}
	if !slices.Equal(end.Ranking[0].Chunks, []string{"d00_1", "d00_0"}) {
		t.Errorf("the chunks named come first and in order, got %v", end.Ranking[0].Chunks)
	}
	if !slices.Equal(end.Unknown, []string{"nobody"}) {
		t.Errorf("unknown ids are reported, got %v", end.Unknown)
	}
}

func TestASearchNeverReturnsAChunkTwice(t *testing.T) {
	tr := do(t, options(small(), scripted.Calls(scripted.Search("bridge")),
		scripted.Calls(scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{"c1"}})),
		scripted.Calls(scripted.Search("river")), scripted.Calls(scripted.Search("river")), scripted.Answer()))
	want := [][]string{{"{d00_2}"}, nil, {"{d00_0}{d00_1}{d01_1}"}, {"Nothing new was found."}}
	for i, w := range want {
		if got := texts(tr, i+1); w != nil && !slices.Equal(got, w) {
			t.Errorf("turn %d: got %q, want %q", i+1, got, w)
		}
	}
}

func TestParallelSearchesRefillWhatAnEarlierOneTook(t *testing.T) {
	m := &memory{}
	for i := range 30 {
		m.add(fmt.Sprintf("doc%02d", i), "river")
	}
	tr := do(t, options(m, scripted.Calls(scripted.Search("river"), scripted.Search("river"), scripted.Search("river"), scripted.Search("river")), scripted.Answer()))
	got := texts(tr, 1)
	for i := range 3 {
		if n := strings.Count(got[i], "{"); n != 10 {
			t.Errorf("call %d shows %d chunks, not 10: %s", i, n, got[i])
		}
	}
	if got[3] != "Nothing new was found." {
		t.Errorf("the fourth call finds nothing new, got %q", got[3])
	}
}

func TestAReadThatTakesManyChunksDoesNotStarveASearch(t *testing.T) {
	m := &memory{}
	m.add("long", strings.Split(strings.Repeat("river,", 40)+"river", ",")...)
	for i := range 12 {
		m.add("z"+string(rune('a'+i)), "river")
	}
	tr := do(t, options(m, scripted.Calls(scripted.Call("read_document", map[string]string{"doc_id": "long"}), scripted.Search("river")), scripted.Answer()))
	got := texts(tr, 1)
	if n := strings.Count(got[1], "{z"); n != 10 {
		t.Errorf("the search shows %d new chunks, not 10: %s", n, got[1])
	}
}

func TestGrepNamesWhatIsInViewAndRestoresWhatWasPruned(t *testing.T) {
	prune := scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{"c1", "c9", "d00"}})
	grep := scripted.Call("grep_corpus", map[string]string{"pattern": "bridge|market"})
	tr := do(t, options(small(), scripted.Calls(scripted.Search("bridge"), scripted.Search("dawn")), scripted.Calls(prune), scripted.Calls(grep), scripted.Answer("d00")))
	if got := texts(tr, 2)[0]; !strings.HasPrefix(got, "Pruned 1 chunk; ") || !strings.Contains(got, "Unknown: c9.") {
		t.Errorf("a prune says what it did, got %q", got)
	}
	if got, want := texts(tr, 3)[0], "{d00_2}{d01_1}In view already: c2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.ContainsFunc(tr.Events, func(e winnow.Event) bool {
		return e.Restore != nil && slices.Equal(e.Restore.Chunks, []string{"d00_2"})
	}) {
		t.Error("the restore is not an event")
	}
}

func TestAPrunedResultKeepsOneSentence(t *testing.T) {
	var last *winnow.View
	o := options(small())
	o.Policy = scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
		last = v
		switch v.Turn {
		case 1:
			return scripted.Calls(scripted.Search("bridge")), nil
		case 2:
			return scripted.Calls(scripted.Call("prune_chunks", map[string]any{"chunk_ids": "c1"}), scripted.Call("restore_chunks", map[string]any{"chunk_ids": []string{"c7"}})), nil
		case 3:
			return scripted.Calls(scripted.Call("search_history", map[string]any{"query": "BRIDGE"}), scripted.Call("restore_chunks", map[string]any{"chunk_ids": []string{"c1", "c7"}})), nil
		}
		return scripted.Answer(), nil
	})
	tr := do(t, o)
	if got := last.Turns[0].Results[0].Text(); got != "All of this result was pruned." {
		t.Errorf("got %q", got)
	}
	if got := texts(tr, 3); got[0] != "c1 (d00, pruned): a bridge over the river" || got[1] != "{d00_2}Unknown: c7. search_history lists what was shown." {
		t.Errorf("got %q", got)
	}
	if end := tr.End(); len(end.Ranking) != 1 || end.Ranking[0].Selected || end.Pruned != 1 {
		t.Errorf("what was shown and not selected follows, got %+v", end)
	}
}

func TestCallsThatCanNotBeRunAreAnsweredWithWhatIsValid(t *testing.T) {
	for _, c := range []struct {
		call winnow.Call
		want string
	}{
		{winnow.Call{Tool: "fly", Arguments: "{}"}, `Error: there is no tool "fly". Try: search_corpus, grep_corpus,`},
		{winnow.Call{Tool: "search_corpus", Arguments: `{"query": `}, "Error: search_corpus was called with arguments that are not a JSON object."},
		{winnow.Call{Tool: "search_corpus", Arguments: `{"q": "x", "query": "y"}`}, `Error: search_corpus has no parameter "q".`},
		{winnow.Call{Tool: "search_corpus", Arguments: `{}`}, `Error: search_corpus needs "query".`},
		{winnow.Call{Tool: "search_corpus", Arguments: `{"query": 7}`}, `Error: "query" of search_corpus must be a string.`},
		{winnow.Call{Tool: "search_corpus", Arguments: `{"query": "` + strings.Repeat("x", 1<<20) + `"}`}, `Error: "query" of search_corpus must be at most 8192 bytes long.`},
		{winnow.Call{Tool: "grep_corpus", Arguments: `{"pattern": "("}`}, "Error: "},
		{winnow.Call{Tool: "grep_corpus", Arguments: `{"pattern": "x", "where": {"$nope": 1}}`}, "Error: "},
		{winnow.Call{Tool: "read_document", Arguments: `{"doc_id": "no"}`}, `Error: there is no document "no". Try: an id that a search returned.`},
		{winnow.Call{Tool: "follow_links", Arguments: `{"chunk_ids": ["c1"]}`}, "Error: none of these was shown: c1."},
		{winnow.Call{Tool: "prune_chunks", Arguments: `{"chunk_ids": []}`}, "Nothing was pruned."},
		{winnow.Call{Tool: "list_corpus"}, "3 documents, 6 chunks.\nkey year (2 chunks): 2001 ×2\nfolders: \\\"notes\\\" ×3"},
	} {
		tr := do(t, options(small(), scripted.Calls(c.call), scripted.Answer()))
		if got := texts(tr, 1)[0]; !strings.HasPrefix(got, strings.ReplaceAll(c.want, `\"`, `"`)) {
			t.Errorf("%s: got %q, want %q", c.call.Tool, got, c.want)
		}
		if tr.End().Ended != winnow.Concluded {
			t.Errorf("%s: the run goes on after an error, got %q", c.call.Tool, tr.End().Ended)
		}
	}
}

func TestAnExcludedDocumentCanNotBeRead(t *testing.T) {
	o := options(small(), scripted.Calls(scripted.Call("read_document", map[string]string{"doc_id": "d00"}), scripted.Search("river")), scripted.Answer())
	o.Scope.ExcludeDocuments = []string{"d00"}
	tr := do(t, o)
	if got := texts(tr, 1); !strings.HasPrefix(got[0], "Error: document d00 is outside") || got[1] != "{d01_1}" {
		t.Errorf("got %q", got)
	}
}

func TestRunsEndForTheReasonTheySay(t *testing.T) {
	search := scripted.Calls(scripted.Search("river"))
	forever := scripted.Func(func(context.Context, *winnow.View) (winnow.Action, error) { return search, nil })
	t.Run("the turn limit", func(t *testing.T) {
		o := options(small())
		o.Policy, o.MaxTurns = forever, 3
		end := do(t, o).End()
		if end.Ended != winnow.AtTurnLimit || !end.Forced || len(end.Ranking.Selected()) != 2 || end.Turns != 3 {
			t.Errorf("got %+v", end)
		}
	})
	t.Run("a deadline while the corpus stalls", func(t *testing.T) {
		m := small()
		m.stall = true
		o := options(m)
		o.Policy, o.Timeout = forever, 1
		if end := do(t, o).End(); end.Ended != winnow.AtDeadline {
			t.Errorf("got %+v", end)
		}
	})
	t.Run("cancellation inside a policy", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		o := options(small())
		o.Policy = scripted.Func(func(ctx context.Context, v *winnow.View) (winnow.Action, error) {
			if v.Turn == 2 {
				cancel()
				return winnow.Action{}, ctx.Err()
			}
			return search, nil
		})
		tr, err := agent.Do(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		check(t, tr, nil)
		if end := tr.End(); end.Ended != winnow.WasCancelled || len(end.Ranking.Selected()) != 2 {
			t.Errorf("the partial ranking is kept, got %+v", end)
		}
	})
	t.Run("a policy that fails", func(t *testing.T) {
		o := options(small())
		o.Policy = scripted.Func(func(context.Context, *winnow.View) (winnow.Action, error) {
			return winnow.Action{}, &winnow.Error{Code: winnow.Unavailable, Message: "no server", Hint: "winnow doctor"}
		})
		end := do(t, o).End()
		if end.Ended != winnow.Forced || end.Failure == nil || end.Failure.Hint != "winnow doctor" || end.Turns != 0 {
			t.Errorf("got %+v", end)
		}
	})
	t.Run("a corpus that is gone", func(t *testing.T) {
		m := small()
		m.fail = errors.New("connection refused")
		tr := do(t, options(m, search, scripted.Answer()))
		if got := texts(tr, 1)[0]; got != "Error: the corpus could not answer: connection refused. The same call may work later." {
			t.Errorf("got %q", got)
		}
	})
	t.Run("neither calls nor an answer", func(t *testing.T) {
		end := do(t, options(small(), search, winnow.Action{Text: "I am done."})).End()
		if end.Ended != winnow.Forced || !end.Forced || len(end.Ranking.Selected()) != 2 {
			t.Errorf("got %+v", end)
		}
	})
	t.Run("a server that cuts the prompt", func(t *testing.T) {
		end := do(t, options(small(), winnow.Action{Calls: search.Calls, Usage: winnow.Usage{Prompt: 100}})).End()
		if end.Failure == nil || !strings.Contains(end.Failure.Hint, "num_ctx") {
			t.Errorf("got %+v", end)
		}
	})
}

func TestAQuestionThatLeavesNoRoomIsRefused(t *testing.T) {
	o := options(small())
	o.Question = strings.Repeat("why ", 30000)
	for e, err := range agent.Run(t.Context(), o) {
		if winnow.CodeOf(err) != winnow.TooMuch {
			t.Errorf("got %v, %v", e, err)
		}
	}
}

func TestAListenerMayLeave(t *testing.T) {
	for range agent.Run(t.Context(), options(small(), scripted.Calls(scripted.Search("river")))) {
		break
	}
}

func TestAReplayMakesTheSameTrajectory(t *testing.T) {
	tr := do(t, options(small(), scripted.Calls(scripted.Search("river"), scripted.Search("market")), scripted.Answer("c1")))
	p, err := replay.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	o := options(small())
	o.Policy = p
	if again := do(t, o); asJSON(again.Events) != asJSON(tr.Events) {
		t.Errorf("got %s\nwant %s", asJSON(again.Events), asJSON(tr.Events))
	}
}

func TestAnAblationTakesAToolOrTheDeduplicationAway(t *testing.T) {
	o := options(small(), scripted.Calls(scripted.Search("bridge")),
		scripted.Calls(scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{"c1"}})),
		scripted.Calls(scripted.Search("bridge")), scripted.Answer())
	o.Omit, o.Repeat = []string{"prune_chunks"}, true
	tr := do(t, o)
	if len(tr.Pruned()) > 0 || !strings.Contains(texts(tr, 2)[0], `there is no tool "prune_chunks"`) {
		t.Errorf("the tool still answers %q", texts(tr, 2))
	}
	if got := texts(tr, 3); !slices.Equal(got, []string{"{d00_2}"}) {
		t.Errorf("the second search shows %q", got)
	}
}
