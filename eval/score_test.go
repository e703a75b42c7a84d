package eval

import (
	"math"
	"testing"
)

// The worked examples of docs/metrics.md, with the numbers computed there by
// hand.

// example is the question that most of them use: three supporting documents, a
// ranking of six of which the policy selected the first four, eight chunks shown
// and three of them pruned.
func example() (Task, Outcome) {
	t := Task{ID: "q", Question: "?", Gold: []string{"a", "b", "c"}}
	o := Outcome{
		Ranking: []Ranked{
			{Document: "b", Chunks: []string{"b_0"}, Selected: true},
			{Document: "x", Chunks: []string{"x_0"}, Selected: true},
			{Document: "a", Chunks: []string{"a_0"}, Selected: true},
			{Document: "y", Chunks: []string{"y_0"}, Selected: true},
			{Document: "z", Chunks: []string{"z_0"}},
			{Document: "c", Chunks: []string{"c_0"}},
		},
		Shown: []Ref{
			{"b", "b_0"}, {"x", "x_0"}, {"a", "a_0"}, {"a", "a_1"},
			{"y", "y_0"}, {"z", "z_0"}, {"c", "c_0"}, {"w", "w_0"},
		},
		Pruned: []Ref{{"z", "z_0"}, {"w", "w_0"}, {"a", "a_1"}},
		Turns:  4, Calls: 10,
	}
	return t, o
}

func near(a, b float64) bool { return math.Abs(a-b) < 5e-5 }

func scores(t *testing.T, got Scores, want Scores) {
	t.Helper()
	for m, w := range want {
		if g, ok := got[m]; !ok || !near(g, w) {
			t.Errorf("%s: got %v (applies: %v), want %v", m, g, ok, w)
		}
	}
}

func absent(t *testing.T, got Scores, metrics ...Metric) {
	t.Helper()
	for _, m := range metrics {
		if v, ok := got[m]; ok {
			t.Errorf("%s: got %v, want null", m, v)
		}
	}
}

func TestWorkedExample(t *testing.T) {
	q, o := example()
	got := Score(&q, &o)
	scores(t, got, Scores{
		Recall2: 0.3333, Recall5: 0.6667, Recall10: 1, Recall20: 1, All5: 0,
		NDCG10: 0.8711, MAP: 0.7222,
		Recall: 0.6667, Precision: 0.5, F1: 0.5714,
		TrajectoryRecall: 1, PruneAccuracy: 0.6667, PrunedShare: 0.375,
	})
	absent(t, got, AnswerFound, Abstained)
}

func TestGradesAreGains(t *testing.T) {
	q, o := example()
	q.Grades = map[string]int{"a": 3, "c": 2} // b has none and counts 1
	scores(t, Score(&q, &o), Scores{NDCG10: 0.6746, MAP: 0.7222, Recall5: 0.6667})
}

func TestIdealRankingIsCutWhereTheMetricIs(t *testing.T) {
	q := Task{}
	var o Outcome
	for _, id := range "abcdefghijklmno" {
		q.Gold = append(q.Gold, string(id))
		o.Ranking = append(o.Ranking, Ranked{Document: string(id)})
	}
	scores(t, Score(&q, &o), Scores{NDCG10: 1, MAP: 1, Recall10: 0.6667, Recall20: 1, All5: 0})
}

func TestAllAt5(t *testing.T) {
	q, o := example()
	o.Ranking[4], o.Ranking[5] = o.Ranking[5], o.Ranking[4]
	scores(t, Score(&q, &o), Scores{All5: 1, Recall5: 1})
}

func TestADocumentStandsWhereItsBestChunkDoes(t *testing.T) {
	q := Task{Gold: []string{"a", "b"}}
	o := Outcome{Ranking: []Ranked{
		{Document: "a", Chunks: []string{"a_7"}},
		{Document: "a", Chunks: []string{"a_1"}},
		{Document: "b", Chunks: []string{"b_0"}, Selected: true},
		{Document: "a", Chunks: []string{"a_2"}, Selected: true},
	}}
	scores(t, Score(&q, &o), Scores{Recall2: 1, MAP: 1, NDCG10: 1, Recall: 1, Precision: 1})
}

func TestAnswerFound(t *testing.T) {
	sel := func(ids ...string) Outcome {
		o := Outcome{Ranking: []Ranked{{Document: "c"}}}
		for _, id := range ids {
			o.Ranking = append(o.Ranking, Ranked{Document: id, Selected: true})
		}
		return o
	}
	flagged := Task{Gold: []string{"a", "b", "c"}, AnswerIDs: []string{"c"}, Case: AnswerFlagged}
	stated := Task{Gold: []string{"a", "b"}, AnswerIDs: []string{"b"}, Case: AnswerStated}
	derived := Task{Gold: []string{"a", "b"}, Case: AnswerDerived}
	for _, c := range []struct {
		name string
		task Task
		o    Outcome
		want float64
	}{
		{"flagged and selected", flagged, sel("x", "c"), 1},
		{"flagged, ranked but not selected", flagged, sel("a", "b"), 0},
		{"stated and selected", stated, sel("x", "b"), 1},
		{"another gold document", stated, sel("a"), 0},
		{"derived from all", derived, sel("b", "x", "a"), 1},
		{"derived, one missing", derived, sel("a"), 0},
	} {
		if got := Score(&c.task, &c.o)[AnswerFound]; got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFactsAreWhatRecallCounts(t *testing.T) {
	q := Task{Facts: []Fact{{"b_2", "d_1"}, {"a_0"}, {"e"}}, AnswerIDs: []string{"b_2", "d_1"}, Case: AnswerFlagged}
	o := Outcome{
		Ranking: []Ranked{
			{Document: "d", Chunks: []string{"d_1"}, Selected: true}, // the first fact
			{Document: "b", Chunks: []string{"b_2"}, Selected: true}, // again
			{Document: "a", Chunks: []string{"a_1"}, Selected: true}, // another chunk of a
			{Document: "e", Chunks: []string{"e_5"}},                 // the third, by its document
		},
		Shown:  []Ref{{"d", "d_1"}, {"b", "b_2"}, {"a", "a_1"}, {"a", "a_0"}, {"e", "e_5"}},
		Pruned: []Ref{{"a", "a_0"}, {"a", "a_1"}},
	}
	got := Score(&q, &o)
	scores(t, got, Scores{
		Recall2: 0.3333, Recall5: 0.6667, All5: 0,
		Recall: 0.3333, Precision: 0.6667, F1: 0.4444, AnswerFound: 1,
		TrajectoryRecall: 1, PruneAccuracy: 0.5, PrunedShare: 0.4,
	})
	absent(t, got, NDCG10, MAP)
}

func TestAChunkDoesNotPassForADocumentOfItsName(t *testing.T) {
	q := Task{Gold: []string{"a_1"}}
	o := Outcome{
		Ranking: []Ranked{{Document: "a", Chunks: []string{"a_1"}, Selected: true}},
		Shown:   []Ref{{"a", "a_1"}},
		Pruned:  []Ref{{"a", "a_1"}},
	}
	scores(t, Score(&q, &o), Scores{Recall5: 0, Recall: 0, Precision: 0, TrajectoryRecall: 0, PruneAccuracy: 1})
}

func TestNothingToFind(t *testing.T) {
	q := Task{Gold: []string{}}
	ranked := Outcome{Ranking: []Ranked{{Document: "x"}}}
	picked := Outcome{Ranking: []Ranked{{Document: "x", Selected: true}}}
	failed := Outcome{Error: "timeout"}
	searched := Outcome{Ranking: []Ranked{{Document: "x"}}, RankingOnly: true}
	scores(t, Score(&q, &ranked), Scores{Abstained: 1})
	scores(t, Score(&q, &picked), Scores{Abstained: 0})
	scores(t, Score(&q, &failed), Scores{Abstained: 0})
	absent(t, Score(&q, &searched), Abstained)
	absent(t, Score(&q, &ranked), Recall2, Recall, Precision, F1, NDCG10, MAP, TrajectoryRecall, PruneAccuracy)
}

func TestNothingSelectedWhereThereWasSomething(t *testing.T) {
	q, o := example()
	q.Case = AnswerDerived
	for i := range o.Ranking {
		o.Ranking[i].Selected = false
	}
	scores(t, Score(&q, &o), Scores{Recall: 0, Precision: 0, F1: 0, AnswerFound: 0, Recall10: 1})
}

func TestOneRightDocumentSelectedIsPrecise(t *testing.T) {
	q := Task{Gold: []string{"a", "b"}}
	o := Outcome{Ranking: []Ranked{{Document: "a", Selected: true}}}
	scores(t, Score(&q, &o), Scores{Precision: 1, Recall: 0.5, F1: 0.6667})
}

func TestFailuresCountAsZero(t *testing.T) {
	q, o := example()
	q.Case = AnswerDerived
	o.Error = "the endpoint does not answer"
	got := Score(&q, &o)
	for _, m := range []Metric{Recall2, Recall5, Recall10, Recall20, All5, NDCG10, MAP, Recall, Precision, F1, AnswerFound, TrajectoryRecall} {
		if v, ok := got[m]; !ok || v != 0 {
			t.Errorf("%s: got %v (applies: %v), want 0", m, v, ok)
		}
	}
	absent(t, got, PruneAccuracy, PrunedShare)
}

func TestARankingAloneHasNoSelection(t *testing.T) {
	q, o := example()
	o.RankingOnly, o.Shown, o.Pruned = true, nil, nil
	got := Score(&q, &o)
	scores(t, got, Scores{Recall5: 0.6667, MAP: 0.7222})
	absent(t, got, Recall, Precision, F1, AnswerFound, TrajectoryRecall, PruneAccuracy, PrunedShare)
	o.Error = "no"
	absent(t, Score(&q, &o), Recall, Precision, F1, TrajectoryRecall)
}

func TestUnjudgedQuestionsHaveNoQuality(t *testing.T) {
	_, o := example()
	got := Score(&Task{Unjudged: true}, &o)
	if len(got) != 1 {
		t.Errorf("got %v, want the pruned share alone", got)
	}
	scores(t, got, Scores{PrunedShare: 0.375})
}

func TestPruningNothingHasNoAccuracy(t *testing.T) {
	q, o := example()
	o.Pruned = nil
	got := Score(&q, &o)
	absent(t, got, PruneAccuracy)
	scores(t, got, Scores{PrunedShare: 0})
}

func TestAChunkPrunedTwiceIsOneDecision(t *testing.T) {
	q, o := example()
	o.Pruned = append(o.Pruned, o.Pruned[0], o.Pruned[0])
	scores(t, Score(&q, &o), Scores{PruneAccuracy: 0.6667, PrunedShare: 0.375})
}
