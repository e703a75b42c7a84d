package eval

import (
	"math"
	"slices"
)

// Score computes the metrics of one question. docs/metrics.md defines them, and
// works each one by hand.
func Score(t *Task, o *Outcome) Scores {
	s := Scores{}
	if o.Error != "" {
		// A failure counts as 0, whatever it had found by then.
		o = &Outcome{RankingOnly: o.RankingOnly, Error: o.Error}
	}
	scorePruning(s, t, o)
	switch {
	case t.Unjudged:
	case t.WithoutGold():
		if !o.RankingOnly {
			s[Abstained] = truth(o.Error == "" && !slices.ContainsFunc(o.Ranking, selected))
		}
	default:
		docs := byDocument(o.Ranking)
		scoreRanking(s, t, docs)
		if !o.RankingOnly {
			scoreSelection(s, t, slices.DeleteFunc(docs, func(r Ranked) bool { return !r.Selected }))
			scoreTrajectory(s, t, o.Shown)
		}
	}
	return s
}

func selected(r Ranked) bool { return r.Selected }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func scoreRanking(s Scores, t *Task, docs []Ranked) {
	g := goldOf(t)
	cutoffs := map[int]Metric{2: Recall2, 5: Recall5, 10: Recall10, 20: Recall20}
	r := g.recall()
	for k := 1; k <= 20; k++ {
		if k <= len(docs) {
			r.add(docs[k-1].Document, docs[k-1].Chunks...)
		}
		if m, ok := cutoffs[k]; ok {
			s[m] = r.share()
		}
		if k == 5 {
			s[All5] = truth(r.n == g.units)
		}
	}
	// Among alternatives there is no agreed ideal order, so with facts only
	// explicit grades give a gain, and average precision has no meaning.
	if len(t.Facts) == 0 || positive(t.Grades) != nil {
		s[NDCG10] = ndcg(t, docs, 10)
	}
	if len(t.Facts) == 0 {
		s[MAP] = averagePrecision(g, docs)
	}
}

// ndcg takes the grade itself as the gain and log2(rank + 1) as the discount, as
// trec_eval does, so that figures compare with published ones.
func ndcg(t *Task, docs []Ranked, k int) float64 {
	gains := map[string]float64{}
	for id, grade := range positive(t.Grades) {
		gains[id] = float64(grade)
	}
	if len(t.Facts) == 0 {
		for _, id := range t.Gold {
			if _, graded := gains[id]; !graded {
				gains[id] = 1
			}
		}
	}
	ideal := make([]float64, 0, len(gains))
	for _, gain := range gains {
		ideal = append(ideal, gain)
	}
	slices.Sort(ideal)
	slices.Reverse(ideal)
	got := make([]float64, min(k, len(docs)))
	for i := range got {
		got[i] = gains[docs[i].Document]
	}
	return dcg(got) / dcg(ideal[:min(k, len(ideal))])
}

func dcg(gains []float64) float64 {
	sum := 0.0
	for i, gain := range gains {
		sum += gain / math.Log2(float64(i+2))
	}
	return sum
}

func averagePrecision(g gold, docs []Ranked) float64 {
	hits, sum := 0, 0.0
	for i, d := range docs {
		if g.has(d.Document) {
			hits++
			sum += float64(hits) / float64(i+1)
		}
	}
	return sum / float64(g.units)
}

func scoreSelection(s Scores, t *Task, docs []Ranked) {
	g := goldOf(t)
	r := g.recall()
	right := 0
	for _, d := range docs {
		r.add(d.Document, d.Chunks...)
		if g.has(d.Document, d.Chunks...) {
			right++
		}
	}
	s[Recall] = r.share()
	// Of nothing selected where there was something to find, nothing is right.
	s[Precision] = float64(right) / float64(max(1, len(docs)))
	s[F1] = 0
	if right > 0 {
		s[F1] = 2 * s[Precision] * s[Recall] / (s[Precision] + s[Recall])
	}
	switch t.Case {
	case AnswerFlagged, AnswerStated:
		s[AnswerFound] = truth(slices.ContainsFunc(docs, t.holdsAnswer))
	case AnswerDerived:
		s[AnswerFound] = truth(r.n == g.units)
	}
}

func (t *Task) holdsAnswer(r Ranked) bool {
	if slices.Contains(t.AnswerIDs, r.Document) {
		return true
	}
	return len(t.Facts) > 0 && slices.ContainsFunc(r.Chunks, func(c string) bool { return slices.Contains(t.AnswerIDs, c) })
}

func scoreTrajectory(s Scores, t *Task, shown []Ref) {
	r := goldOf(t).recall()
	for _, ref := range shown {
		r.add(ref.Document, ref.Chunk)
	}
	s[TrajectoryRecall] = r.share()
}

func scorePruning(s Scores, t *Task, o *Outcome) {
	// A chunk that was restored and pruned again is one decision.
	shown, pruned := distinct(o.Shown), distinct(o.Pruned)
	if len(shown) > 0 {
		out := make(map[Ref]bool, len(pruned))
		for _, ref := range pruned {
			out[ref] = true
		}
		n := 0
		for _, ref := range shown {
			if out[ref] {
				n++
			}
		}
		s[PrunedShare] = float64(n) / float64(len(shown))
	}
	if len(pruned) == 0 || t.Unjudged || t.WithoutGold() {
		return
	}
	g := goldOf(t)
	wrong := 0
	for _, ref := range pruned {
		if g.has(ref.Document, ref.Chunk) {
			wrong++
		}
	}
	s[PruneAccuracy] = 1 - float64(wrong)/float64(len(pruned))
}
