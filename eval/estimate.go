package eval

import (
	"math/rand/v2"
	"slices"
)

// estimate is a metric over n questions as a function of how often each is
// counted. The metric itself counts each once; a bootstrap sample counts some
// twice and some not at all. Counts instead of lists of picks make a percentile
// cost one pass, because the values are sorted once.
type estimate struct {
	n     int
	value func(counts []int) float64
}

// mean is that of a value a question.
func mean(values []float64) estimate {
	return estimate{len(values), func(counts []int) float64 {
		sum, n := 0.0, 0
		for i, c := range counts {
			sum += float64(c) * values[i]
			n += c
		}
		return sum / float64(n)
	}}
}

// ratio is that of two sums.
func ratio(over, under []float64) estimate {
	return estimate{len(over), func(counts []int) float64 {
		a, b := 0.0, 0.0
		for i, c := range counts {
			a += float64(c) * over[i]
			b += float64(c) * under[i]
		}
		return a / b
	}}
}

// percentile is the smallest value that at least p percent of the questions do
// not exceed: always one that was measured.
func percentile(values []float64, p int) estimate {
	values = slices.Sorted(slices.Values(values))
	return estimate{len(values), func(counts []int) float64 {
		total := 0
		for _, c := range counts {
			total += c
		}
		rank := (total*p + 99) / 100
		for i, c := range counts {
			if rank -= c; rank <= 0 {
				return values[i]
			}
		}
		return values[len(values)-1]
	}}
}

// point is the estimate over the questions as they are.
func (e estimate) point() float64 {
	once := make([]int, e.n)
	for i := range once {
		once[i] = 1
	}
	return e.value(once)
}

// resamples make the end points of an interval repeatable to about a twentieth
// of its width, which is finer than anyone reads it.
const resamples = 2000

// interval returns half the width of the 95 % percentile bootstrap interval
// (Efron 1979): questions are drawn anew with replacement. One question says
// nothing about the spread.
func (e estimate) interval(seed uint64) (halfWidth float64, ok bool) {
	if e.n < 2 {
		return 0, false
	}
	return intervals([]estimate{e}, seed)[0], true
}

// intervals are those of several estimates over the same questions. One drawing
// serves them all: it costs more than all the means together.
func intervals(all []estimate, seed uint64) []float64 {
	n := all[0].n
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	values := make([][]float64, len(all))
	counts := make([]int, n)
	for range resamples {
		clear(counts)
		for range n {
			counts[random.IntN(n)]++
		}
		for i := range all {
			values[i] = append(values[i], all[i].value(counts))
		}
	}
	halves := make([]float64, len(all))
	for i := range values {
		slices.Sort(values[i])
		low, high := values[i][resamples*25/1000], values[i][resamples*975/1000-1]
		halves[i] = (high - low) / 2
	}
	return halves
}
