package boost

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBinsFollowTheOrderOfValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		values := make([]float32, r.IntN(3000))
		for i := range values {
			switch r.IntN(4) {
			case 0:
				values[i] = awkward[r.IntN(len(awkward))]
			case 1:
				values[i] = float32(r.IntN(400))
			default:
				values[i] = float32(r.ExpFloat64())
			}
		}
		c := newColumn(slices.Clone(values))
		if len(c.cuts) >= maxBins || !slices.IsSorted(c.cuts) || len(slices.Compact(slices.Clone(c.cuts))) != len(c.cuts) {
			t.Fatalf("cuts do not rise, or are too many: %v", c.cuts)
		}
		for i, v := range values {
			for b, cut := range c.cuts {
				if (v > cut) != (int(c.bins[i]) > b) {
					t.Fatalf("%v is in bin %d, but cut %d is %v", v, c.bins[i], b, cut)
				}
			}
		}
	}
}

func TestFewValuesHaveABinEach(t *testing.T) {
	values := slices.Repeat([]float32{0}, 100000)
	for i := range maxBins - 2 {
		values[i] = float32(i + 1)
	}
	values[maxBins] = float32(math.NaN())
	if c := newColumn(values); len(c.cuts) != maxBins-1 {
		t.Errorf("%d values are in %d bins", maxBins, len(c.cuts)+1)
	}
}

func TestAValueThatIsNearlyAllDoesNotEatTheBinsOfTheRest(t *testing.T) {
	values := make([]float32, 100000)
	for i := range 2000 {
		values[i] = float32(i + 1)
	}
	c := newColumn(values)
	counts := make([]int, len(c.cuts)+1)
	for _, b := range c.bins {
		counts[b]++
	}
	if len(counts) < maxBins-1 || slices.Max(counts[1:]) > 10 {
		t.Errorf("%d bins; the fullest but for 0 holds %d of 2000", len(counts), slices.Max(counts[1:]))
	}
}

func TestAThresholdLiesBetweenNeighbours(t *testing.T) {
	values := slices.Clone(awkward[:len(awkward)-1])
	values = append(values, -math.MaxFloat32, 1e30, math.Nextafter32(1, 2), math.Nextafter32(0, -1))
	for _, a := range values {
		for _, b := range values {
			if a < b {
				if m := between(a, b); !(m >= a && m < b) {
					t.Errorf("between %v and %v: %v", a, b, m)
				}
			}
		}
	}
}
