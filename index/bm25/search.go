// Package bm25 is the engine's lexical leg: text to terms, terms to postings,
// postings to the k best chunks.
//
// Scoring follows Robertson and Zaragoza (2009) with Lucene's idf, over chunks
// whose title and body count as one field. Search is MaxScore (Turtle & Flood
// 1995) in windows: within a window of ordinals the terms that matter are added
// up one term at a time, which is fast, and the others count only for chunks
// that can still reach the best k: their lists are walked too where such chunks
// are many, and looked up in where they are few. The sum of a chunk is always
// taken in the same order, rare terms first, so that the scores are exactly those
// of a naive scorer however the work was split over segments.
package bm25

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-search/winnow/index/segment"
)

// The usual constants.
const (
	K1 = 1.2
	B  = 0.75
)

// Segment is the lexical part of a segment file.
type Segment struct {
	terms segment.Dict
	lens  segment.Uint16s
	n     int
}

// Open opens the lexical part of a file.
func Open(f *segment.File) (*Segment, error) {
	d, err := f.Dict("terms")
	if err != nil {
		return nil, err
	}
	lens := f.Section("lens").Uint16s()
	return &Segment{terms: d, lens: lens, n: lens.Len()}, nil
}

// Len is the number of terms in chunk ord.
func (s *Segment) Len(ord uint32) int { return int(s.lens.At(int(ord))) }

// DF is the number of live chunks that hold a term. dead may be nil.
func (s *Segment) DF(term string, dead segment.Bits) (int, error) {
	e, err := s.terms.Lookup([]byte(term))
	if err != nil || e.Count == 0 || dead == nil {
		return e.Count, err
	}
	l, _, err := s.list(e)
	if err != nil {
		return 0, err
	}
	live := 0
	var b segment.Block
	for i := range l.Blocks() {
		l.Decode(i, &b)
		for _, o := range b.Ords[:b.N] {
			if !dead.Has(o) {
				live++
			}
		}
	}
	return live, nil
}

// bound is a pair no posting of the list beats in both.
type bound struct{ freq, len int }

func (s *Segment) list(e segment.Entry) (segment.List, []bound, error) {
	if e.Count <= segment.BlockLen {
		l, err := s.terms.List(e, true)
		return l, nil, err
	}
	v, err := s.terms.Value(e)
	if err != nil {
		return segment.List{}, nil, err
	}
	bounds := make([]bound, v[0])
	v = v[1:]
	for i := range bounds {
		f, a := binary.Uvarint(v)
		n, b := binary.Uvarint(v[max(a, 0):])
		if a <= 0 || b <= 0 {
			return segment.List{}, nil, errCut
		}
		bounds[i] = bound{int(f), int(n)}
		v = v[a+b:]
	}
	l, ok := segment.NewList(v, e.Count, true)
	if !ok {
		return segment.List{}, nil, errCut
	}
	return l, bounds, nil
}

// Stats are the collection's figures that a score depends on: over the live
// chunks of all segments.
type Stats struct {
	Chunks int
	Terms  int64 // in all chunks
}

// maxLen is the longest length stored. A chunk of 512 tokens stays far below.
const maxLen = 1<<13 - 1

// Norms holds the part of the formula that depends on a chunk's length alone,
// for every length there can be.
type Norms []float64

// NewNorms computes the norms of a collection.
func NewNorms(st Stats) Norms {
	avg := 1.0
	if st.Chunks > 0 && st.Terms > 0 {
		avg = float64(st.Terms) / float64(st.Chunks)
	}
	norms := make(Norms, maxLen+1)
	for n := range norms {
		// The conversions keep the compiler from fusing, so that every
		// architecture computes the same bits.
		norms[n] = K1 * (float64(1-B) + float64(B*float64(float64(n)/avg)))
	}
	return norms
}

// IDF is Lucene's inverse document frequency.
func IDF(chunks, df int) float64 {
	return math.Log(1 + (float64(chunks-df)+0.5)/(float64(df)+0.5))
}

// Weight is what one occurrence pattern of a term adds to a chunk's score.
func Weight(idf, norm float64, freq uint32) float64 {
	f := float64(freq)
	return idf * f / (f + norm)
}

// Term is a query term with its weight in the collection.
type Term struct {
	Text string
	DF   int
	IDF  float64 // times the term's count in the question
}

// Order sorts terms as they are summed: rare ones first, then by text.
func Order(terms []Term) {
	slices.SortFunc(terms, func(a, b Term) int {
		if a.DF != b.DF {
			return a.DF - b.DF
		}
		return strings.Compare(a.Text, b.Text)
	})
}

type cursor struct {
	list  segment.List
	idf   float64
	block int // decoded block, −1 before the first
	pos   int
	blk   segment.Block
}

// next decodes the first block from c.block on whose last ordinal is at least
// ord; it reports false at the end.
func (c *cursor) skipTo(ord uint32) bool {
	b := c.block
	if b < 0 {
		b = 0
	} else if c.pos < c.blk.N && c.blk.Ords[c.blk.N-1] >= ord {
		return true
	} else {
		b++
	}
	for n := c.list.Blocks(); b < n; b++ {
		if c.list.Last(b) >= ord {
			c.list.Decode(b, &c.blk)
			c.block, c.pos = b, 0
			if c.blk.N > 0 && c.blk.Ords[c.blk.N-1] >= ord {
				return true
			}
		}
	}
	c.block, c.pos, c.blk.N = c.list.Blocks(), 0, 0
	return false
}

// next returns the first ordinal from ord on, or the largest there can be.
func (c *cursor) next(ord uint32) uint32 {
	if !c.skipTo(ord) {
		return math.MaxUint32
	}
	for c.blk.Ords[c.pos] < ord {
		c.pos++
	}
	return c.blk.Ords[c.pos]
}

// freq returns the frequency at ord, 0 if the list lacks it. ords must rise.
func (c *cursor) freq(ord uint32) uint32 {
	if !c.skipTo(ord) {
		return 0
	}
	for c.blk.Ords[c.pos] < ord {
		c.pos++
	}
	if c.blk.Ords[c.pos] != ord {
		return 0
	}
	return c.blk.Freqs[c.pos]
}

type scratch struct {
	window  window
	cursors []cursor
	rest    []float64
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// Search offers to top every chunk of the segment that can be among the best,
// except those in deny (which may be nil). terms must be in [Order].
func (s *Segment) Search(terms []Term, norms Norms, deny segment.Bits, top *Top) error {
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	cursors := sc.cursors[:0]
	rest := sc.rest[:0] // best score of each term, then of it and all that follow
	for _, t := range terms {
		e, err := s.terms.Lookup([]byte(t.Text))
		if err != nil {
			return err
		}
		if e.Count == 0 {
			continue
		}
		l, bounds, err := s.list(e)
		if err != nil {
			return err
		}
		n := len(cursors)
		if n < cap(cursors) {
			cursors = cursors[:n+1]
		} else {
			cursors = append(cursors, cursor{})
		}
		c := &cursors[n]
		c.list, c.idf, c.block, c.pos = l, t.IDF, -1, 0
		best := t.IDF
		if bounds != nil {
			best = 0
			for _, b := range bounds {
				best = max(best, Weight(t.IDF, norms[b.len], uint32(b.freq)))
			}
		}
		rest = append(rest, best)
	}
	sc.cursors, sc.rest = cursors, rest
	if len(cursors) == 0 {
		return nil
	}
	rest = append(rest, 0)
	sc.rest = rest
	for i := len(rest) - 2; i >= 0; i-- {
		rest[i] = (rest[i] + rest[i+1]) * (1 + 1e-12) // rounding must not make a bound too low
	}

	w := &sc.window
	w.norms = (*[maxLen + 1]float64)(norms)
	for base := 0; ; base += windowLen {
		theta := top.Floor()
		essential := len(cursors)
		for essential > 0 && rest[essential-1] < theta {
			essential--
		}
		if essential == 0 {
			return nil
		}
		next := uint32(s.n)
		for i := range cursors[:essential] {
			next = min(next, cursors[i].next(uint32(base)))
		}
		if int(next) >= s.n {
			return nil
		}
		base = int(next) &^ (windowLen - 1) // windows without postings are not touched
		if err := w.move(s, base); err != nil {
			return err
		}
		for i := range cursors[:essential] {
			w.add(&cursors[i])
		}
		alive := w.touchedAbove(theta, rest[essential], deny)
		for i := essential; i < len(cursors) && len(alive) > 0; i++ {
			c := &cursors[i]
			// To walk a list costs per posting about a fifth of what a look-up
			// costs per chunk.
			if c.list.Len()/(s.n/windowLen+1) < 5*len(alive) {
				w.add(c)
			} else {
				w.addTo(c, alive)
			}
			alive = w.above(alive, theta, rest[i+1])
		}
		for _, at := range alive {
			if sum := w.sums[at]; sum >= theta {
				top.Offer(w.base+uint32(at), sum)
				theta = top.Floor()
			}
		}
		w.clear()
	}
}

// Matched appends to dst the texts of the terms that chunk ord holds.
func (s *Segment) Matched(dst []string, terms []Term, ord uint32) ([]string, error) {
	var c cursor
	for _, t := range terms {
		e, err := s.terms.Lookup([]byte(t.Text))
		if err != nil {
			return dst, err
		}
		if e.Count == 0 {
			continue
		}
		c.block = -1
		if c.list, _, err = s.list(e); err != nil {
			return dst, err
		}
		if c.freq(ord) > 0 {
			dst = append(dst, t.Text)
		}
	}
	return dst, nil
}

// Score is one chunk's exact score, as Search would give it.
func (s *Segment) Score(terms []Term, norms Norms, ord uint32) (float64, error) {
	var c cursor
	sum := 0.0
	for _, t := range terms {
		e, err := s.terms.Lookup([]byte(t.Text))
		if err != nil {
			return 0, err
		}
		if e.Count == 0 {
			continue
		}
		c.block = -1
		if c.list, _, err = s.list(e); err != nil {
			return 0, err
		}
		if f := c.freq(ord); f > 0 {
			sum += Weight(t.IDF, norms[s.Len(ord)], f)
		}
	}
	return sum, nil
}
