package vector

import "math"

// MaxDim is the largest number of dimensions a column takes.
const MaxDim = 8192

// padded is the width of a vector with dim dimensions: whole words of 64 bits,
// so that no kernel has a remainder.
func padded(dim int) int { return (dim + 63) &^ 63 }

// rotate turns x in place by a fixed pseudo-random rotation, which spreads
// every direction evenly over all dimensions. It is three rounds of random
// signs and a Walsh–Hadamard transform of the largest power of two that fits,
// at the front and at the back in turns. Two rounds leave traces of the axes
// (recall of rotated principal components −2 points); a dense matrix is no
// better than three and costs twenty times as much.
func rotate(x []float32) {
	size := 1
	for 2*size <= len(x) {
		size *= 2
	}
	norm := float32(1 / math.Sqrt(float64(size)))
	var state uint64
	for round := range 3 {
		for lo := 0; lo < len(x); lo += 64 {
			state += 0x9e3779b97f4a7c15
			signs := mix(state)
			for i, f := range x[lo : lo+64] {
				x[lo+i] = math.Float32frombits(math.Float32bits(f) ^ uint32(signs>>i&1)<<31)
			}
		}
		part := x[:size]
		if round == 1 {
			part = x[len(x)-size:]
		}
		hadamard(part)
		for i := range part {
			part[i] *= norm
		}
	}
}

// mix is the output function of SplitMix64 (Steele, Lea and Flood, 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// hadamard transforms x, whose length is a power of two and at least 4. The
// first two steps are one pass: their halves are too short for loops.
func hadamard(x []float32) {
	for i := 0; i < len(x); i += 4 {
		q := x[i : i+4 : i+4]
		a, b, c, d := q[0]+q[1], q[0]-q[1], q[2]+q[3], q[2]-q[3]
		q[0], q[1], q[2], q[3] = a+c, b+d, a-c, b-d
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
