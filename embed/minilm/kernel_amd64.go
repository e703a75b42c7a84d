package minilm

import "golang.org/x/sys/cpu"

// kernels lists what this CPU can run, the best first.
func kernels() []*kernel {
	list := []*kernel{portable()}
	if cpu.X86.HasAVX2 {
		list = append([]*kernel{avx2()}, list...)
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI {
		list = append([]*kernel{avx512()}, list...)
	}
	return list
}

// avx2 multiplies in 16 bits (VPMADDWD): the byte instruction, VPMADDUBSW,
// saturates.
func avx2() *kernel {
	k := &kernel{
		name:       "avx2",
		multiply:   multiplyAVX2,
		panel:      avx2Panel,
		dequantise: dequantiseVector,
		addNorm:    addNormVector,
		gelu:       geluVector,
		bounds:     boundsVector,
		toBytes:    toBytesVector,
		maxAbs:     maxAbsVector,
		toWords:    toWordsVector,
		softmax:    softmaxVector,
	}
	k.newMatrix = k.newWordMatrix
	return k
}

// avx512 multiplies with the VNNI instructions, which sum four byte products at
// once. The float steps are a small part of the work and stay at 256 bits: one
// set of them to read and to test.
func avx512() *kernel {
	k := avx2()
	k.name = "avx512"
	k.newMatrix = newByteMatrix
	k.multiply = multiplyAVX512
	k.panel = avx512Panel
	return k
}

const (
	avx2Panel   = 16
	avx512Panel = 32
)

// byteMatrix holds the weights in groups of four bytes.
type byteMatrix struct {
	bytes   []int8
	out, in int
}

func newByteMatrix(rows []byte, out, in int) matrix {
	return &byteMatrix{panels[int8](rows, out, in, avx512Panel, 4), out, in}
}

func (m *byteMatrix) multiply(acc []int32, a []uint8, rows int, _ *room) {
	for n := 0; n < m.out; n += avx512Panel {
		panelBytesAVX512(&acc[n], &a[0], &m.bytes[n*m.in], rows/tileRows, m.in/4, m.in, 4*m.out)
	}
}

func multiplyAVX2(acc []int32, a []int16, lda int, b []int16, rows, out, in int) {
	for n := 0; n < out; n += avx2Panel {
		panelWordsAVX2(&acc[n], &a[0], &b[n*in], rows/tileRows, in/2, 2*lda, 4*out)
	}
}

func multiplyAVX512(acc []int32, a []int16, lda int, b []int16, rows, out, in int) {
	for n := 0; n < out; n += avx512Panel {
		panelWordsAVX512(&acc[n], &a[0], &b[n*in], rows/tileRows, in/2, 2*lda, 4*out)
	}
}

// The panel functions multiply tiles·6 rows of a by one panel of b: steps groups
// of columns, rows of a and of acc lda and ldc bytes apart. Steps is even.

//go:noescape
func panelWordsAVX2(acc *int32, a *int16, b *int16, tiles, steps, lda, ldc int)

//go:noescape
func panelWordsAVX512(acc *int32, a *int16, b *int16, tiles, steps, lda, ldc int)

//go:noescape
func panelBytesAVX512(acc *int32, a *uint8, b *int8, tiles, steps, lda, ldc int)

func widen(dst []int16, src []uint8) { widenAVX2(&dst[0], &src[0], len(src)) }

// widenAVX2 sets dst = src for n bytes, a multiple of 16.
//
//go:noescape
func widenAVX2(dst *int16, src *uint8, n int)

func dequantiseVector(dst []float32, acc, sum []int32, scale, bias []float32, zero int32, s float32) {
	dequantiseAVX2(&dst[0], &acc[0], &sum[0], &scale[0], &bias[0], len(dst), zero, s)
}

func addNormVector(x, y, gamma, beta []float32) {
	addNormAVX2(&x[0], &y[0], &gamma[0], &beta[0], len(x), float32(len(x)), normEpsilon)
}

func geluVector(x []float32) { geluAVX2(&x[0], len(x), &geluTable) }

func boundsVector(x, inverse []float32) (lo, hi float32) {
	return boundsAVX2(&x[0], &inverse[0], len(x))
}

func toBytesVector(dst []uint8, x, inverse []float32, mul float32, zero int32) {
	toBytesAVX2(&dst[0], &x[0], &inverse[0], len(dst), mul, zero)
}

func maxAbsVector(x []float32) float32 { return maxAbsAVX2(&x[0], len(x)) }

func toWordsVector(dst []int16, x []float32, mul float32) {
	toWordsAVX2(&dst[0], &x[0], len(dst), mul)
}

func softmaxVector(weights []int16, exps []float32, scores []int32, scale float32) {
	sum := expAVX2(&exps[0], &scores[0], len(weights), scale, &expTable)
	toWordsAVX2(&weights[0], &exps[0], len(weights), one/sum)
}

// geluTable and expTable are the constants of float.go in the order in which the
// assembly reads them.
var (
	geluTable = [14]float32{-geluBound, geluBound,
		geluP[4], geluP[3], geluP[2], geluP[1], geluP[0],
		geluQ[5], geluQ[4], geluQ[3], geluQ[2], geluQ[1], 1, 0.5}
	expTable = [10]float32{expLeast, log2e, rounder, ln2High, ln2Low, exp5, exp4, exp3, exp2, 1}
)

//go:noescape
func dequantiseAVX2(dst *float32, acc, sum *int32, scale, bias *float32, n int, zero int32, s float32)

//go:noescape
func addNormAVX2(x, y, gamma, beta *float32, n int, count, epsilon float32)

//go:noescape
func geluAVX2(x *float32, n int, table *[14]float32)

//go:noescape
func boundsAVX2(x, inverse *float32, n int) (lo, hi float32)

//go:noescape
func toBytesAVX2(dst *uint8, x, inverse *float32, n int, mul float32, zero int32)

//go:noescape
func maxAbsAVX2(x *float32, n int) float32

//go:noescape
func toWordsAVX2(dst *int16, x *float32, n int, mul float32)

// expAVX2 sets exps and returns their sum.
//
//go:noescape
func expAVX2(exps *float32, scores *int32, n int, scale float32, table *[10]float32) float32
