package minilm

import (
	"context"
	"math"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/embed/wordpiece"
)

// encoder is the network on one kernel.
type encoder struct {
	*weights
	kernel    *kernel
	tokenizer *wordpiece.Tokenizer
}

func newEncoder(file []byte, k *kernel) (*encoder, error) {
	w, err := parse(file, k)
	if err != nil {
		return nil, err
	}
	return &encoder{w, k, wordpiece.New()}, nil
}

// room is the memory one pack needs on its way through the layers. It grows to
// the largest pack seen.
type room struct {
	x     []float32 // a row of Dim per token: the residual stream
	qkv   []float32 // a row of 3·Dim per token
	mixed []float32 // a row of Dim per token: what attention read
	row   []float32 // one row of activations on its way to bytes
	acc   []int32   // products of one matrix for all tokens
	input activations
	words []int16 // for kernels that multiply in 16 bits
	attn  attentionRoom
}

// activations are rows rounded to bytes: value = (byte − zero) · scale.
type activations struct {
	bytes []uint8
	scale []float32
	zero  []int32
}

func (r *room) fit(tokens int) {
	rows := roundUp(tokens, tileRows)
	if len(r.x) >= rows*Dim {
		return
	}
	*r = room{
		x:     make([]float32, rows*Dim),
		qkv:   make([]float32, rows*3*Dim),
		mixed: make([]float32, rows*Dim),
		row:   make([]float32, hiddenDim),
		acc:   make([]int32, rows*hiddenDim),
		words: make([]int16, rows*hiddenDim),
		input: activations{make([]uint8, rows*hiddenDim), make([]float32, rows), make([]int32, rows)},
		attn:  newAttentionRoom(),
	}
}

// encode takes a pack of sequences through the network and sets their vectors.
func (e *encoder) encode(ctx context.Context, pack []sequence, r *room) error {
	tokens := 0
	for _, s := range pack {
		tokens += len(s.ids)
	}
	r.fit(tokens)
	e.embed(pack, r)
	for i := range e.layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.forward(&e.layers[i], pack, tokens, r)
	}
	x := r.x
	for _, s := range pack {
		*s.vector = pool(x[:len(s.ids)*Dim])
		x = x[len(s.ids)*Dim:]
	}
	return nil
}

// embed starts the residual stream: words plus positions.
func (e *encoder) embed(pack []sequence, r *room) {
	x := r.x
	for _, s := range pack {
		for pos, id := range s.ids {
			row, word := x[:Dim], e.words[int(id)*Dim:(int(id)+1)*Dim]
			for c := range row {
				row[c] = float32(int8(word[c])) * e.wordScale[id]
			}
			e.kernel.addNorm(row, e.positions[pos*Dim:(pos+1)*Dim], e.first.gamma, e.first.beta)
			x = x[Dim:]
		}
	}
}

// forward takes the residual stream through one layer.
func (e *encoder) forward(l *layer, pack []sequence, tokens int, r *room) {
	e.quantiseRows(&l.qkv, r.x, tokens, r)
	e.product(&l.qkv, tokens, r)
	for t := range tokens {
		e.dequantiseRow(&l.qkv, r.qkv[t*3*Dim:(t+1)*3*Dim], t, r)
	}
	first := 0
	for _, s := range pack {
		e.attend(r.qkv[first*3*Dim:], r.mixed[first*Dim:], len(s.ids), &r.attn)
		first += len(s.ids)
	}
	e.quantiseRows(&l.proj, r.mixed, tokens, r)
	e.product(&l.proj, tokens, r)
	e.addRows(&l.proj, l.afterProj, tokens, r)

	e.quantiseRows(&l.up, r.x, tokens, r)
	e.product(&l.up, tokens, r)
	for t := range tokens {
		e.dequantiseRow(&l.up, r.row, t, r)
		e.kernel.gelu(r.row)
		e.quantiseRow(&l.down, r.row, t, r)
	}
	e.product(&l.down, tokens, r)
	e.addRows(&l.down, l.afterDown, tokens, r)
}

// product multiplies the rounded input by a matrix.
func (e *encoder) product(l *linear, tokens int, r *room) {
	l.matrix.multiply(r.acc, r.input.bytes, roundUp(tokens, tileRows), r)
}

// addRows adds the products to the residual stream and normalises it.
func (e *encoder) addRows(l *linear, n norm, tokens int, r *room) {
	for t := range tokens {
		row := r.row[:Dim]
		e.dequantiseRow(l, row, t, r)
		e.kernel.addNorm(r.x[t*Dim:(t+1)*Dim], row, n.gamma, n.beta)
	}
}

func (e *encoder) quantiseRows(l *linear, x []float32, tokens int, r *room) {
	for t := range tokens {
		e.quantiseRow(l, x[t*Dim:(t+1)*Dim], t, r)
	}
}

// quantiseRow rounds one row to bytes for a matrix. The zero point makes use of
// all 256 steps where values lie mostly on one side, as they do after GELU: it
// takes the least cosine from 0.9982 to 0.9988.
func (e *encoder) quantiseRow(l *linear, x []float32, t int, r *room) {
	in := &r.input
	dst := in.bytes[t*l.in : (t+1)*l.in]
	lo, hi := e.kernel.bounds(x, l.inverse)
	if lo == hi {
		clear(dst)
		in.scale[t], in.zero[t] = 0, 0
		return
	}
	mul := 255 / (hi - lo)
	in.scale[t] = (hi - lo) / 255
	in.zero[t] = nearest(float32(-lo * mul))
	e.kernel.toBytes(dst, x, l.inverse, mul, in.zero[t])
}

func (e *encoder) dequantiseRow(l *linear, dst []float32, t int, r *room) {
	e.kernel.dequantise(dst, r.acc[t*l.out:(t+1)*l.out], l.sum, l.scale, l.bias, r.input.zero[t], r.input.scale[t])
}

// pool returns the mean of the rows at unit length.
func pool(x []float32) winnow.Vector {
	v := make(winnow.Vector, Dim)
	for ; len(x) > 0; x = x[Dim:] {
		for c := range v {
			v[c] += x[c]
		}
	}
	var square float64
	for _, f := range v {
		square += float64(float64(f) * float64(f))
	}
	inverse := float32(1 / math.Sqrt(square))
	for c := range v {
		v[c] *= inverse
	}
	return v
}
