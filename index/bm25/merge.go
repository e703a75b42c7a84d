package bm25

import (
	"github.com/winnow-search/winnow/index/segment"
)

// Merge writes the lexical part of a segment of n chunks made of others: for
// each, Remap gives the new ordinal of every chunk or [segment.Dead]. It
// returns the number of terms in all chunks.
func Merge(w *segment.Writer, sources []*Segment, remaps [][]uint32, n int) (total int64, err error) {
	lens := make([]uint16, n)
	in := make([]segment.MergeSource, len(sources))
	for i, s := range sources {
		in[i] = segment.MergeSource{Dict: s.terms, Remap: remaps[i]}
		for old, now := range remaps[i] {
			if now != segment.Dead {
				lens[now] = s.lens.At(old)
				total += int64(lens[now])
			}
		}
	}
	decode := func(d *segment.Dict, e segment.Entry) (segment.List, error) {
		l, _, err := (&Segment{terms: *d}).list(e)
		return l, err
	}
	encode := func(dst []byte, ords, freqs []uint32) []byte { return appendPostings(dst, ords, freqs, lens) }
	if err := w.Dict("terms").Merge(in, n, true, decode, encode); err != nil {
		return 0, err
	}
	writeLens(w, lens)
	return total, nil
}
