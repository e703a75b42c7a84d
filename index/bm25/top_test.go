package bm25_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-search/winnow/index/bm25"
)

// TestTopIsTheHeadOfASort offers chunks of few different scores. The lower
// ordinal decides, and then the lower segment.
func TestTopIsTheHeadOfASort(t *testing.T) {
	before := func(a, b bm25.Scored) int {
		return cmp.Or(cmp.Compare(a.Ord, b.Ord), cmp.Compare(a.Segment, b.Segment))
	}
	for _, k := range []int{-1, 0, 1, 2, 7, 50, 1000} {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(k)))
			top := bm25.Top{K: k, Before: func(a, b bm25.Scored) bool { return before(a, b) < 0 }}
			var all []bm25.Scored
			for seg := range 4 {
				top.Segment = seg
				for ord := range uint32(r.IntN(100)) {
					s := bm25.Scored{Segment: seg, Ord: ord, Score: float64(r.IntN(6)) / 4}
					if floor := top.Floor(); len(all) < k != math.IsInf(floor, -1) {
						t.Fatalf("the floor is %v after %d of %d", floor, len(all), k)
					}
					top.Offer(s.Ord, s.Score)
					all = append(all, s)
				}
			}
			slices.SortFunc(all, func(a, b bm25.Scored) int { return cmp.Or(cmp.Compare(b.Score, a.Score), before(a, b)) })
			if got, want := top.Sorted(), all[:min(max(k, 0), len(all))]; !slices.Equal(got, want) {
				t.Errorf("got %v\nwant %v", got, want)
			}
			if len(top.Sorted()) != 0 {
				t.Error("Sorted leaves something behind")
			}
		})
	}
}
