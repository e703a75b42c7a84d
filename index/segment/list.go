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
	to.N = 0
	last := ^uint32(0) // −1
	data := l.body
	if l.skip != nil {
		if b > 0 {
			last = l.Last(b - 1)
		}
		at := int(binary.LittleEndian.Uint32(l.skip[8*b+4:]))
		data = data[min(at, len(data)):]
	}
	head := 1
	if l.freqs {
		head = 2
	}
	if len(data) < head+pad {
		return
	}
	gapWidth, freqWidth := int(data[0]), int(data[head-1])
	data = data[head:]
	if !unpack(&to.Ords, data, n, gapWidth) {
		return
	}
	for i := range to.Ords[:n] {
		last += to.Ords[i]
		to.Ords[i] = last
	}
	if l.freqs && !unpack(&to.Freqs, data[(n*gapWidth+7)/8:], n, freqWidth) {
		return
	}
	to.N = n
}

// unpack reads n values of a width, which are stored less one. It may write
// beyond them. Narrow values, as those of long lists are, come several from each
// word that is loaded.
func unpack(dst *[BlockLen]uint32, src []byte, n, width int) bool {
	if width > 32 || (n*width+7)/8+pad > len(src) {
		return false
	}
	mask := uint32(uint64(1)<<width - 1)
	switch {
	case width == 0:
		for i := range dst[:n] {
			dst[i] = 1
		}
	case width <= 8:
		for i := 0; i < n; i += 8 {
			v := binary.LittleEndian.Uint64(src[i/8*width:])
			to := dst[i&^7 : i&^7+8]
			to[0] = uint32(v)&mask + 1
			to[1] = uint32(v>>width)&mask + 1
			to[2] = uint32(v>>(2*width))&mask + 1
			to[3] = uint32(v>>(3*width))&mask + 1
			to[4] = uint32(v>>(4*width))&mask + 1
			to[5] = uint32(v>>(5*width))&mask + 1
			to[6] = uint32(v>>(6*width))&mask + 1
			to[7] = uint32(v>>(7*width))&mask + 1
		}
	case width <= 15: // four of them begin at a half byte at most
		for i := 0; i < n; i += 4 {
			bit := i * width
			v := binary.LittleEndian.Uint64(src[bit/8:]) >> (bit % 8)
			to := dst[i&^3 : i&^3+4]
			to[0] = uint32(v)&mask + 1
			to[1] = uint32(v>>width)&mask + 1
			to[2] = uint32(v>>(2*width))&mask + 1
			to[3] = uint32(v>>(3*width))&mask + 1
		}
	default:
		for i := range dst[:n] {
			bit := i * width
			dst[i] = uint32(binary.LittleEndian.Uint64(src[bit/8:])>>(bit%8))&mask + 1
		}
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
