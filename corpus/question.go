package corpus

import (
	"context"
	"fmt"
	"math"

	"github.com/winnow-search/winnow"
)

// Question returns the vector of a question, nil where there is no embedder or
// nothing to embed.
func Question(ctx context.Context, e winnow.Embedder, text string) (winnow.Vector, error) {
	if e == nil || text == "" {
		return nil, nil
	}
	vs, err := e.Embed(ctx, []string{text})
	if err != nil || len(vs) == 0 {
		return nil, err
	}
	return Mean(vs[0]), nil
}

// WithoutVectors is what is said where a question could not be embedded: a model
// that fails costs the dense leg and not the search.
func WithoutVectors(err error) string { return fmt.Sprintf("searched without vectors: %v", err) }

// Mean unites the windows of a long text; it is nil without any.
func Mean(windows []winnow.Vector) winnow.Vector {
	switch len(windows) {
	case 0:
		return nil
	case 1:
		return windows[0]
	}
	sum := make(winnow.Vector, len(windows[0]))
	for _, w := range windows {
		for i, x := range w {
			sum[i] += x
		}
	}
	return Unit(sum)
}

// Unit is a vector of length 1, nil for one that has no direction.
func Unit(v winnow.Vector) winnow.Vector {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil
	}
	out := make(winnow.Vector, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return out
}
