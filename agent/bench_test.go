package agent_test

import (
	"context"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/policy/scripted"
)

// canned answers every search with the next chunks of a library, so that what is
// measured is the harness.
type canned struct {
	*memory
	hits []winnow.Hit
}

func (c *canned) Search(_ context.Context, q winnow.Query) (*winnow.Results, error) {
	n := len(q.Scope.ExcludeChunks)
	if n+q.K > len(c.hits) {
		return &winnow.Results{}, nil
	}
	return &winnow.Results{Hits: c.hits[n : n+q.K]}, nil
}

// BenchmarkTurn is the cost of a turn in which two searches bring twenty chunks
// of some 200 tokens into a view that is full, and as many are pruned.
func BenchmarkTurn(b *testing.B) {
	for _, turns := range []int{6, 60} {
		b.Run(map[int]string{6: "turn 6", 60: "turn 60"}[turns], func(b *testing.B) {
			m := library(100, 20, 120)
			c := &canned{memory: m}
			for _, d := range m.documents {
				for _, chunk := range d.Chunks {
					c.hits = append(c.hits, winnow.Hit{Chunk: chunk})
				}
			}
			for b.Loop() {
				b.StopTimer()
				policy := scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
					if v.Turn == turns {
						b.StartTimer()
					}
					if v.Turn > turns {
						b.StopTimer()
						return scripted.Answer(), nil
					}
					var old []string
					if v.Tokens > 20_000 {
						v.Chunks(func(p *winnow.Part) { old = append(old, p.Handle) })
						old = old[:min(len(old), 20)]
					}
					return winnow.Action{Reasoning: "What is known so far points to the river.", Calls: []winnow.Call{
						scripted.Call("prune_chunks", map[string]any{"chunk_ids": old}), scripted.Search("river"), scripted.Search("stone")}}, nil
				})
				for _, err := range agent.Run(b.Context(), agent.Options{Question: "where?", Corpus: c, Policy: policy, MaxTurns: 100}) {
					if err != nil {
						b.Fatal(err)
					}
				}
				b.StartTimer()
			}
		})
	}
}
