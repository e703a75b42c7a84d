//go:build amd64 || arm64

package minilm

// wordMatrix serves kernels that multiply in 16 bits only: weights are widened
// once, activations for every product.
type wordMatrix struct {
	kernel  *kernel
	words   []int16 // in pairs
	out, in int
}

func (k *kernel) newWordMatrix(rows []byte, out, in int) matrix {
	return &wordMatrix{k, panels[int16](rows, out, in, k.panel, 2), out, in}
}

func (m *wordMatrix) multiply(acc []int32, a []uint8, rows int, r *room) {
	widen(r.words, a[:rows*m.in])
	m.kernel.multiply(acc, r.words, m.in, m.words, rows, m.out, m.in)
}
