package bm25

import (
	"math"

	"github.com/winnow-search/winnow"
)

var errCut = &winnow.Error{Code: winnow.Corrupt, Message: "a posting list is cut short",
	Hint: "index again with --rebuild; the source files are not touched"}

// Scored is a chunk of some segment with its score.
type Scored struct {
	Segment int
	Ord     uint32
	Score   float64
}

// Top keeps the k best of what it is offered: by score, and between equals by
// the order that Before gives.
type Top struct {
	K int
	// Segment is that of the ordinals being offered.
	Segment int
	// Before decides between chunks of equal score. Within one segment it must
	// agree with the order of ordinals.
	Before func(a, b Scored) bool

	heap []Scored // worst first
}

// Floor is the score below which nothing can enter.
func (t *Top) Floor() float64 {
	if t.K <= 0 {
		return math.Inf(1)
	}
	if len(t.heap) < t.K {
		return math.Inf(-1)
	}
	return t.heap[0].Score
}

func (t *Top) worse(a, b Scored) bool {
	if a.Score != b.Score {
		return a.Score < b.Score
	}
	return t.before(b, a)
}

func (t *Top) before(a, b Scored) bool {
	if a.Segment == b.Segment {
		return a.Ord < b.Ord
	}
	return t.Before(a, b)
}

// Offer enters a chunk if it is among the best.
func (t *Top) Offer(ord uint32, score float64) {
	s := Scored{Segment: t.Segment, Ord: ord, Score: score}
	if len(t.heap) < t.K {
		t.heap = append(t.heap, s)
		for i := len(t.heap) - 1; i > 0; {
			up := (i - 1) / 2
			if !t.worse(t.heap[i], t.heap[up]) {
				break
			}
			t.heap[i], t.heap[up] = t.heap[up], t.heap[i]
			i = up
		}
		return
	}
	if t.K <= 0 || !t.worse(t.heap[0], s) {
		return
	}
	t.heap[0] = s
	t.sink()
}

func (t *Top) sink() {
	h := t.heap
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && t.worse(h[c+1], h[c]) {
			c++
		}
		if !t.worse(h[c], h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// Sorted empties the heap and returns its content, best first.
func (t *Top) Sorted() []Scored {
	out := t.heap
	for n := len(out) - 1; n > 0; n-- {
		out[0], out[n] = out[n], out[0]
		t.heap = out[:n]
		t.sink()
	}
	t.heap = nil
	return out
}
