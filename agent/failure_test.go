package agent_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/policy/scripted"
)

func TestACorpusThatIsGoneInTheMiddleLeavesARanking(t *testing.T) {
	for answers := range int64(12) {
		t.Run(fmt.Sprint(answers), func(t *testing.T) {
			t.Parallel()
			m := library(6, 6, 60)
			m.answers = 1 + answers
			// Every tool is called in every turn, so that each of them meets the end.
			policy := scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
				return scripted.Calls(scripted.Search("river stone"), scripted.Call("read_document", map[string]string{"doc_id": "doc/002"}),
					scripted.Call("grep_corpus", map[string]string{"pattern": "silver"}), scripted.Call("follow_links", map[string]any{"chunk_ids": []string{"c1"}}),
					scripted.Call("list_corpus", map[string]any{}), scripted.Call("restore_chunks", map[string]any{"chunk_ids": []string{"c1"}})), nil
			})
			tr := do(t, agent.Options{Question: "where?", Corpus: m, Policy: policy, MaxTurns: 4})
			end := tr.End()
			if end.Ended != winnow.AtTurnLimit || len(end.Ranking) == 0 && len(tr.Shown()) > 0 {
				t.Errorf("ended %q with %d documents of %d chunks shown", end.Ended, len(end.Ranking), len(tr.Shown()))
			}
			last := tr.Events[len(tr.Events)-2].Observation.Results
			for _, r := range last[:5] {
				if r.Code != winnow.Unavailable && r.Code != winnow.NotFound { // no chunk to follow links from
					t.Errorf("%s answers with %q", r.Tool, r.Code)
				}
			}
		})
	}
}

// liar breaks every promise: it repeats itself, ignores what is excluded and
// returns more than was asked for.
type liar struct{ *memory }

func (l liar) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	q.K, q.Scope = 25, winnow.Scope{}
	r, err := l.memory.Search(ctx, q)
	if err == nil {
		r.Hits = append(r.Hits, r.Hits...)
	}
	return r, err
}

func TestACorpusThatBreaksItsPromisesDoesNotBreakTheRun(t *testing.T) {
	policy := scripted.Func(func(context.Context, *winnow.View) (winnow.Action, error) {
		return scripted.Calls(scripted.Search("river"), scripted.Search("river")), nil
	})
	if end := do(t, agent.Options{Question: "where?", Corpus: liar{library(6, 10, 40)}, Policy: policy, MaxTurns: 8}).End(); len(end.Ranking) == 0 {
		t.Errorf("ended %q without a ranking", end.Ended)
	}
}
