package vector

import (
	"math"
	"math/bits"
)

// MaxDim is the largest number of dimensions a column takes.
const MaxDim = 8192

// padded is the width of a vector with dim dimensions: whole words of 64 bits,
// so that no kernel has a remainder.
func padded(dim int) int { return (dim + 63) &^ 63 }

// Vectors are rotated when they are added, and stay so: a fixed pseudo-random
// rotation spreads every direction evenly over all dimensions, which is what
// both the signs of a code and the common unit of an int8 vector want. It is
// three rounds of random signs and a Walsh–Hadamard transform of the largest
// power of two that fits, at the front and at the back in turns. Two rounds
// leave traces of the axes (vectors in their principal components lose one to
// two points of recall); a dense matrix is no better than three, at twenty times
// the operations.
const rounds = 3

// rotate rotates x, whose length is a multiple of 64, in place.
func rotate(x []float32) {
	for round := range rounds {
		flip(x, round)
		hadamard(half(x, round))
	}
}

// rotateBack undoes rotate: a Hadamard transform is its own inverse.
func rotateBack(x []float32) {
	for round := rounds - 1; round >= 0; round-- {
		hadamard(half(x, round))
		flip(x, round)
	}
}

// half is the part of x that a round transforms: more than half of it.
func half(x []float32, round int) []float32 {
	size := 1 << (bits.Len(uint(len(x))) - 1)
	if round == 1 {
		return x[len(x)-size:]
	}
	return x[:size]
}

// flip changes the signs that a round changes.
func flip(x []float32, round int) {
	for lo := 0; lo < len(x); lo += 64 {
		signs := mix(uint64(round*len(x) + lo))
		for i, f := range x[lo : lo+64] {
			x[lo+i] = math.Float32frombits(math.Float32bits(f) ^ uint32(signs>>i&1)<<31)
		}
	}
}

// mix is SplitMix64 (Steele, Lea and Flood, 2014).
func mix(z uint64) uint64 {
	z = (z + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// hadamard transforms x, whose length is a power of two and at least 4, keeping
// its norm. The first two steps are one pass: their halves are too short for
// loops.
func hadamard(x []float32) {
	norm := float32(1 / math.Sqrt(float64(len(x))))
	for i := 0; i < len(x); i += 4 {
		q := x[i : i+4 : i+4]
		a, b, c, d := q[0]+q[1], q[0]-q[1], q[2]+q[3], q[2]-q[3]
		q[0], q[1], q[2], q[3] = float32((a+c)*norm), float32((b+d)*norm), float32((a-c)*norm), float32((b-d)*norm)
	}
	for h := 4; h < len(x); h *= 2 {
		for lo := 0; lo < len(x); lo += 2 * h {
			a, b := x[lo:lo+h], x[lo+h:lo+2*h]
			for i, u := range a {
				v := b[i]
				a[i], b[i] = u+v, u-v
			}
		}
	}
}
