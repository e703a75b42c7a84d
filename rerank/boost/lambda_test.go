package boost

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Three candidates by hand; the first is irrelevant. With the discounts 1, 1/log₂3
// and 1/2 the ideal is the sum of the first two.
func TestLambdasOfThreeCandidates(t *testing.T) {
	const weight = 3
	second := 1 / math.Log2(3)
	ideal := 1 + second
	wrong := []float64{1 / (1 + math.Exp(-1)), 1 / (1 + math.Exp(-3))}
	g := []float64{wrong[0] * (1 - second) / ideal, wrong[1] * (1 - 0.5) / ideal}
	h := []float64{g[0] * (1 - wrong[0]), g[1] * (1 - wrong[1])}
	sum := 2 * (g[0] + g[1])
	scale := weight * math.Log2(1+sum) / sum
	want := []lambda{{-(g[0] + g[1]) * scale, (h[0] + h[1]) * scale}, {g[0] * scale, h[0] * scale}, {g[1] * scale, h[1] * scale}}

	got := make([]lambda, 3)
	newRanker(5, 5).lambdas([]float64{3, 2, 0}, []bool{false, true, true}, weight, got)
	for i := range got {
		if math.Abs(got[i].g-want[i].g) > 1e-12 || math.Abs(got[i].h-want[i].h) > 1e-12 {
			t.Errorf("candidate %d: got %v, want %v", i, got[i], want[i])
		}
	}
}

func TestLambdasPushApartAndAddUpToNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		n := 2 + r.IntN(60)
		scores, relevant := make([]float64, n), make([]bool, n)
		for i := range scores {
			scores[i] = math.Round(r.NormFloat64() * 3) // ties
			relevant[i] = r.IntN(5) == 0
		}
		relevant[0], relevant[1] = true, false
		k := newRanker(1+r.IntN(10), 1+r.IntN(30))
		out := make([]lambda, n)
		k.lambdas(scores, relevant, 1, out)
		sum, lowest := 0.0, scores[top(scores, k.depth)[min(n, k.depth)-1]]
		for i, l := range out {
			sum += l.g
			switch {
			case l.h < 0:
				t.Fatalf("a curvature of %v", l.h)
			case relevant[i] && l.g < 0, !relevant[i] && l.g > 0:
				t.Fatalf("row %d, relevant %v, is pushed the wrong way: %v", i, relevant[i], l.g)
			case !relevant[i] && scores[i] < lowest && l != lambda{}:
				t.Fatalf("an irrelevant row below the depth is pushed")
			}
		}
		if math.Abs(sum) > 1e-9 {
			t.Fatalf("the pushes of a group add up to %v", sum)
		}
	}
}

func TestTopIsTheHeadOfASort(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for range 300 {
		scores := make([]float64, 1+r.IntN(50))
		all := make([]int32, len(scores))
		for i := range scores {
			scores[i], all[i] = float64(r.IntN(20)), int32(i)
		}
		slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
		k := 1 + r.IntN(60)
		if got, want := top(scores, k), all[:min(k, len(all))]; !slices.Equal(got, want) {
			t.Fatalf("top %d of %v: %v, not %v", k, scores, got, want)
		}
	}
}
