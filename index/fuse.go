package index

import (
	"cmp"
	"slices"

	"github.com/winnow-search/winnow"
)

// fuseK is the constant of reciprocal rank fusion (Cormack, Clarke & Büttcher
// 2009).
const fuseK = 60

// weightLinks is the weight of links beside 1 for words; that of the dense leg
// depends on the space (docs/benchmarks.md has the measurement).
const weightLinks = 0.7

// fuse unites the legs by reciprocal rank. A chunk that a leg did not meet gets
// nothing from it, and no made-up rank.
func (g *generation) fuse(r *ranking, weightDense float64) []placed {
	at := map[ref]int{}
	var out []placed
	add := func(c ref, rank int, weight float64) {
		i, ok := at[c]
		if !ok {
			i = len(out)
			at[c] = i
			out = append(out, placed{ref: c})
		}
		out[i].score += weight / float64(fuseK+rank)
	}
	if r.meaning == nil && r.pool == nil { // one leg: its own scores
		for _, s := range r.lexical {
			out = append(out, placed{ref: ref{s.Segment, s.Ord}, score: s.Score})
		}
		return out
	}
	for i, s := range r.lexical {
		add(ref{s.Segment, s.Ord}, i+1, 1)
	}
	for i, s := range r.dense {
		add(ref{s.Segment, s.Ord}, i+1, weightDense)
	}
	for i, c := range r.linked() {
		add(c.ref, i+1, weightLinks)
	}
	g.sort(out)
	return out
}

// linked is the third leg: the candidates that links lead to, best route first.
func (r *ranking) linked() []*candidate {
	if r.pool == nil {
		return nil
	}
	var out []*candidate
	for _, c := range r.pool.all {
		if c.bestRoute() != nil {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b *candidate) int {
		if c := cmp.Compare(b.bestRoute().score, a.bestRoute().score); c != 0 {
			return c
		}
		if r.pool.before(a.ref, b.ref) {
			return -1
		}
		return 1
	})
	return out[:min(len(out), legTop)]
}

// legs explains a chunk's place in every stage.
func (r *ranking) legs(c ref) []winnow.LegScore {
	var out []winnow.LegScore
	for i, s := range r.lexical {
		if (ref{s.Segment, s.Ord}) == c {
			out = append(out, winnow.LegScore{Leg: winnow.LegBM25, Rank: i + 1, Score: s.Score})
		}
	}
	for i, s := range r.dense {
		if (ref{s.Segment, s.Ord}) == c {
			out = append(out, winnow.LegScore{Leg: winnow.LegDense, Rank: i + 1, Score: s.Score})
		}
	}
	for i, l := range r.linked() {
		if l.ref == c {
			out = append(out, winnow.LegScore{Leg: winnow.LegLinks, Rank: i + 1, Score: l.bestRoute().score, Via: l.bestRoute().via})
		}
	}
	if r.pool != nil || r.meaning != nil {
		for i, p := range r.fused {
			if p.ref == c {
				out = append(out, winnow.LegScore{Leg: "fusion", Rank: i + 1, Score: p.score})
			}
		}
	}
	if f := r.boosted[c]; f != 0 {
		out = append(out, winnow.LegScore{Leg: "boost", Score: f})
	}
	return out
}
