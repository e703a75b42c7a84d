package segment_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-search/winnow/index/segment"
)

// list encodes ordinals behind some other bytes, as in a section, and opens the
// encoded list.
func list(t *testing.T, ords, freqs []uint32) segment.List {
	t.Helper()
	before := []byte("before")
	b := segment.AppendList(before, ords, freqs)[len(before):]
	l, ok := segment.NewList(append(b, make([]byte, 8)...), len(ords), freqs != nil)
	if !ok {
		t.Fatalf("a list of %d was refused", len(ords))
	}
	return l
}

func TestListsComeBackAsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{0, 1, 2, 127, 128, 129, 255, 256, 257, 1000} {
		for _, maxGap := range []int{1, 2, 100, 1 << 20} {
			for _, maxFreq := range []int{0, 1, 5, 1 << 31} {
				t.Run(fmt.Sprint(n, maxGap, maxFreq), func(t *testing.T) {
					ords, freqs := randomList(r, n, maxGap, maxFreq)
					roundTrip(t, ords, freqs)
				})
			}
		}
	}
}

func TestListsHoldTheLargestOrdinals(t *testing.T) {
	const top = ^uint32(0)
	roundTrip(t, []uint32{top - 1}, []uint32{top})
	roundTrip(t, []uint32{0, top - 1}, nil)
	far := make([]uint32, 300)
	for i := range far {
		far[i] = top - 300 + uint32(i)
	}
	roundTrip(t, far, nil)
}

// randomList has no frequencies if maxFreq is 0.
func randomList(r *rand.Rand, n, maxGap, maxFreq int) (ords, freqs []uint32) {
	next := uint32(0)
	for range n {
		next += uint32(r.IntN(maxGap))
		ords = append(ords, next)
		next++
		if maxFreq > 0 {
			freqs = append(freqs, 1+uint32(r.IntN(maxFreq)))
		}
	}
	return ords, freqs
}

func roundTrip(t *testing.T, ords, freqs []uint32) {
	t.Helper()
	l := list(t, ords, freqs)
	if l.Len() != len(ords) || l.Blocks() != (len(ords)+segment.BlockLen-1)/segment.BlockLen {
		t.Fatalf("%d ordinals in %d blocks, want %d", l.Len(), l.Blocks(), len(ords))
	}
	if got := l.AppendOrds(nil); !slices.Equal(got, ords) {
		t.Fatalf("got %v, want %v", got, ords)
	}
	var blk segment.Block
	for b := l.Blocks() - 1; b >= 0; b-- { // any block can be decoded first
		l.Decode(b, &blk)
		lo, hi := b*segment.BlockLen, min((b+1)*segment.BlockLen, len(ords))
		if !slices.Equal(blk.Ords[:blk.N], ords[lo:hi]) || freqs != nil && !slices.Equal(blk.Freqs[:blk.N], freqs[lo:hi]) {
			t.Fatalf("block %d differs", b)
		}
		if last := l.Last(b); last < ords[hi-1] || l.Blocks() > 1 && last != ords[hi-1] {
			t.Fatalf("block %d ends at %d, want %d", b, last, ords[hi-1])
		}
	}
}

func TestAListCutShortDoesNotPanic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	ords, freqs := randomList(r, 300, 50, 9)
	whole := append(segment.AppendList(nil, ords, freqs), make([]byte, 8)...)
	for n := range whole {
		if l, ok := segment.NewList(whole[:n:n], len(ords), true); ok {
			l.AppendOrds(nil)
		}
	}
}
