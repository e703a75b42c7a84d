package builtin

import (
	"path/filepath"
	"testing"

	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/eval"
)

// committedModel has the weights that come with the policy, for a search without
// vectors.
func committedModel(t testing.TB) *Model {
	t.Helper()
	w, err := Load("", "")
	if err != nil {
		t.Fatal(err)
	}
	return NewModel(w)
}

// TestTheCommittedWeightsFindWhatIsThere asks the questions of the regression
// gate, none of which taught anything. The bounds are far below what was seen:
// weights that were trained on other features, or that are not those of the
// search without vectors, fall through them.
func TestTheCommittedWeightsFindWhatIsThere(t *testing.T) {
	tasks, err := eval.Load(filepath.Join("..", "..", "eval", "testdata", "gate", "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	corpus, model := village(t), committedModel(t)
	var results []eval.Result
	for i := range tasks.Tasks {
		task := &tasks.Tasks[i]
		trajectory := ask(t, model, agent.Options{Question: task.Question, Corpus: corpus})
		inBounds(t, trajectory)
		results = append(results, eval.NewResult(task, eval.OutcomeOf(trajectory)))
	}
	got := eval.Summarise(results, 0).Metrics
	for metric, least := range map[eval.Metric]float64{eval.Recall5: 0.85, eval.NDCG10: 0.8, eval.F1: 0.5, eval.PruneAccuracy: 0.9} {
		if got[metric] < least {
			t.Errorf("%s is %.2f of %v", metric, got[metric], got)
		}
	}
}
