package boost

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestLambdasOfOnePair(t *testing.T) {
	out := make([]lambda, 2)
	newRanker(5, 5).lambdas([]float64{1, 0}, []bool{false, true}, 3, out)
	// By hand: the swap changes NDCG by 1 − 1/log₂3, and the wrong order is
	// believed with 1/(1+e⁻¹). The push is then scaled by 3·log₂(1+2g)/2g.
	wrong := 1 / (1 + math.Exp(-1))
	g := wrong * (1 - 1/math.Log2(3))
	scale := 3 * math.Log2(1+2*g) / (2 * g)
	want := lambda{g * scale, g * (1 - wrong) * scale}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if !near(out[1].g, want.g) || !near(out[0].g, -want.g) || !near(out[0].h, want.h) || !near(out[1].h, want.h) {
		t.Errorf("got %v, want ±%v", out, want)
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
