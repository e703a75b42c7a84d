package segment

import (
	"encoding/binary"
	"math/bits"
)

// BlockLen is the number of ordinals decoded together.
const BlockLen = 128

// pad lets the unpacker read a whole word at the last value.
const pad = 8

// A list is a rising sequence of ordinals, each with a frequency if the list
// has them. On disk it is
//
//	[skip table: last ordinal u32, block offset u32 — only if more than one block]
//	[block: gap width u8, frequency width u8, gaps − 1, frequencies − 1 — bit-packed]
//
// Bit-packing at a width per block costs about one nanosecond a value in plain
// Go, and a block of frequencies that are all 1, the usual case, takes no bytes
// and no time.

// AppendList encodes ords (rising, distinct) and, unless nil, their frequencies
// (each at least 1).
func AppendList(dst []byte, ords, freqs []uint32) []byte {
	blocks := (len(ords) + BlockLen - 1) / BlockLen
	table := len(dst)
	if blocks > 1 {
		dst = append(dst, make([]byte, 8*blocks)...)
	}
	body := len(dst)
	prev := -1
	for b := range blocks {
		lo, hi := b*BlockLen, min((b+1)*BlockLen, len(ords))
		if blocks > 1 {
			binary.LittleEndian.PutUint32(dst[table+8*b:], ords[hi-1])
			binary.LittleEndian.PutUint32(dst[table+8*b+4:], uint32(len(dst)-body))
		}
		var gaps, counts [BlockLen]uint32
		var gapOr, countOr uint32
		for i, o := range ords[lo:hi] {
			gaps[i] = uint32(int(o) - prev - 1)
			gapOr |= gaps[i]
			prev = int(o)
			if freqs != nil {
				counts[i] = freqs[lo+i] - 1
				countOr |= counts[i]
			}
		}
		gw, cw := bits.Len32(gapOr), bits.Len32(countOr)
		dst = append(dst, byte(gw))
		if freqs != nil {
			dst = append(dst, byte(cw))
		}
		dst = pack(dst, gaps[:hi-lo], gw)
		dst = pack(dst, counts[:hi-lo], cw)
	}
	return dst
}

func pack(dst []byte, vs []uint32, width int) []byte {
	if width == 0 {
		return dst
	}
	var acc uint64
	var n int
	for _, v := range vs {
		acc |= uint64(v) << n
		n += width
		for n >= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
			n -= 8
		}
	}
	if n > 0 {
		dst = append(dst, byte(acc))
	}
	return dst
}

// List reads an encoded list. The zero List is empty.
type List struct {
	n     int
	freqs bool
	skip  []byte
	body  []byte
}

// NewList interprets data, which must extend [pad] bytes beyond the list, as a
// list of n ordinals. It reports false if data can't hold such a list.
func NewList(data []byte, n int, freqs bool) (List, bool) {
	l := List{n: n, freqs: freqs}
	if blocks := l.Blocks(); blocks > 1 {
		if len(data) < 8*blocks+pad {
			return List{}, false
		}
		l.skip, data = data[:8*blocks], data[8*blocks:]
	}
	l.body = data
	return l, n == 0 || len(data) >= pad+1
}

// Len is the number of ordinals.
func (l *List) Len() int { return l.n }

// Blocks is the number of blocks.
func (l *List) Blocks() int { return (l.n + BlockLen - 1) / BlockLen }

// Last is the last ordinal of block b. For a list of one block, whose end is
// not stored, it is the largest ordinal there can be.
func (l *List) Last(b int) uint32 {
	if l.skip == nil {
		return ^uint32(0)
	}
	return binary.LittleEndian.Uint32(l.skip[8*b:])
}

// Block is a decoded block.
type Block struct {
	Ords, Freqs [BlockLen]uint32
	N           int
}

// Decode decodes block b. A damaged list (only possible where no checksum
// guards it) decodes to some rising ordinals; it does not panic.
func (l *List) Decode(b int, to *Block) {
	n := min(BlockLen, l.n-b*BlockLen)
	to.N = n
	base := uint32(0)
	data := l.body
	if l.skip != nil {
		if b > 0 {
			base = l.Last(b-1) + 1
		}
		at := int(binary.LittleEndian.Uint32(l.skip[8*b+4:]))
		if at > len(data) {
			at = len(data)
		}
		data = data[at:]
	}
	head := 1
	if l.freqs {
		head = 2
	}
	if len(data) < head+pad {
		to.N = 0
		return
	}
	gw := int(data[0])
	data, fw := data[head:], int(data[head-1])
	if !unpack(&to.Ords, data, n, gw) {
		to.N = 0
		return
	}
	for i := range to.Ords[:n] {
		base += to.Ords[i]
		to.Ords[i] = base
		base++
	}
	if !l.freqs {
		return
	}
	if !unpack(&to.Freqs, data[(n*gw+7)/8:], n, fw) {
		to.N = 0
		return
	}
	for i := range to.Freqs[:n] {
		to.Freqs[i]++
	}
}

func unpack(dst *[BlockLen]uint32, src []byte, n, width int) bool {
	if width == 0 {
		clear(dst[:n])
		return true
	}
	if width > 32 || (n*width+7)/8+pad > len(src) {
		return false
	}
	mask := uint64(1)<<width - 1
	bit := 0
	for i := range dst[:n] {
		dst[i] = uint32(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask)
		bit += width
	}
	return true
}

// AppendOrds decodes the whole list.
func (l *List) AppendOrds(dst []uint32) []uint32 {
	var b Block
	for i := range l.Blocks() {
		l.Decode(i, &b)
		dst = append(dst, b.Ords[:b.N]...)
	}
	return dst
}
