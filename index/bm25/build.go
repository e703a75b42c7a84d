package bm25

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/winnow-search/winnow/index/segment"
)

// Builder collects the terms of a segment's chunks. Chunks are added in the
// order of their ordinals.
type Builder struct {
	analyzer *Analyzer
	words    map[string][]uint32 // word as written → its terms
	ids      map[string]uint32
	terms    []string
	df       []uint32
	// The postings, chunk after chunk: no ordinal is stored, and sorting them
	// by term is one counting pass.
	postTerm []uint32
	postFreq []uint16
	perChunk []uint32 // number of postings
	lens     []uint16
	// Scratch of the chunk being added.
	freq  []uint16
	inUse []uint32
	buf   []string
}

// NewBuilder returns an empty builder.
func NewBuilder(a *Analyzer) *Builder {
	return &Builder{analyzer: a, words: map[string][]uint32{}, ids: map[string]uint32{}}
}

// Add adds the next chunk with its fields' texts. A term of the title counts as
// one of the body.
func (b *Builder) Add(fields ...string) {
	n := 0
	for _, f := range fields {
		Words(f, func(word string) {
			ids, ok := b.words[word]
			if !ok {
				ids = b.intern(word)
			}
			n += len(ids)
			for _, id := range ids {
				if b.freq[id] == 0 {
					b.inUse = append(b.inUse, id)
				}
				if b.freq[id] < math.MaxUint16 {
					b.freq[id]++
				}
			}
		})
	}
	for _, id := range b.inUse {
		b.postTerm = append(b.postTerm, id)
		b.postFreq = append(b.postFreq, b.freq[id])
		b.df[id]++
		b.freq[id] = 0
	}
	b.perChunk = append(b.perChunk, uint32(len(b.inUse)))
	b.lens = append(b.lens, uint16(min(n, maxLen)))
	b.inUse = b.inUse[:0]
}

func (b *Builder) intern(word string) []uint32 {
	b.buf = b.analyzer.AppendTerms(b.buf[:0], word)
	ids := make([]uint32, len(b.buf))
	for i, t := range b.buf {
		id, ok := b.ids[t]
		if !ok {
			id = uint32(len(b.terms))
			b.ids[t] = id
			b.terms = append(b.terms, t)
			b.df = append(b.df, 0)
			b.freq = append(b.freq, 0)
		}
		ids[i] = id
	}
	b.words[strings.Clone(word)] = ids
	return ids
}

// Write writes the sections and returns the number of terms in all chunks.
func (b *Builder) Write(w *segment.Writer) (total int64) {
	starts := make([]uint32, len(b.terms)+1)
	for id, n := range b.df {
		starts[id+1] = starts[id] + n
	}
	ords := make([]uint32, len(b.postTerm))
	freqs := make([]uint32, len(b.postTerm))
	next := slices.Clone(starts[:len(b.terms)])
	i := 0
	for ord, n := range b.perChunk {
		for range n {
			id := b.postTerm[i]
			ords[next[id]] = uint32(ord)
			freqs[next[id]] = uint32(b.postFreq[i])
			next[id]++
			i++
		}
	}
	order := make([]uint32, len(b.terms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int {
		if b.terms[x] < b.terms[y] {
			return -1
		}
		return 1
	})
	d := w.Dict("terms")
	var buf []byte
	for _, id := range order {
		lo, hi := starts[id], starts[id+1]
		buf = appendPostings(buf[:0], ords[lo:hi], freqs[lo:hi], b.lens)
		d.Add([]byte(b.terms[id]), int(hi-lo), buf)
	}
	d.Close()
	writeLens(w, b.lens)
	for _, n := range b.lens {
		total += int64(n)
	}
	return total
}

func writeLens(w *segment.Writer, lens []uint16) {
	w.Begin("lens")
	buf := make([]byte, 0, 2*len(lens))
	for _, n := range lens {
		buf = binary.LittleEndian.AppendUint16(buf, n)
	}
	w.Write(buf)
}

// A term's value is its bounds, if the list has several blocks, then the list.
// The bounds are the pairs (frequency, length) that no other posting beats in
// both; the best score a term can give follows from them for every average
// length, which a stored score would not (Ding & Suel 2011 store scores).
func appendPostings(dst []byte, ords, freqs []uint32, lens []uint16) []byte {
	if len(ords) > segment.BlockLen {
		dst = appendBounds(dst, ords, freqs, lens)
	}
	return segment.AppendList(dst, ords, freqs)
}

const maxBounds = 8

func appendBounds(dst []byte, ords, freqs []uint32, lens []uint16) []byte {
	shortest := map[uint32]uint16{}
	for i, o := range ords {
		n, ok := shortest[freqs[i]]
		if !ok || lens[o] < n {
			shortest[freqs[i]] = lens[o]
		}
	}
	fs := make([]uint32, 0, len(shortest))
	for f := range shortest {
		fs = append(fs, f)
	}
	slices.Sort(fs)
	slices.Reverse(fs)
	var pairs []uint32
	best := uint16(math.MaxUint16)
	for i, f := range fs {
		if i > 0 && shortest[f] >= best {
			continue
		}
		best = shortest[f]
		if len(pairs) == 2*maxBounds { // widen the last pair; still a bound
			pairs[len(pairs)-1] = uint32(best)
			continue
		}
		pairs = append(pairs, f, uint32(best))
	}
	dst = append(dst, byte(len(pairs)/2))
	for _, v := range pairs {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	return dst
}
