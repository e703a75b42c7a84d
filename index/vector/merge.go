package vector

import (
	"errors"
	"fmt"

	"github.com/winnow-search/winnow/index/segment"
)

// Merge writes the column of a merged segment: for each source, remaps gives
// the new ordinal of every chunk or [segment.Dead]. A nil source has no
// vectors. No vector changes, so nothing is embedded again.
func Merge(w *segment.Writer, sources []*Column, remaps [][]uint32) error {
	type from struct {
		c  *Column
		at int
	}
	chunks := 0
	var like *Column
	for i, c := range sources {
		if c == nil {
			continue
		}
		if like != nil && (c.Space() != like.Space() || c.Dim() != like.Dim()) {
			return fmt.Errorf("vectors of %s and of %s can't be merged", like.Space(), c.Space())
		}
		like = c
		for _, ord := range remaps[i] {
			if ord != segment.Dead {
				chunks = max(chunks, int(ord)+1)
			}
		}
	}
	if like == nil {
		return errors.New("there are no vectors to merge")
	}
	// Ordinals of the sources interleave.
	origin := make([]from, chunks)
	for i, c := range sources {
		if c == nil {
			continue
		}
		for old, ord := range remaps[i] {
			if ord != segment.Dead && c.Has(uint32(old)) {
				origin[ord] = from{c, old}
			}
		}
	}
	var owner []uint32
	var rows []from
	for ord, f := range origin {
		if f.c == nil {
			continue
		}
		lo, hi := f.c.span(uint32(f.at))
		for i := lo; i < hi; i++ {
			owner = append(owner, uint32(ord))
			rows = append(rows, from{f.c, i})
		}
	}
	return write(w, like.Space(), like.Dim(), owner, func(i int) ([]byte, float64, error) {
		return rows[i].c.row(rows[i].at)
	})
}
