package vector

import (
	"math"
	"slices"
	"testing"
)

func TestRotationKeepsProducts(t *testing.T) {
	for _, dim := range []int{64, 192, 384, 1024, 1536} {
		s := newSpace(1, dim)
		a, b := s.vector(), s.vector()
		want, was := dot(a, b), slices.Clone(a)
		rotate(a)
		rotate(b)
		if got := dot(a, b); math.Abs(got-want) > 1e-5 {
			t.Errorf("%d dimensions: %.6f became %.6f", dim, want, got)
		}
		rotateBack(a)
		if got := dot(a, was); math.Abs(got-1) > 1e-5 {
			t.Errorf("%d dimensions: rotated back, the cosine with itself is %.6f", dim, got)
		}
	}
}

func TestRotationSpreadsAnAxisOverAllDimensions(t *testing.T) {
	for _, dim := range []int{64, 384, 1024, 1536} {
		for _, axis := range []int{0, 1, dim / 2, dim - 1} {
			x := make([]float32, dim)
			x[axis] = 1
			rotate(x)
			// Gaussian values would peak at 4 of these units.
			if peak := max(slices.Max(x), -slices.Min(x)) * float32(math.Sqrt(float64(dim))); peak > 5 {
				t.Errorf("axis %d of %d peaks at %.1f", axis, dim, peak)
			}
		}
	}
}
