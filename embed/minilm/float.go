package minilm

import "math"

// The float steps between the integer products, in portable form. Each is fixed
// to the bit: products are rounded before they are added (float32(x*y) forbids
// the compiler to fuse), and sums run in eight lanes that are joined in one
// order, as the eight lanes of a vector register are.

const lanes = 8

// joined adds up eight lanes: halves, then halves of those.
func joined(s *[lanes]float32) float32 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

func dequantise(dst []float32, acc, sum []int32, scale, bias []float32, zero int32, s float32) {
	acc, sum, scale, bias = acc[:len(dst)], sum[:len(dst)], scale[:len(dst)], bias[:len(dst)]
	for i := range dst {
		dst[i] = float32(float32(acc[i]-zero*sum[i])*float32(scale[i]*s)) + bias[i]
	}
}

// normEpsilon keeps the variance off zero; the model was trained with it.
const normEpsilon = 1e-12

func addNorm(x, y, gamma, beta []float32) {
	var s [lanes]float32
	for i := 0; i < len(x); i += lanes {
		a, b := x[i:i+lanes], y[i:i+lanes]
		for j := range s {
			a[j] += b[j]
			s[j] += a[j]
		}
	}
	mean := joined(&s) / float32(len(x))
	s = [lanes]float32{}
	for i := 0; i < len(x); i += lanes {
		a := x[i : i+lanes]
		for j := range s {
			a[j] -= mean
			s[j] += float32(a[j] * a[j])
		}
	}
	inverse := 1 / float32(math.Sqrt(float64(joined(&s)/float32(len(x))+normEpsilon)))
	for i := range x {
		x[i] = float32(float32(x[i]*inverse)*gamma[i]) + beta[i]
	}
}

// erf(x/√2) = x·P(x²)/Q(x²) on |x| ≤ geluBound, within 3·10⁻⁷; beyond it is ±1 to
// within 2·10⁻⁸. The coefficients are a minimax fit, lowest power first; Q's
// constant is 1.
const geluBound = 5.65

var (
	geluP = [5]float32{0.797882616519928, 0.12892863154411316, 0.013216549530625343, 0.0009613033616915345, 1.7023668988258578e-05}
	geluQ = [6]float32{1, 0.3282393515110016, 0.04629853367805481, 0.0036692165303975344, 0.00017304395441897213, 6.849705300737696e-07}
)

func gelu(x []float32) {
	for i, v := range x {
		c := min(max(v, -geluBound), geluBound)
		t := c * c
		p := float32(geluP[4]*t) + geluP[3]
		p = float32(p*t) + geluP[2]
		p = float32(p*t) + geluP[1]
		p = float32(p*t) + geluP[0]
		q := float32(geluQ[5]*t) + geluQ[4]
		q = float32(q*t) + geluQ[3]
		q = float32(q*t) + geluQ[2]
		q = float32(q*t) + geluQ[1]
		q = float32(q*t) + geluQ[0]
		x[i] = float32(0.5*v) * (1 + float32(c*p)/q)
	}
}

func bounds(x, inverse []float32) (lo, hi float32) {
	inverse = inverse[:len(x)]
	for i, v := range x {
		v *= inverse[i]
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

// rounder, added to a small float, leaves its nearest integer (ties to even) in
// the low bits: 1.5·2²³.
const rounder = 12582912

// nearest rounds to an integer, |v| < 2²².
func nearest(v float32) int32 {
	return int32(math.Float32bits(v+rounder)) - int32(math.Float32bits(rounder))
}

func toBytes(dst []uint8, x, inverse []float32, mul float32, zero int32) {
	x, inverse = x[:len(dst)], inverse[:len(dst)]
	for i := range dst {
		v := float32(float32(x[i]*inverse[i]) * mul)
		dst[i] = uint8(min(max(nearest(v)+zero, 0), 255))
	}
}

func maxAbs(x []float32) float32 {
	var m float32
	for _, v := range x {
		m = max(m, v, -v)
	}
	return m
}

func toWords(dst []int16, x []float32, mul float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = int16(nearest(float32(x[i] * mul)))
	}
}

// exp(x) = 2ⁿ·exp(r), with n the integer nearest to x·log₂e and r the rest, taken
// off in two steps because ln 2 has more bits than a float32. The polynomial is
// a minimax fit, within 1.2·10⁻⁷ on |r| ≤ ½ ln 2.
const (
	expLeast = -87 // below, 2ⁿ would leave the normal numbers
	log2e    = 1.44269504
	ln2High  = 0.693359375
	ln2Low   = -2.12194440e-4
	exp2     = 0.49999202
	exp3     = 0.16667133
	exp4     = 0.0418945
	exp5     = 0.00831205
)

func softmax(weights []int16, exps []float32, scores []int32, scale float32) {
	exps, scores = exps[:len(weights)], scores[:len(weights)]
	largest := scores[0]
	for _, s := range scores {
		largest = max(largest, s)
	}
	top := float32(largest)
	var sum [lanes]float32
	for i, s := range scores {
		x := max(float32((float32(s)-top)*scale), expLeast)
		n := float32(float32(x*log2e)+rounder) - rounder
		r := x - float32(n*ln2High)
		r -= float32(n * ln2Low)
		p := float32(exp5*r) + exp4
		p = float32(p*r) + exp3
		p = float32(p*r) + exp2
		p = float32(p*r) + 1
		p = float32(p*r) + 1
		e := p * math.Float32frombits(uint32(int32(n)+127)<<23)
		exps[i] = e
		sum[i%lanes] += e
	}
	toWords(weights, exps, one/joined(&sum))
}
