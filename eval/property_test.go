package eval

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// draw makes a random task and an outcome that has something to do with it.
func draw(r *rand.Rand) (Task, Outcome) {
	id := func() string { return fmt.Sprintf("d%d", r.IntN(30)) }
	chunk := func(doc string) string { return fmt.Sprintf("%s_%d", doc, r.IntN(3)) }
	t := Task{ID: "q", Gold: []string{id()}}
	for range r.IntN(8) {
		t.Gold = append(t.Gold, id())
	}
	switch r.IntN(4) {
	case 0:
		t.Grades = map[string]int{t.Gold[0]: 1 + r.IntN(3)}
	case 1:
		for range 1 + r.IntN(4) {
			fact := Fact{id()}
			for range r.IntN(3) {
				fact = append(fact, chunk(id()))
			}
			t.Facts = append(t.Facts, fact)
		}
	}
	t.Case = []AnswerCase{"", AnswerFlagged, AnswerStated, AnswerDerived}[r.IntN(4)]
	if t.Case == AnswerFlagged || t.Case == AnswerStated {
		t.AnswerIDs = t.Gold[:1]
	}
	var o Outcome
	for range r.IntN(40) {
		doc := id()
		o.Ranking = append(o.Ranking, Ranked{Document: doc, Chunks: []string{chunk(doc)}, Selected: r.IntN(3) == 0})
	}
	for range r.IntN(30) {
		doc := id()
		ref := Ref{doc, chunk(doc)}
		o.Shown = append(o.Shown, ref)
		if r.IntN(3) == 0 {
			o.Pruned = append(o.Pruned, ref)
		}
	}
	o.RankingOnly = r.IntN(5) == 0
	return t, o
}

func forAll(t *testing.T, check func(t *testing.T, r *rand.Rand, q Task, o Outcome)) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 11))
	for range 3000 {
		q, o := draw(r)
		check(t, r, q, o)
		if t.Failed() {
			t.Fatalf("task %+v\noutcome %+v", q, o)
		}
	}
}

func TestScoresAreBetween0And1(t *testing.T) {
	forAll(t, func(t *testing.T, _ *rand.Rand, q Task, o Outcome) {
		for m, v := range Score(&q, &o) {
			if !(v >= 0 && v <= 1+1e-12) {
				t.Errorf("%s = %v", m, v)
			}
		}
	})
}

func TestRecallGrowsWithK(t *testing.T) {
	forAll(t, func(t *testing.T, _ *rand.Rand, q Task, o Outcome) {
		s := Score(&q, &o)
		if s[Recall2] > s[Recall5] || s[Recall5] > s[Recall10] || s[Recall10] > s[Recall20] {
			t.Error(s)
		}
		if (s[All5] == 1) != (s[Recall5] == 1) {
			t.Error("all@5 is not whether recall@5 is whole")
		}
	})
}

func TestF1LiesBetweenPrecisionAndRecall(t *testing.T) {
	forAll(t, func(t *testing.T, _ *rand.Rand, q Task, o Outcome) {
		s := Score(&q, &o)
		if s[F1] < min(s[Precision], s[Recall])-1e-12 || s[F1] > max(s[Precision], s[Recall])+1e-12 {
			t.Error(s)
		}
	})
}

func TestOrderOfGoldShownAndPrunedDoesNotMatter(t *testing.T) {
	forAll(t, func(t *testing.T, r *rand.Rand, q Task, o Outcome) {
		before := Score(&q, &o)
		q.Gold, q.Facts = shuffled(r, q.Gold), shuffled(r, q.Facts)
		o.Shown, o.Pruned = shuffled(r, o.Shown), shuffled(r, o.Pruned)
		same(t, before, Score(&q, &o))
	})
}

func TestOrderWithinTheFirstFiveDoesNotChangeRecallAt5(t *testing.T) {
	forAll(t, func(t *testing.T, r *rand.Rand, q Task, o Outcome) {
		o.Ranking = byDocument(o.Ranking)
		before := Score(&q, &o)
		n := min(5, len(o.Ranking))
		o.Ranking = append(shuffled(r, o.Ranking[:n]), o.Ranking[n:]...)
		after := Score(&q, &o)
		for _, m := range []Metric{Recall5, Recall10, Recall20, All5, Recall, Precision, F1, AnswerFound} {
			if before[m] != after[m] {
				t.Errorf("%s went from %v to %v", m, before[m], after[m])
			}
		}
	})
}

func TestNamesOfDocumentsDoNotMatter(t *testing.T) {
	forAll(t, func(t *testing.T, _ *rand.Rand, q Task, o Outcome) {
		before := Score(&q, &o)
		name := func(s string) string { return "renamed/" + s }
		names := func(all []string) []string {
			out := make([]string, len(all))
			for i, s := range all {
				out[i] = name(s)
			}
			return out
		}
		q.Gold, q.AnswerIDs = names(q.Gold), names(q.AnswerIDs)
		q.Facts = slices.Clone(q.Facts)
		for i, f := range q.Facts {
			q.Facts[i] = names(f)
		}
		grades := map[string]int{}
		for id, g := range q.Grades {
			grades[name(id)] = g
		}
		q.Grades = grades
		for i, d := range o.Ranking {
			o.Ranking[i].Document, o.Ranking[i].Chunks = name(d.Document), names(d.Chunks)
		}
		for _, refs := range [][]Ref{o.Shown, o.Pruned} {
			for i, ref := range refs {
				refs[i] = Ref{name(ref.Document), name(ref.Chunk)}
			}
		}
		same(t, before, Score(&q, &o))
	})
}

func TestAnotherChunkOfARankedDocumentChangesNothing(t *testing.T) {
	forAll(t, func(t *testing.T, r *rand.Rand, q Task, o Outcome) {
		if len(o.Ranking) == 0 || len(q.Facts) > 0 {
			return
		}
		before := Score(&q, &o)
		again := o.Ranking[r.IntN(len(o.Ranking))]
		again.Chunks = []string{"another"}
		o.Ranking = append(o.Ranking, again)
		same(t, before, Score(&q, &o))
	})
}

func TestScoringChangesNeitherTaskNorOutcome(t *testing.T) {
	forAll(t, func(t *testing.T, _ *rand.Rand, q Task, o Outcome) {
		before := fmt.Sprintf("%+v %+v", q, o)
		Score(&q, &o)
		if after := fmt.Sprintf("%+v %+v", q, o); after != before {
			t.Errorf("before %s\nafter  %s", before, after)
		}
	})
}

func shuffled[S ~[]E, E any](r *rand.Rand, s S) S {
	s = slices.Clone(s)
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}

func same(t *testing.T, before, after Scores) {
	t.Helper()
	if !maps.EqualFunc(before, after, near) {
		t.Errorf("before %v\nafter  %v", before, after)
	}
}
