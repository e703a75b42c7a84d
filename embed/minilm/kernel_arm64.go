package minilm

// kernels lists what this CPU can run, the best first. Every arm64 has NEON.
func kernels() []*kernel { return []*kernel{neon(), portable()} }

// neon multiplies in 16 bits (SMLAL), as avx2 does. The float steps are the
// portable ones: beside the products they are a third of the work.
func neon() *kernel {
	k := portable()
	k.name = "neon"
	k.newMatrix = k.newWordMatrix
	k.multiply = multiplyNEON
	k.panel = neonPanel
	return k
}

const neonPanel = 8

func widen(dst []int16, src []uint8) {
	for i, v := range src {
		dst[i] = int16(v)
	}
}

func multiplyNEON(acc []int32, a []int16, lda int, b []int16, rows, out, in int) {
	for n := 0; n < out; n += neonPanel {
		panelWordsNEON(&acc[n], &a[0], &b[n*in], rows/tileRows, in/4, 2*lda, 4*out)
	}
}

// panelWordsNEON multiplies tiles·6 rows of a by one panel of b: steps groups of
// four columns, rows of a and of acc lda and ldc bytes apart.
//
//go:noescape
func panelWordsNEON(acc *int32, a *int16, b *int16, tiles, steps, lda, ldc int)
