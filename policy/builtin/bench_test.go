package builtin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

// turnOf is a turn whose calls brought chunks.
func turnOf(r *rand.Rand, calls, each, from int) winnow.Turn {
	var turn winnow.Turn
	for call := range calls {
		result := winnow.Result{Call: call, Tool: "search_corpus"}
		for i := range each {
			id := fmt.Sprintf("d%d", from+call*each+i)
			text := ""
			for range 6 {
				text += inventedSentence(r, 200) + " "
			}
			features := make([]float32, len(index.Features))
			for j := range features {
				features[j] = r.Float32()
			}
			result.Parts = append(result.Parts, winnow.Part{Handle: "c" + id, Chunk: &winnow.Hit{Score: r.Float64(), Features: features,
				Chunk: winnow.Chunk{ID: id + "_0", Document: id, Title: nameOf(from + call*each + i), Text: text, Tokens: 120}}})
		}
		turn.Results = append(turn.Results, result)
	}
	return turn
}

// BenchmarkRun is what the policy itself takes of a run in which 90 passages are
// shown: reading, chains and ranking, without searches and without the loop.
func BenchmarkRun(b *testing.B) {
	model := committedModel(b)
	r := rand.New(rand.NewPCG(1, 2))
	views := []*winnow.View{{Turn: 1}, {Turn: 2, Turns: []winnow.Turn{turnOf(r, 6, 9, 0)}}, {Turn: 3, Turns: []winnow.Turn{turnOf(r, 4, 8, 54)}},
		{Turn: 4, Turns: []winnow.Turn{turnOf(r, 1, 4, 86)}}, {Turn: 5, Turns: []winnow.Turn{{}}}}
	for _, v := range views {
		v.Question = "Which was built first, the bridge of Ada Doranson over the river or the mill that the brother of Celia Doranson painted in 1874?"
		v.Tools = []winnow.Tool{{Name: "follow_links"}, {Name: "prune_chunks"}}
		v.Budget = winnow.Budget{Tokens: 32_768, Soft: 24_576, Hard: 28_672, Reserve: 4_096}
	}
	for b.Loop() {
		p := model.Policy()
		for _, v := range views {
			if _, err := p.Next(context.Background(), v); err != nil {
				b.Fatal(err)
			}
		}
		if len(p.passages) != 90 {
			b.Fatalf("%d passages were read", len(p.passages))
		}
	}
}
