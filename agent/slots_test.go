package agent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/policy/scripted"
)

// Calls that run side by side come out as if they had run one after the other:
// each search shows the ten best of what nothing before it has shown and the run
// may see. What was shown or excluded takes no slot.
func TestEverySearchShowsTheBestThatIsNew(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := library(8, 8, 12)
			m.jitter = true
			scope := winnow.Scope{ExcludeDocuments: []string{"doc/001"}, ExcludeChunks: []string{"doc/002_0", "doc/003_5", "nothing"}}
			policy := scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
				r := rand.New(rand.NewPCG(seed, uint64(v.Turn)))
				if v.Turn == 6 {
					return scripted.Answer(), nil
				}
				var calls []winnow.Call
				for range 1 + r.IntN(5) {
					word := lexicon[r.IntN(8)] // few words, so that searches want the same chunks
					switch r.IntN(6) {
					case 0:
						calls = append(calls, scripted.Call("read_document", map[string]string{"doc_id": fmt.Sprintf("doc/%03d", r.IntN(8))}))
					case 1:
						calls = append(calls, scripted.Call("grep_corpus", map[string]string{"pattern": word}))
					case 2:
						calls = append(calls, scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{"c1", "c3", "c5"}}))
					default:
						calls = append(calls, scripted.Search(word+" "+lexicon[r.IntN(8)]))
					}
				}
				return scripted.Calls(calls...), nil
			})
			tr := do(t, agent.Options{Question: "where?", Corpus: m, Policy: policy, Scope: scope, Budget: winnow.Budget{Tokens: 200_000, PerCall: 20_000}})
			searches, full := 0, 0
			excluded := slices.Clone(scope.ExcludeChunks)
			for _, e := range tr.Events {
				if e.Observation == nil {
					continue
				}
				for _, r := range e.Observation.Results {
					var got []string
					for _, p := range r.Parts {
						if p.Chunk != nil {
							got = append(got, p.Chunk.ID)
						}
					}
					if r.Tool == "search_corpus" {
						searches++
						want := bestOf(t, m, r.Query, winnow.Scope{ExcludeDocuments: scope.ExcludeDocuments, ExcludeChunks: excluded})
						if len(want) == 10 {
							full++
						}
						if !slices.Equal(got, want) {
							t.Errorf("turn %d, call %d, %q: got %q, want %q", e.Turn, r.Call+1, r.Query, got, want)
						}
					}
					excluded = append(excluded, got...)
				}
			}
			if searches == 0 || full == 0 {
				t.Fatalf("%d searches, %d of them with ten hits, show nothing", searches, full)
			}
		})
	}
}

func bestOf(t *testing.T, m *memory, query string, scope winnow.Scope) (ids []string) {
	t.Helper()
	r, err := m.Search(t.Context(), winnow.Query{Text: query, K: 10, Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range r.Hits {
		ids = append(ids, h.ID)
	}
	return ids
}
