package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

const (
	dim       = 384
	wide      = 1536
	layers    = 6
	positions = 256 // of 512 trained ones; the model was fine-tuned on 128, and used with 256
)

// matrix is a weight matrix, out rows of in columns, and its bias.
type matrix struct {
	out, in      int
	weight, bias []float32
}

// norm is a layer norm.
type norm struct{ gamma, beta []float32 }

type layer struct {
	qkv, proj, up, down  matrix
	afterProj, afterDown norm
}

// model is the network in float32.
type model struct {
	words     []float32 // one row per piece
	positions []float32 // with the embedding of segment 0 added
	first     norm
	layers    [layers]layer
}

// readModel reads the safetensors file: a JSON directory, then the tensors.
func readModel(file []byte) (*model, error) {
	if len(file) < 8 {
		return nil, fmt.Errorf("model of %d bytes", len(file))
	}
	n := binary.LittleEndian.Uint64(file)
	if n > uint64(len(file)-8) {
		return nil, fmt.Errorf("model directory of %d bytes", n)
	}
	var directory map[string]struct {
		DType   string
		Shape   []int
		Offsets [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(file[8:8+n], &directory); err != nil {
		return nil, fmt.Errorf("model directory: %w", err)
	}
	body := file[8+n:]
	var err error
	tensor := func(name string, size int) []float32 {
		t := directory[name]
		values := make([]float32, size)
		if t.DType != "F16" || t.Offsets[1]-t.Offsets[0] != 2*size || t.Offsets[0] < 0 || t.Offsets[1] > len(body) {
			err = fmt.Errorf("tensor %s is %s %v, want %d of F16", name, t.DType, t.Shape, size)
			return values
		}
		for i := range values {
			values[i] = float16(binary.LittleEndian.Uint16(body[t.Offsets[0]+2*i:]))
		}
		return values
	}
	linear := func(out, in int, names ...string) matrix {
		m := matrix{out: out, in: in}
		for _, name := range names {
			m.weight = append(m.weight, tensor(name+".weight", out/len(names)*in)...)
			m.bias = append(m.bias, tensor(name+".bias", out/len(names))...)
		}
		return m
	}
	layerNorm := func(name string) norm {
		return norm{tensor(name+".weight", dim), tensor(name+".bias", dim)}
	}
	m := &model{
		words:     tensor("embeddings.word_embeddings.weight", 30522*dim),
		positions: tensor("embeddings.position_embeddings.weight", 512*dim)[:positions*dim],
		first:     layerNorm("embeddings.LayerNorm"),
	}
	segment := tensor("embeddings.token_type_embeddings.weight", 2*dim)[:dim]
	for i := range m.positions {
		m.positions[i] += segment[i%dim]
	}
	for i := range m.layers {
		p := fmt.Sprintf("encoder.layer.%d.", i)
		m.layers[i] = layer{
			qkv:       linear(3*dim, dim, p+"attention.self.query", p+"attention.self.key", p+"attention.self.value"),
			proj:      linear(dim, dim, p+"attention.output.dense"),
			up:        linear(wide, dim, p+"intermediate.dense"),
			down:      linear(dim, wide, p+"output.dense"),
			afterProj: layerNorm(p + "attention.output.LayerNorm"),
			afterDown: layerNorm(p + "output.LayerNorm"),
		}
	}
	return m, err
}

// float16 widens an IEEE half; the model has neither infinities nor NaN.
func float16(h uint16) float32 {
	sign := float32(1)
	if h&0x8000 != 0 {
		sign = -1
	}
	exp, frac := int(h>>10&0x1f), float64(h&0x3ff)
	if exp == 0 {
		return sign * float32(math.Ldexp(frac, -24))
	}
	return sign * float32(math.Ldexp(frac+1024, exp-25))
}
