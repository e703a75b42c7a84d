package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/policy/scripted"
)

// overheard remembers what was asked of the links, and answers with a warning.
type overheard struct {
	*memory
	asked []winnow.LinkQuery
}

func (o *overheard) Neighbours(ctx context.Context, q winnow.LinkQuery) (*winnow.Neighbours, error) {
	o.asked = append(o.asked, q)
	found, err := o.memory.Neighbours(ctx, q)
	if err == nil {
		found.Warnings = []string{"a collection was left out"}
	}
	return found, err
}

func TestLinksAreFollowedFromSeveralChunksWithAQuestion(t *testing.T) {
	m := &overheard{memory: small()}
	o := options(m.memory, scripted.Calls(scripted.Search("bridge"), scripted.Search("dawn")),
		scripted.Calls(scripted.Call("follow_links", map[string]any{"chunk_ids": []string{"c1", "d01", "nobody"}, "question": "who built it?"})),
		scripted.Calls(scripted.Call("follow_links", map[string]any{"chunk_ids": "c1"})), scripted.Answer())
	o.Corpus = m
	tr := do(t, o)
	if q := m.asked[0]; !slices.Equal(q.From, []string{"d00_2", "d01_0"}) || q.Question != "who built it?" {
		t.Errorf("asked %+v", q)
	}
	if q := m.asked[1]; !slices.Equal(q.From, []string{"d00_2"}) || q.Question != o.Question {
		t.Errorf("without a question it is that of the run, asked %+v", q)
	}
	if got, want := texts(tr, 2)[0], "{d01_1}c3: from c1, named \"link\"\nUnknown: nobody."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := tr.End().Warnings; !slices.Equal(got, []string{"a collection was left out"}) {
		t.Errorf("the run ends with the warnings %q", got)
	}
}

// What a policy in code goes by is in the view, and stays with a chunk that is
// pruned and restored.
func TestAViewHoldsWhyAChunkWasFound(t *testing.T) {
	o := options(small())
	v := last(t, o, scripted.Calls(scripted.Search("dawn market")), scripted.Calls(scripted.Call("follow_links", map[string]any{"chunk_ids": "c1"})),
		scripted.Calls(scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{"c1", "c2"}})),
		scripted.Calls(scripted.Call("restore_chunks", map[string]any{"chunk_ids": []string{"c1"}}), scripted.Call("grep_corpus", map[string]string{"pattern": "link"})), scripted.Answer())
	why := map[string]*winnow.Hit{}
	v.Chunks(func(p *winnow.Part) { why[p.Handle] = p.Chunk })
	if h := why["c1"]; h == nil || h.Score != 2 || !slices.Equal(h.Features, []float32{2}) || h.Lead != nil {
		t.Errorf("a search's hit is %+v", h)
	}
	if h := why["c2"]; h == nil || h.Score != 1 || len(h.Features) != 1 {
		t.Errorf("a search's hit is %+v", h)
	}
	o.Corpus = engine(t)
	o.Explain = true
	v = last(t, o, scripted.Calls(scripted.Search("Ada Lovelace")), scripted.Calls(scripted.Call("follow_links", map[string]any{"chunk_ids": []string{"odd.txt"}})),
		scripted.Calls(scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{"people/babbage.txt"}})),
		scripted.Calls(scripted.Call("read_document", map[string]any{"doc_id": "people/babbage.txt"})), scripted.Answer())
	v.Chunks(func(p *winnow.Part) { why[p.Chunk.Document] = p.Chunk })
	if h := why["odd.txt"]; h == nil || len(h.Legs) == 0 || h.Legs[0].Rank == 0 || !slices.Contains(h.Matched, "lovelac") && !slices.Contains(h.Matched, "lovelace") {
		t.Errorf("an explained hit is %+v", h)
	}
	if h := why["people/babbage.txt"]; h == nil || h.Lead == nil || h.Score <= 0 ||
		h.Lead.From != "odd.txt_0" || h.Lead.Kind != winnow.LinkNamed || !strings.EqualFold(h.Lead.Via, "Charles Babbage") || h.Lead.Back {
		t.Errorf("a neighbour is %+v", h)
	}
}

func TestAnAnswerMayCallAChunkByItsName(t *testing.T) {
	for _, profile := range []string{agent.Winnow, agent.Context1} {
		o := options(small())
		o.Profile = profile
		o.Policy = scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
			if v.Turn == 1 {
				return scripted.Calls(scripted.Search("market")), nil
			}
			var names []string
			v.Chunks(func(p *winnow.Part) { names = append(names, p.Name()) })
			return scripted.Answer(names...), nil
		})
		if got := do(t, o).End().Ranking.Selected(); len(got) != 1 || !slices.Equal(got[0].Chunks, []string{"d01_0", "d01_1"}) {
			t.Errorf("%s: got %+v", profile, got)
		}
	}
}
