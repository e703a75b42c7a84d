package segment_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-search/winnow/index/segment"
)

func TestBitsAreASet(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{0, 1, 63, 64, 65, 200, 1000} {
		a, b := segment.NewBits(n), segment.NewBits(n)
		inA, inB := map[uint32]bool{}, map[uint32]bool{}
		for range n / 2 {
			i, j := uint32(r.IntN(n)), uint32(r.IntN(n))
			a.Set(i)
			b.Set(j)
			inA[i], inB[j] = true, true
		}
		if n > 2 {
			lo, hi := uint32(n/3), uint32(2*n/3)
			a.SetRange(lo, hi)
			for i := lo; i < hi; i++ {
				inA[i] = true
			}
		}
		same(t, n, a, inA)

		or, and, not := slices.Clone(a), slices.Clone(a), slices.Clone(a)
		or.Or(b)
		and.And(b)
		not.Not(n)
		union, both, rest := maps.Clone(inA), map[uint32]bool{}, map[uint32]bool{}
		maps.Copy(union, inB)
		for i := range uint32(n) {
			if inA[i] && inB[i] {
				both[i] = true
			}
			if !inA[i] {
				rest[i] = true
			}
		}
		same(t, n, or, union)
		same(t, n, and, both)
		same(t, n, not, rest)
	}
}

func same(t *testing.T, n int, b segment.Bits, want map[uint32]bool) {
	t.Helper()
	var members []uint32
	b.Each(func(i uint32) { members = append(members, i) })
	if !slices.Equal(members, slices.Sorted(maps.Keys(want))) || b.Count() != len(want) {
		t.Fatalf("below %d: %v, want %v", n, members, want)
	}
	for i := range uint32(n) {
		if b.Has(i) != want[i] {
			t.Fatalf("below %d: Has(%d) is %v", n, i, b.Has(i))
		}
	}
}

func TestSetListIgnoresWhatLiesBeyond(t *testing.T) {
	l := list(t, []uint32{3, 70, 200, 1 << 30}, nil)
	b := segment.NewBits(128)
	b.SetList(&l)
	same(t, 128, b, map[uint32]bool{3: true, 70: true})
}
