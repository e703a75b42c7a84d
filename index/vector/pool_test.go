package vector

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestThePoolKeepsTheBestInTheirOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 10, 100, 3000} {
		for _, spread := range []int{1, 7, buckets} {
			var p pool
			p.reset(50)
			var all []candidate
			for i := range n {
				c := candidate{bucket: uint32(rng.IntN(spread)), at: uint32(i)}
				all = append(all, c)
				if int(c.bucket) > p.floor {
					p.add(c)
				}
			}
			slices.SortStableFunc(all, func(a, b candidate) int { return int(b.bucket) - int(a.bucket) })
			want := all[:min(50, n)]
			slices.SortFunc(want, func(a, b candidate) int { return int(a.at) - int(b.at) })
			if got := p.best(); !slices.Equal(got, want) {
				t.Errorf("%d of %d buckets: kept %d instead of %d, or others", n, spread, len(got), len(want))
			}
			if p.full() != (n >= 50) {
				t.Errorf("%d: full = %v", n, p.full())
			}
		}
	}
}
