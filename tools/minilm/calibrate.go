package main

import (
	"math"

	"github.com/winnow-search/winnow/embed/wordpiece"
)

// channels is what the calibration text sent into one matrix.
type channels struct {
	largest []float32 // magnitude
	sum     []float64
	rows    int
}

func newChannels(n int) channels {
	return channels{largest: make([]float32, n), sum: make([]float64, n)}
}

func (c *channels) see(row []float32) {
	for i, v := range row {
		c.largest[i] = max(c.largest[i], v, -v)
		c.sum[i] += float64(v)
	}
	c.rows++
}

// inputs holds the channels of every matrix.
type inputs [layers]struct{ qkv, proj, up, down channels }

// calibrate runs the model in float32, plainly, over some passages of many
// kinds. A few of MiniLM's channels are tens of times larger than the rest;
// quantising activations to eight bits works only if that is known beforehand
// and moved into the weights.
func calibrate(m *model, passages []string) *inputs {
	seen := &inputs{}
	for i := range seen {
		l := &seen[i]
		l.qkv, l.proj, l.up, l.down = newChannels(dim), newChannels(dim), newChannels(dim), newChannels(wide)
	}
	t := wordpiece.New()
	for _, p := range passages {
		ids := t.Encode([]int32{wordpiece.Start}, p, positions-2)
		m.forward(append(ids, wordpiece.End), seen)
	}
	return seen
}

// forward encodes one sequence and notes what each matrix was given.
func (m *model) forward(ids []int32, all *inputs) {
	x := make([][]float32, len(ids))
	for i, id := range ids {
		x[i] = make([]float32, dim)
		for c := range x[i] {
			x[i][c] = m.words[int(id)*dim+c] + m.positions[i*dim+c]
		}
		m.first.apply(x[i])
	}
	for i := range m.layers {
		l, seen := &m.layers[i], &all[i]
		qkv := l.qkv.apply(x, &seen.qkv)
		residual(x, l.proj.apply(attention(qkv), &seen.proj), l.afterProj)
		hidden := l.up.apply(x, &seen.up)
		for _, row := range hidden {
			for c, v := range row {
				row[c] = float32(0.5 * float64(v) * (1 + math.Erf(float64(v)/math.Sqrt2)))
			}
		}
		residual(x, l.down.apply(hidden, &seen.down), l.afterDown)
	}
}

func (m matrix) apply(x [][]float32, seen *channels) [][]float32 {
	y := make([][]float32, len(x))
	for i, row := range x {
		seen.see(row)
		y[i] = make([]float32, m.out)
		for o := range y[i] {
			y[i][o] = m.bias[o] + dot(m.weight[o*m.in:(o+1)*m.in], row)
		}
	}
	return y
}

func (n norm) apply(x []float32) {
	var mean, variance float64
	for _, v := range x {
		mean += float64(v) / dim
	}
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / dim
	}
	inv := 1 / math.Sqrt(variance+1e-12)
	for c, v := range x {
		x[c] = float32((float64(v)-mean)*inv)*n.gamma[c] + n.beta[c]
	}
}

func residual(x, y [][]float32, n norm) {
	for i := range x {
		for c := range x[i] {
			x[i][c] += y[i][c]
		}
		n.apply(x[i])
	}
}

// attention takes rows of queries, keys and values side by side.
func attention(qkv [][]float32) [][]float32 {
	const heads, width = 12, dim / 12
	out := make([][]float32, len(qkv))
	for i := range out {
		out[i] = make([]float32, dim)
	}
	weights := make([]float64, len(qkv))
	for h := range heads {
		q, k, v := h*width, dim+h*width, 2*dim+h*width
		for i := range qkv {
			largest, sum := math.Inf(-1), 0.0
			for j := range qkv {
				weights[j] = float64(dot(qkv[i][q:q+width], qkv[j][k:k+width])) / math.Sqrt(width)
				largest = max(largest, weights[j])
			}
			for j := range weights {
				weights[j] = math.Exp(weights[j] - largest)
				sum += weights[j]
			}
			for j := range weights {
				for c := range width {
					out[i][q+c] += float32(weights[j]/sum) * qkv[j][v+c]
				}
			}
		}
	}
	return out
}

func dot(a, b []float32) float32 {
	var s [4]float32
	b = b[:len(a)]
	for i := 0; i+4 <= len(a); i += 4 {
		s[0] += a[i] * b[i]
		s[1] += a[i+1] * b[i+1]
		s[2] += a[i+2] * b[i+2]
		s[3] += a[i+3] * b[i+3]
	}
	return s[0] + s[1] + s[2] + s[3]
}
