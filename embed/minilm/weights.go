package minilm

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/embed/wordpiece"
)

// The shape of the model.
const (
	layerCount = 6
	heads      = 12
	headDim    = Dim / heads
	hiddenDim  = 4 * Dim
	maxTokens  = 256 // the window, start and end included
)

// builtinWeights is made by tools/minilm, which also describes the format.
//
//go:embed minilm.bin
var builtinWeights []byte

// magic opens the file; its last byte is the format's version.
const magic = "WINNOWM\x01"

// fileSize is exact: the format has no lengths in it.
const fileSize = len(magic) + 4 +
	wordpiece.Size*(4+Dim) + 4*maxTokens*Dim + 8*Dim +
	layerCount*(16*Dim+
		(4*Dim+3*Dim*(8+Dim))+(4*Dim+Dim*(8+Dim))+(4*Dim+hiddenDim*(8+Dim))+(4*hiddenDim+Dim*(8+hiddenDim)))

// linear is a weight matrix with what turns its integer products into floats.
type linear struct {
	in, out int
	inverse []float32 // per input: what activations are multiplied by before they are rounded
	scale   []float32 // per output: of the int8 weights
	bias    []float32 // per output
	sum     []int32   // per output: the sum of its weights, for activations' zero point
	matrix  matrix
}

type norm struct{ gamma, beta []float32 }

type layer struct {
	qkv, proj, up, down  linear
	afterProj, afterDown norm
}

// weights is the model as the encoder uses it.
type weights struct {
	wordScale []float32
	words     []byte // int8, a row per piece, read in place
	positions []float32
	first     norm
	layers    [layerCount]layer
}

// parse reads a weights file and lays its matrices out for the kernel.
func parse(file []byte, k *kernel) (*weights, error) {
	if !bytes.HasPrefix(file, []byte(magic)) {
		return nil, badWeights("is not a MiniLM weights file of this version")
	}
	if len(file) != fileSize {
		return nil, badWeights(fmt.Sprintf("has %d bytes instead of %d", len(file), fileSize))
	}
	r := reader(file[len(magic):])
	want := binary.LittleEndian.Uint32(r.take(4))
	if crc32.Checksum(r, crc32.MakeTable(crc32.Castagnoli)) != want {
		return nil, badWeights("fails its checksum")
	}
	w := &weights{}
	w.wordScale = r.floats(wordpiece.Size)
	w.words = r.take(wordpiece.Size * Dim)
	w.positions = r.floats(maxTokens * Dim)
	w.first = r.norm()
	for i := range w.layers {
		l := &w.layers[i]
		l.qkv = r.linear(3*Dim, Dim, k)
		l.proj = r.linear(Dim, Dim, k)
		l.afterProj = r.norm()
		l.up = r.linear(hiddenDim, Dim, k)
		l.down = r.linear(Dim, hiddenDim, k)
		l.afterDown = r.norm()
	}
	return w, nil
}

func badWeights(what string) error {
	return &winnow.Error{
		Code:    winnow.Corrupt,
		Message: "the MiniLM weights file " + what,
		Hint:    "reinstall the program, or make the file anew with tools/minilm",
	}
}

// reader takes a file of checked length apart from the front.
type reader []byte

func (r *reader) take(n int) []byte {
	b := (*r)[:n]
	*r = (*r)[n:]
	return b
}

func (r *reader) floats(n int) []float32 {
	b := r.take(4 * n)
	f := make([]float32, n)
	for i := range f {
		f[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return f
}

func (r *reader) norm() norm { return norm{r.floats(Dim), r.floats(Dim)} }

func (r *reader) linear(out, in int, k *kernel) linear {
	l := linear{in: in, out: out, inverse: r.floats(in), scale: r.floats(out), bias: r.floats(out)}
	rows := r.take(out * in)
	l.sum = make([]int32, out)
	for o := range l.sum {
		var sum int32
		for _, w := range rows[o*in : (o+1)*in] {
			sum += int32(int8(w))
		}
		l.sum[o] = sum
	}
	l.matrix = k.newMatrix(rows, out, in)
	return l
}
