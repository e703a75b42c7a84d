package vector

import "encoding/binary"

// kernel is one implementation of the inner loops. All return the same
// integers; the portable one is the definition.
type kernel struct {
	name string
	// scan sets est to the estimates of all vectors in the blocks, which are at
	// most strideBlocks, and a bit of hits for each that exceeds floor.
	scan func(blocks []byte, width int, p *plan, floor int32, out *stride)
	// words is the product of query words with an int8 vector, bytes that of
	// two int8 vectors. Lengths are equal and multiples of 64.
	words func(q []int16, v []byte) int32
	bytes func(a, b []byte) int32
	// fetch begins to load a vector that will be wanted soon.
	fetch func(v []byte)
}

// strideBlocks is how many blocks are scanned before their hits are looked at:
// enough to forget the call, few enough to stay in the first-level cache and to
// profit from the risen floor.
const strideBlocks = 8

type stride struct {
	est  [strideBlocks * blockLen]int32
	hits [strideBlocks * blockLen / 64]uint64
}

func portable() *kernel {
	return &kernel{name: "portable", scan: scanPortable, words: wordsPortable, bytes: bytesPortable, fetch: func([]byte) {}}
}

// scanPortable looks up whole bytes: half the loads of nibbles, and the tables
// of 384 dimensions still fit the first-level cache.
func scanPortable(blocks []byte, width int, p *plan, floor int32, out *stride) {
	wide := p.wideTables()
	size := blockSize(width)
	clear(out.hits[:])
	for b := 0; len(blocks) >= size; b++ {
		block := blocks[:size]
		blocks = blocks[size:]
		var sum [blockLen]uint32
		for i := 0; i < width/8; i += 4 {
			t := wide[i*256 : (i+4)*256]
			t0, t1, t2, t3 := (*[256]uint16)(t), (*[256]uint16)(t[256:]), (*[256]uint16)(t[512:]), (*[256]uint16)(t[768:])
			c := (*[4 * blockLen]byte)(block[i*blockLen:])
			for v := range blockLen {
				sum[v] += uint32(t0[c[v]]) + uint32(t1[c[blockLen+v]]) + uint32(t2[c[2*blockLen+v]]) + uint32(t3[c[3*blockLen+v]])
			}
		}
		pairs := block[width/8*blockLen:]
		for v := range blockLen {
			pair := binary.LittleEndian.Uint32(pairs[4*v:])
			s := int32(sum[place(v)]) - int32(p.half)
			est := s*int32(int16(pair)) + int32(p.weight)*(int32(pair)>>16)
			out.est[b*blockLen+v] = est
			if est > floor {
				out.hits[(b*blockLen+v)/64] |= 1 << (v % 64)
			}
		}
	}
}

func wordsPortable(q []int16, v []byte) int32 {
	var a, b int32
	v = v[:len(q)]
	for i := 0; i < len(q)-1; i += 2 {
		a += int32(q[i]) * int32(int8(v[i]))
		b += int32(q[i+1]) * int32(int8(v[i+1]))
	}
	return a + b
}

func bytesPortable(x, y []byte) int32 {
	var a, b int32
	y = y[:len(x)]
	for i := 0; i < len(x)-1; i += 2 {
		a += int32(int8(x[i])) * int32(int8(y[i]))
		b += int32(int8(x[i+1])) * int32(int8(y[i+1]))
	}
	return a + b
}
