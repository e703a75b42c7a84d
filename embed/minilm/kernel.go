package minilm

import (
	"fmt"
	"strings"

	"github.com/winnow-search/winnow"
)

// kernel is one implementation of the encoder's inner loops. All are equal in
// what they return, to the bit; the portable one is the definition.
//
// Slices of floats have lengths that are multiples of 8. Integer products take
// whole tiles of rows: buffers have room for a multiple of tileRows, and what
// the rows past the last hold is computed and ignored.
type kernel struct {
	name string

	// newMatrix lays int8 weights (rows of in columns) out for multiplication by
	// byte activations.
	newMatrix func(rows []byte, out, in int) matrix

	// multiply sets acc[r][n] = Σ a[r][i]·b[n][i] in 16 bits: attention. Rows of
	// a are lda apart, rows of acc out apart; b is laid out in panels of panel
	// rows, see [panels]. In is a multiple of 4, out of 32.
	multiply func(acc []int32, a []int16, lda int, b []int16, rows, out, in int)
	panel    int

	// dequantise sets dst = (acc − zero·sum) · (scale·s) + bias.
	dequantise func(dst []float32, acc, sum []int32, scale, bias []float32, zero int32, s float32)
	// addNorm sets x = layer norm of x + y.
	addNorm func(x, y, gamma, beta []float32)
	// gelu sets x = x·Φ(x), with Φ by error function.
	gelu func(x []float32)
	// bounds returns the least and the greatest of x·inverse and 0.
	bounds func(x, inverse []float32) (lo, hi float32)
	// toBytes sets dst = x·inverse·mul + zero, rounded and clamped.
	toBytes func(dst []uint8, x, inverse []float32, mul float32, zero int32)
	// maxAbs returns the greatest magnitude in x.
	maxAbs func(x []float32) float32
	// toWords sets dst = x·mul, rounded.
	toWords func(dst []int16, x []float32, mul float32)
	// softmax sets weights to the softmax of scores·scale, in units of 1/one.
	// It overwrites exps.
	softmax func(weights []int16, exps []float32, scores []int32, scale float32)
}

// matrix is a weight matrix in a kernel's own layout.
type matrix interface {
	// multiply sets acc[r][o] = Σ a[r][i]·w[o][i]. The room is for its use.
	multiply(acc []int32, a []uint8, rows int, r *room)
}

const (
	tileRows = 6
	// one is 1 in fixed point: attention weights sum to it, but for rounding.
	one = 32767
	// wordLimit bounds queries and keys: a product of two over a head's 32
	// dimensions just fits 32 bits.
	wordLimit = 8191
)

// panels lays out b, out rows of in columns, for integer products: panels of p
// rows, and in a panel for each group of g columns the groups of all its rows
// side by side. A vector register then holds g columns of many rows, which is
// what multiply-add instructions sum over. With p = 1 it is the plain matrix.
func panels[T int8 | int16](rows []byte, out, in, p, g int) []T {
	b := make([]T, out*in)
	for n := range out {
		row, panel := rows[n*in:(n+1)*in], b[n/p*p*in+n%p*g:]
		for ; len(row) > 0; row = row[g:] {
			for j, w := range row[:g] {
				panel[j] = T(int8(w))
			}
			panel = panel[min(g*p, len(panel)):]
		}
	}
	return b
}

// kernelNamed finds a kernel that this CPU can run; the best comes first.
func kernelNamed(name string) (*kernel, error) {
	available := kernels()
	if name == "" {
		return available[0], nil
	}
	var names []string
	for _, k := range available {
		if k.name == name {
			return k, nil
		}
		names = append(names, k.name)
	}
	return nil, &winnow.Error{
		Code:    winnow.BadInput,
		Message: fmt.Sprintf("this machine has no MiniLM kernel %q", name),
		Hint:    "one of " + strings.Join(names, ", "),
	}
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
