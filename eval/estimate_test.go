package eval

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestEstimates(t *testing.T) {
	for _, c := range []struct {
		name string
		e    estimate
		want float64
	}{
		{"mean", mean([]float64{1, 0, 0.5, 0.5}), 0.5},
		{"ratio of sums, not mean of ratios", ratio([]float64{10, 2}, []float64{4, 2}), 2},
		{"median of an even number is the lower one", percentile([]float64{40, 10, 30, 20}, 50), 20},
		{"p95 of 20 is the 19th", percentile([]float64{20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, 95), 19},
		{"p95 of few is the largest", percentile([]float64{3, 1, 2}, 95), 3},
		{"percentile of one", percentile([]float64{7}, 50), 7},
	} {
		if got := c.e.point(); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestEstimateOfCountsIsThatOfTheRepeatedValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		values, counts := make([]float64, 1+r.IntN(9)), []int{}
		var repeated []float64
		for i := range values {
			values[i] = float64(i * i) // sorted, so that counts belong to the same values
			counts = append(counts, 1+r.IntN(3))
			for range counts[i] {
				repeated = append(repeated, values[i])
			}
		}
		for _, p := range []int{1, 50, 95, 100} {
			if got, want := percentile(values, p).value(counts), percentile(repeated, p).point(); got != want {
				t.Fatalf("p%d of %v × %v: got %v, want %v", p, values, counts, got, want)
			}
		}
		if got, want := mean(values).value(counts), mean(repeated).point(); math.Abs(got-want) > 1e-12 {
			t.Fatalf("mean: got %v, want %v", got, want)
		}
	}
}

func TestIntervalOfAShareIsTheBinomialOne(t *testing.T) {
	values := make([]float64, 400)
	for i := range values {
		values[i] = float64(i % 2)
	}
	got, ok := mean(values).interval(1)
	want := 1.96 * math.Sqrt(0.25/400) // 0.049
	if !ok || math.Abs(got-want) > 0.0025 {
		t.Errorf("got %v, want about %.3f", got, want)
	}
}

func TestIntervalIsSeeded(t *testing.T) {
	values := []float64{0, 0.1, 0.4, 0.7, 1, 0.3, 0.9}
	a, _ := mean(values).interval(5)
	b, _ := mean(values).interval(5)
	if a != b {
		t.Errorf("the same seed gave %v and %v", a, b)
	}
}

func TestIntervalOfEqualValuesIsNarrowAndOfOneUnknown(t *testing.T) {
	if got, ok := mean([]float64{0.5, 0.5, 0.5}).interval(1); !ok || got != 0 {
		t.Errorf("equal values: got %v, %v", got, ok)
	}
	if _, ok := mean([]float64{0.5}).interval(1); ok {
		t.Error("one value has an interval")
	}
}
