package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/winnow-search/winnow/embed/wordpiece"
)

const (
	// dim is what is kept of MiniLM's 384 dimensions, the strongest by variance.
	// Measured with the same lessons, R@5 on the shared development sets: 384
	// within a point of 256, 128 loses three to six.
	dim = 256
	// common is the first piece that is a word; the vocabulary is sorted by
	// frequency from there on, so that rank stands for frequency (Zipf).
	common = 1996
	// smoothing is the a of a/(a+frequency), the weight a piece starts with
	// (Arora et al. 2017); learning sets the final one.
	smoothing = 1e-4

	epochs = 4
	rate   = 0.05
)

// learn returns the table, a row of dim per piece: it descends on 1 − cosine of
// the sum of a lesson's rows and its target, with a step size per row (AdaGrad),
// since some rows are seen a million times and some never.
func learn(lessons []lesson) [][]float32 {
	basis := principal(lessons)
	for i := range lessons {
		lessons[i].target = project(lessons[i].target, basis)
	}
	table := start(lessons)
	seen := make([]float64, len(table))
	order := make([]int, len(lessons))
	for i := range order {
		order[i] = i
	}
	r := rand.New(rand.NewPCG(4, 4))
	sum, gradient := make([]float32, dim), make([]float32, dim)
	for epoch := range epochs {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		var loss float64
		for n, i := range order {
			l := &lessons[i]
			if l.target == nil || len(l.ids) == 0 {
				continue
			}
			clear(sum)
			for _, id := range l.ids {
				for c, v := range table[id] {
					sum[c] += v
				}
			}
			length := norm(sum)
			if length == 0 {
				continue
			}
			cosine := dot(sum, l.target) / length
			loss += 1 - cosine
			var square float64
			for c := range gradient {
				g := (cosine*float64(sum[c])/length - float64(l.target[c])) / length
				gradient[c] = float32(g)
				square += g * g / dim
			}
			now := rate * (1 - (float64(epoch)+float64(n)/float64(len(order)))/epochs)
			for _, id := range l.ids {
				seen[id] += square
				step := float32(now / math.Sqrt(seen[id]+1e-12))
				row := table[id]
				for c, g := range gradient {
					row[c] -= step * g
				}
			}
		}
		fmt.Fprintf(os.Stderr, "epoch %d: mean distance %.4f\n", epoch+1, loss/float64(len(order)))
	}
	return table
}

// start is each piece's own vector, weighted by how rare the piece is, at a mean
// length of 1.
func start(lessons []lesson) [][]float32 {
	table := make([][]float32, wordpiece.Size)
	var total, lengths float64
	for id := common; id < wordpiece.Size; id++ {
		total += zipf(id)
	}
	for id := range table {
		table[id] = make([]float32, dim)
		weight := smoothing / (smoothing + zipf(id)/total)
		lengths += weight / wordpiece.Size
		for c, v := range lessons[id].target {
			table[id][c] = v * float32(weight)
		}
	}
	for _, row := range table {
		for c := range row {
			row[c] /= float32(lengths)
		}
	}
	return table
}

func zipf(id int) float64 {
	if id < common {
		id = 20_000 // characters and placeholders: rare
	}
	return 1 / (float64(id-common) + 3.7)
}

func dot(a, b []float32) float64 {
	var s float64
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func norm(a []float32) float64 { return math.Sqrt(dot(a, a)) }
