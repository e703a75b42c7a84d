package boost

import (
	"math"
	"slices"
	"sort"
)

// maxBins is what a byte can tell apart: a column of bytes is a quarter of one of
// floats, and a histogram of 256 cells stays in the nearest cache.
const maxBins = 256

// column is one feature of all training rows, cut into bins: bin b holds the
// values above cuts[b−1] and not above cuts[b].
type column struct {
	cuts []float32
	bins []uint8
}

// newColumn cuts values into bins. It changes them.
func newColumn(values []float32) column {
	for i, v := range values {
		if v != v {
			values[i] = float32(math.Inf(-1)) // as in a model: above nothing
		}
	}
	c := column{cuts: quantiles(values), bins: make([]uint8, len(values))}
	for i, v := range values {
		c.bins[i] = uint8(sort.Search(len(c.cuts), func(b int) bool { return v <= c.cuts[b] }))
	}
	return c
}

// quantiles returns rising cuts between values, fewer than maxBins, so that bins
// hold about equally many. A value that alone has more than its share (most of
// our features are mostly 0) has a bin to itself, and the other bins share the
// rest. Where there are bins enough, every value has its own.
func quantiles(values []float32) []float32 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	distinct := 0
	for i, v := range sorted {
		if i == 0 || v != sorted[i-1] {
			distinct++
		}
	}
	var cuts []float32
	rest, held := len(sorted), 0
	for i, end := 0, 0; i < len(sorted); i = end {
		for end = i + 1; end < len(sorted) && sorted[end] == sorted[i]; end++ {
		}
		held += end - i
		distinct--
		bins := maxBins - len(cuts)
		if end < len(sorted) && bins > 1 && (held*bins >= rest || distinct < bins) {
			cuts = append(cuts, between(sorted[i], sorted[end]))
			rest, held = rest-held, 0
		}
	}
	return cuts
}

// between returns a threshold t with a ≤ t < b: halfway, where floats allow it,
// because the values of questions to come fall on both sides.
func between(a, b float32) float32 {
	t := float32((float64(a) + float64(b)) / 2)
	if t >= a && t < b {
		return t
	}
	return a
}
