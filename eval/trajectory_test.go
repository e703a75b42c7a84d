package eval

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/policy/scripted"
)

// shelf finds every document, in order, whatever is asked, and remembers how it
// was asked.
type shelf struct {
	winnow.Corpus
	documents []string
	asked     []winnow.Query
}

func (s *shelf) Search(_ context.Context, q winnow.Query) (*winnow.Results, error) {
	s.asked = append(s.asked, q)
	r := &winnow.Results{}
	for _, d := range s.documents {
		id := d + "_0"
		if !slices.Contains(q.Scope.ExcludeChunks, id) && !slices.Contains(q.Scope.ExcludeDocuments, d) {
			r.Hits = append(r.Hits, winnow.Hit{Chunk: winnow.Chunk{ID: id, Document: d, Title: "T" + d, Text: "text of " + d, Tokens: 4}})
		}
	}
	return r, nil
}

func asks(s *shelf, actions ...winnow.Action) *Agent {
	return &Agent{Options: func() (agent.Options, error) {
		return agent.Options{Corpus: s, Policy: scripted.New(actions...)}, nil
	}}
}

var prune = scripted.Calls(scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{"c2", "c4"}}))

func TestATrajectoryIsScored(t *testing.T) {
	// The corpus holds a, b, c, d; gold is a, b and e; b and d are pruned, a and c
	// selected.
	s := &shelf{documents: []string{"a", "b", "c", "d"}}
	a := asks(s, scripted.Calls(scripted.Search("x")), prune, scripted.Answer("c1", "c3"))
	var recorded *winnow.Trajectory
	a.Record = func(_ *Task, t *winnow.Trajectory) error { recorded = t; return nil }
	task := Task{ID: "q", Question: "?", Gold: []string{"a", "b", "e"}}
	o, err := a.Answer(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if recorded == nil || recorded.End() == nil {
		t.Error("the trajectory was not recorded")
	}
	equal(t, "counts", []any{o.Turns, o.Calls, len(o.Shown), len(o.Pruned), len(o.Views), o.Ended}, []any{3, 2, 4, 2, 3, winnow.Concluded})
	if o.PeakView != slices.Max(o.Views) || o.Views[1] <= o.Views[0] {
		t.Errorf("the views were of %v tokens, the largest of %d", o.Views, o.PeakView)
	}
	equal(t, "first document", o.Ranking[0], Ranked{Document: "a", Title: "Ta", Chunks: []string{"a_0"}, Selected: true, Passages: []Passage{{Chunk: "a_0", Text: "text of a"}}})
	got := Score(&task, &o)
	for m, want := range map[Metric]float64{Recall: 1. / 3, Precision: 1. / 2, TrajectoryRecall: 2. / 3, PruneAccuracy: 1. / 2, PrunedShare: 1. / 2} {
		if !near(got[m], want) {
			t.Errorf("%s: got %v, want %v", m, got[m], want)
		}
	}
	equal(t, "fates", Fates(&task, &o), []Fate{Returned, PrunedAway, NeverMet})
}

func TestRolloutsAreOneOutcomeWithTheUnionOfWhatTheyMet(t *testing.T) {
	s := &shelf{documents: []string{"a", "b"}}
	n := 0
	a := &Agent{Rollouts: 2, Options: func() (agent.Options, error) {
		n++
		policy := scripted.New(scripted.Calls(scripted.Search("x")), scripted.Answer("c1"))
		if n == 2 {
			policy = scripted.New(scripted.Answer())
		}
		return agent.Options{Corpus: s, Policy: policy}, nil
	}}
	o, err := a.Answer(t.Context(), Task{ID: "q", Question: "?"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "outcome", []any{len(o.Shown), o.Turns, len(o.Ranking), o.Ranking[0].Document, o.Ranking[0].Selected}, []any{2, 3, 2, "a", true})
}

// broken is a policy whose server fails.
type broken struct{ err error }

func (broken) Name() string { return "broken" }
func (b broken) Next(context.Context, *winnow.View) (winnow.Action, error) {
	return winnow.Action{}, b.err
}

func TestAServerThatIsGoneStopsTheRunAndOtherFailuresDoNot(t *testing.T) {
	for code, stops := range map[winnow.Code]bool{winnow.Unavailable: true, winnow.BadInput: true, winnow.NotFound: true, winnow.TooMuch: false} {
		a := &Agent{Options: func() (agent.Options, error) {
			return agent.Options{Corpus: &shelf{}, Policy: broken{&winnow.Error{Code: code, Message: "it is broken"}}}, nil
		}}
		_, err := a.Answer(t.Context(), Task{ID: "q", Question: "?"})
		var halt *Halt
		if err == nil || errors.As(err, &halt) != stops {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestTheDocumentOfTheQuestionItselfIsLeftOut(t *testing.T) {
	s := &shelf{documents: []string{"self", "a"}}
	a := asks(s, scripted.Calls(scripted.Search("x")), scripted.Answer("c1"))
	a.Scope.ExcludeDocuments = []string{"other"}
	o, err := a.Answer(t.Context(), Task{ID: "q", Question: "?", SelfID: "self"})
	if err != nil || len(o.Shown) != 1 || o.Shown[0].Document != "a" {
		t.Errorf("shown %v, %v", o.Shown, err)
	}
}

func TestAblationsTakeAwayWhatTheySay(t *testing.T) {
	options := func(names ...string) (agent.Options, *shelf) {
		s := &shelf{documents: []string{"a"}}
		a, err := ParseAblations(names, false)
		if err != nil {
			t.Fatal(err)
		}
		return a.Options(agent.Options{Corpus: s, Question: "?", Policy: scripted.New(scripted.Calls(scripted.Search("x")), scripted.Answer("c1"))}), s
	}
	run := func(o agent.Options) *winnow.Trajectory {
		tr, err := agent.Do(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	o, _ := options("no-prune")
	for _, tool := range run(o).Start().Tools {
		if slices.Contains([]string{"prune_chunks", "restore_chunks", "search_history"}, tool.Name) {
			t.Errorf("no-prune leaves %s", tool.Name)
		}
	}
	o, _ = options("no-budget")
	equal(t, "no-budget", run(o).Start().Budget.Tokens, 200_000)
	o, _ = options("no-dedup")
	equal(t, "no-dedup", o.Repeat, true)
	for name, leg := range map[string]winnow.Leg{"bm25-only": winnow.LegBM25, "dense-only": winnow.LegDense, "links-only": winnow.LegLinks} {
		o, s := options(name)
		run(o)
		equal(t, name, []any{s.asked[0].Legs, s.asked[0].Rerank}, []any{[]winnow.Leg{leg}, "off"})
	}
	o, s := options("no-rerank")
	run(o)
	equal(t, "no-rerank", []any{len(s.asked[0].Legs), s.asked[0].Rerank}, []any{0, "off"})
	o, s = options()
	run(o)
	equal(t, "nothing", s.asked[0].Rerank, "")
}

func TestAblationsThatMakeNoSenseAreRefused(t *testing.T) {
	for want, names := range map[string][]string{
		`there is no ablation "no-luck"`:                       {"no-luck"},
		"bm25-only and dense-only leave no leg to search with": {"bm25-only", "dense-only"},
	} {
		if _, err := ParseAblations(names, false); err == nil || err.Error() != want {
			t.Errorf("%v: %v", names, err)
		}
	}
	if _, err := ParseAblations([]string{"no-prune"}, true); err == nil {
		t.Error("a policy that prunes nothing can do without pruning")
	}
}

func TestThePresetSetsThePublishedConstants(t *testing.T) {
	p, err := FindPreset(Context1Report)
	if err != nil {
		t.Fatal(err)
	}
	o := p.Options(agent.Options{})
	equal(t, "constants", []any{p.Profile, *p.Temperature, o.MaxTurns, o.Budget}, []any{agent.Context1, 1.0, 64, winnow.Budget{Tokens: 32768, Soft: 16384, Hard: 24576, PerCall: 4096, Quiet: true}})
	for _, what := range []string{"embedder", "reranker", "pool", "prompt"} {
		if !slices.ContainsFunc(p.Deviations, func(d string) bool { return len(d) > len(what) && d[:len(what)] == what }) {
			t.Errorf("nothing is said of the %s", what)
		}
	}
	if _, err := FindPreset("other"); err == nil {
		t.Error("there is a preset of any name")
	}
}
