package agent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/corpus"
	"github.com/winnow-search/winnow/policy/scripted"
)

// in names the collection of a corpus, and puts a prefix before all its ids.
func (m *memory) in(collection, prefix string) corpus.Member {
	for _, d := range m.documents {
		d.ID = prefix + d.ID
		for i := range d.Chunks {
			c := &d.Chunks[i]
			c.Collection, c.Document, c.ID = collection, d.ID, prefix+c.ID
		}
	}
	return corpus.Member{Name: collection, Corpus: m}
}

var collections = []string{"left", "right"}

func TestEqualIdsOfTwoCollectionsAreTwoChunks(t *testing.T) {
	for _, c := range []struct {
		profile      string
		first, prune string // the name of the right one's first chunk, and of its document
	}{
		{agent.Winnow, "c2", "c2"},
		{agent.Context1, "right:d00_0", "right:d00"},
	} {
		left, right := newMemory([]string{"the river runs north", "a bridge"}), newMemory([]string{"the river runs south", "a bridge too"})
		o := agent.Options{Question: "where?", Corpus: corpus.Join(left.in("left", ""), right.in("right", "")), Collections: collections, Profile: c.profile}
		v := last(t, o, scripted.Calls(scripted.Search("river")), scripted.Calls(scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{c.prune}})),
			scripted.Calls(scripted.Call("grep_corpus", map[string]string{"pattern": "bridge"})), scripted.Calls(scripted.Call("read_document", map[string]string{"doc_id": "right:d00"})), scripted.Answer())
		var inView []string
		v.Chunks(func(p *winnow.Part) { inView = append(inView, p.Chunk.Collection+" "+p.Chunk.ID) })
		if want := []string{"left d00_0", "left d00_1", "right d00_1", "right d00_0"}; !slices.Equal(inView, want) {
			t.Errorf("%s: got %q, want %q", c.profile, inView, want)
		}
		o.Policy = scripted.New(scripted.Calls(scripted.Search("river")), scripted.Calls(scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{c.prune}})), scripted.Answer(c.first, "d00"))
		tr := do(t, o)
		var ranked []string
		for _, d := range tr.End().Ranking {
			ranked = append(ranked, d.Collection+" "+d.Document+" "+strings.Join(d.Chunks, " "))
		}
		if want := []string{"right d00 d00_0", "left d00 d00_0"}; !slices.Equal(ranked, want) {
			t.Errorf("%s: a name stands for one, a bare id for the first shown; got %q, want %q", c.profile, ranked, want)
		}
		if pruned := tr.Pruned(); len(pruned) != 1 || pruned[0].Collection != "right" || len(tr.Shown()) != 2 {
			t.Errorf("%s: pruned %v", c.profile, pruned)
		}
	}
}

// A run over two collections that share all their ids goes as over two that
// share none: what is looked for, shown, pruned and ranked does not depend on
// how documents are called.
func TestSharedIdsChangeNothing(t *testing.T) {
	for seed := range uint64(6) {
		for _, profile := range []string{agent.Winnow, agent.Context1} {
			t.Run(fmt.Sprint(profile, "/", seed), func(t *testing.T) {
				t.Parallel()
				shared, apart := story(t, seed, profile, ""), story(t, seed, profile, "x")
				for i := range min(len(shared), len(apart)) {
					if shared[i] != apart[i] {
						t.Fatalf("step %d: %q with shared ids, %q with others", i, shared[i], apart[i])
					}
				}
				if len(shared) != len(apart) {
					t.Errorf("%d and %d steps", len(shared), len(apart))
				}
			})
		}
	}
}

// story is what a run shows, prunes and ranks, told by collection and text.
func story(t *testing.T, seed uint64, profile, prefix string) (steps []string) {
	left, right := library(4, 5, 30), library(4, 5, 30)
	for _, d := range right.documents {
		for i := range d.Chunks {
			d.Chunks[i].Text = "other " + d.Chunks[i].Text
		}
	}
	policy := scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
		r := rand.New(rand.NewPCG(seed, uint64(v.Turn)))
		var names []string
		v.Chunks(func(p *winnow.Part) {
			if r.IntN(3) == 0 {
				names = append(names, p.Name())
			}
		})
		if v.Turn == 12 {
			return scripted.Answer(names...), nil
		}
		word := func() string { return lexicon[r.IntN(len(lexicon))] }
		calls := []winnow.Call{scripted.Search(word() + " " + word()), scripted.Call("grep_corpus", map[string]string{"pattern": word()[:3]})}
		if len(names) > 0 {
			for _, tool := range []string{"prune_chunks", "restore_chunks", "follow_links"} {
				calls = append(calls, scripted.Call(tool, map[string]any{"chunk_ids": names}))
			}
			calls = append(calls, scripted.Call("read_document", map[string]string{"doc_id": names[0]}))
		}
		return scripted.Calls(calls[:1+r.IntN(len(calls))]...), nil
	})
	tr := do(t, agent.Options{Question: "where is the river?", Policy: policy, Profile: profile, Collections: collections, Budget: winnow.Budget{Tokens: 200_000},
		Corpus: corpus.Join(left.in("left", ""), right.in("right", prefix))})
	for _, e := range tr.Events {
		switch {
		case e.Observation != nil:
			for _, r := range e.Observation.Results {
				for _, p := range r.Parts {
					if p.Chunk != nil {
						steps = append(steps, p.Chunk.Collection+": "+p.Chunk.Text)
					}
				}
			}
		case e.Prune != nil:
			steps = append(steps, fmt.Sprint("prune ", len(e.Prune.Chunks)))
		case e.Restore != nil:
			steps = append(steps, fmt.Sprint("restore ", len(e.Restore.Chunks)))
		case e.End != nil:
			for _, d := range e.End.Ranking {
				steps = append(steps, fmt.Sprint(d.Rank, d.Selected, d.Collection, d.Title, len(d.Chunks)))
			}
		}
	}
	for _, h := range tr.Pruned() {
		steps = append(steps, "pruned "+h.Collection+": "+h.Text)
	}
	return steps
}

func TestFusionTellsCollectionsApart(t *testing.T) {
	end := agent.Fuse([]*winnow.End{
		{Ended: winnow.Concluded, Ranking: winnow.Ranking{{Rank: 1, Selected: true, Document: "d", Collection: "left"}}},
		{Ended: winnow.Concluded, Ranking: winnow.Ranking{{Rank: 1, Selected: true, Document: "d", Collection: "right"}}},
	})
	if len(end.Ranking) != 2 || end.Ranking[0].Collection != "left" || end.Ranking[1].Collection != "right" {
		t.Errorf("got %+v", end.Ranking)
	}
}

func TestCollectionsThatCanNotBeToldApartAreRefused(t *testing.T) {
	for _, names := range [][]string{{"a", "a"}, {"a", "b", "a:c"}, {"/x:y", "/x"}} {
		o := options(small())
		o.Collections = names
		if _, err := agent.Do(t.Context(), o); winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("%q: got %v", names, err)
		}
	}
}

func TestNoPolicyBreaksTheInvariantsOverSeveralCollections(t *testing.T) {
	for seed := range uint64(2) {
		for _, profile := range []string{agent.Winnow, agent.Context1} {
			t.Run(fmt.Sprint(profile, "/", seed), func(t *testing.T) {
				t.Parallel()
				do(t, agent.Options{Question: "where is the river?", Collections: collections, Policy: hostilePolicy(seed), Profile: profile,
					Corpus: corpus.Join(hostileCorpus(1).in("left", ""), hostileCorpus(2).in("right", "")), Budget: winnow.Budget{Tokens: 9000}, MaxTurns: 16})
			})
		}
	}
}
