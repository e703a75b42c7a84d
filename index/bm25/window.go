package bm25

import (
	"encoding/binary"
	"math/bits"

	"github.com/winnow-search/winnow/index/segment"
)

// windowLen is the number of ordinals whose sums are kept at a time: 32 KiB, which
// stays in the first-level cache.
const windowLen = 4096

// window is a range of ordinals with the sums of their chunks so far.
type window struct {
	base, end uint32
	norms     *[maxLen + 1]float64
	lens      []byte
	sums      [windowLen]float64
	touched   [windowLen / 64]uint64 // chunks with a sum
	alive     [windowLen]uint16
}

func (w *window) move(s *Segment, base int) (err error) {
	end := min(base+windowLen, s.n)
	w.base, w.end = uint32(base), uint32(end)
	w.lens, err = s.lens.Bytes(base, end)
	return err
}

func (w *window) norm(at uint32) float64 {
	return w.norms[binary.LittleEndian.Uint16(w.lens[2*at:])&maxLen]
}

// add adds a term's weights to the sums of all chunks that have it.
func (w *window) add(c *cursor) {
	for c.skipTo(w.base) {
		ords, freqs := c.blk.Ords[:c.blk.N], c.blk.Freqs[:c.blk.N]
		i := c.pos
		for i < len(ords) && ords[i] < w.base {
			i++
		}
		for ; i < len(ords) && ords[i] < w.end; i++ {
			at := ords[i] - w.base
			w.sums[at%windowLen] += Weight(c.idf, w.norm(at), freqs[i])
			w.touched[at%windowLen/64] |= 1 << (at % 64)
		}
		c.pos = i
		if i < len(ords) {
			return
		}
	}
}

// addTo adds a term's weights to the sums of some chunks.
func (w *window) addTo(c *cursor, chunks []uint16) {
	for _, at := range chunks {
		if f := c.freq(w.base + uint32(at)); f > 0 {
			w.sums[at] += Weight(c.idf, w.norm(uint32(at)), f)
		}
	}
}

// touchedAbove returns the chunks whose sums can still reach theta. Which do is
// hard to predict, so all are written and those that do not are written over.
func (w *window) touchedAbove(theta, rest float64, deny segment.Bits) []uint16 {
	n := uint(0)
	for i := range w.touched {
		word := w.touched[i]
		if deny != nil && word != 0 {
			word &^= deny[int(w.base)/64+i]
		}
		for ; word != 0; word &= word - 1 {
			at := uint(i)<<6 + uint(bits.TrailingZeros64(word))
			w.alive[n%windowLen] = uint16(at)
			if w.sums[at%windowLen]+rest >= theta {
				n++
			}
		}
	}
	return w.alive[:n]
}

// above keeps those of the chunks whose sums can still reach theta.
func (w *window) above(chunks []uint16, theta, rest float64) []uint16 {
	n := 0
	for _, at := range chunks {
		chunks[n] = at
		if w.sums[at%windowLen]+rest >= theta {
			n++
		}
	}
	return chunks[:n]
}

// clear readies the window for another range.
func (w *window) clear() {
	for i := range w.touched {
		if w.touched[i] != 0 {
			w.touched[i] = 0
			clear(w.sums[64*i : 64*i+64])
		}
	}
}
