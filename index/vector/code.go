package vector

import (
	"encoding/binary"
	"math"
)

// A block holds the codes of 128 vectors, byte by byte: 128 times byte 0, 128
// times byte 1, …, then their corrections, 128 pairs of int16. A byte is eight
// dimensions, and its nibbles are what the scan looks up. The places of the 128
// bytes of a column are such that the sums of 16 successive vectors lie in one
// register when the scan has widened bytes to words and words to double words.
const blockLen = 128

func blocksOf(vectors int) int { return (vectors + blockLen - 1) / blockLen }
func blockSize(width int) int  { return (width/8 + 4) * blockLen }

// place is that of vector v in the columns of its block.
func place(v int) int { return v/64*64 + v%16*4 + v/16%4 }

// With centre c, <q,v> = <q−c,v−c> + <c,v> + <q,c> − <c,c>. The first product is
// estimated from the signs of v−c by
//
//	factor · Σ ±(q−c)ᵢ, factor = |v−c|² / Σ |v−c|ᵢ
//
// which is exact for q = v. The second is known when the vector is written; what
// of it exceeds <c,c>, the mean over the column, is the shift. The rest is the
// same for all vectors of a column.
type correction struct{ factor, shift float64 }

// encode sets vector v of a block to the signs of x, which is centred,
// and returns the factor.
func encode(block []byte, v int, x []float32) (factor float64) {
	var square, sum float64
	at := place(v)
	for i := 0; i < len(x); i += 8 {
		var code byte
		for j, f := range x[i : i+8] {
			if f >= 0 {
				code |= 1 << j
			}
			d := float64(f)
			square += float64(d * d)
			sum += math.Abs(d)
		}
		block[i/8*blockLen+at] = code
	}
	if sum == 0 {
		return 0
	}
	return square / sum
}

// correct writes the corrections of all vectors, in units that use the range of
// 15 bits.
func correct(blocks []byte, width int, list []correction) units {
	var u units
	for _, c := range list {
		u.Factor = max(u.Factor, c.factor/math.MaxInt16)
		u.Shift = max(u.Shift, math.Abs(c.shift)/math.MaxInt16)
	}
	size := blockSize(width)
	for i, c := range list {
		pair := blocks[i/blockLen*size+width/8*blockLen+i%blockLen*4:]
		binary.LittleEndian.PutUint16(pair, uint16(quantise(c.factor, u.Factor)))
		binary.LittleEndian.PutUint16(pair[2:], uint16(quantise(c.shift, u.Shift)))
	}
	return u
}

func quantise(x, unit float64) int16 {
	if unit == 0 {
		return 0
	}
	return int16(max(-math.MaxInt16, min(math.MaxInt16, math.Round(x/unit))))
}
