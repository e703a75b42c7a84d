package eval

import (
	"math"
	"math/rand/v2"

	"github.com/winnow-search/winnow"
)

// Comparison says how far two runs over the same questions differ in a metric.
type Comparison struct {
	Metric Metric `json:"metric"`
	// Questions counts those that have the metric in both runs.
	Questions int     `json:"questions"`
	A         float64 `json:"a"`
	B         float64 `json:"b"`
	// Difference is B − A, CI95 half the width of its interval.
	Difference float64 `json:"difference"`
	CI95       float64 `json:"ci95"`
	// P is the probability of a difference at least as large if the two runs were
	// equally good.
	P float64 `json:"p"`
	// Detectable is the smallest true difference that so many questions of this
	// spread would show four times in five.
	Detectable float64 `json:"detectable"`
}

// Compare tests whether b differs from a. Both must be runs over the same
// questions, in whatever order. It applies to metrics of which each question has
// a value: all but the percentiles and calls_per_turn.
func Compare(a, b []Result, m Metric, seed uint64) (*Comparison, error) {
	switch m {
	case LatencyP50, LatencyP95, CallsPerTurn:
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "no question has a " + string(m) + " of its own to compare"}
	}
	other := make(map[string]*Result, len(b))
	for i := range b {
		other[b[i].ID] = &b[i]
	}
	if len(other) != len(a) {
		return nil, errDifferentQuestions
	}
	var first, second, differences []float64
	for i := range a {
		q, ok := other[a[i].ID]
		if !ok {
			return nil, errDifferentQuestions
		}
		x, inA := a[i].value(m)
		y, inB := q.value(m)
		if inA && inB {
			first, second = append(first, x), append(second, y)
			differences = append(differences, y-x)
		}
	}
	c := &Comparison{Metric: m, Questions: len(differences), P: 1}
	if c.Questions == 0 {
		return c, nil
	}
	c.A, c.B = mean(first).point(), mean(second).point()
	e := mean(differences)
	c.Difference = e.point()
	c.CI95, _ = e.interval(seed)
	c.P = permutationTest(differences, seed)
	c.Detectable = DetectableDifference(deviation(differences), len(differences))
	return c, nil
}

var errDifferentQuestions = &winnow.Error{
	Code:    winnow.BadInput,
	Message: "the runs were made over different questions",
	Hint:    "compare runs of the same data set with the same limit",
}

// exactUpTo bounds the differences for which every assignment of signs is tried:
// 2^16 of them cost what the sampled test does.
const (
	exactUpTo    = 16
	permutations = 65536
)

// permutationTest is the two-sided paired randomisation test (Fisher 1935;
// recommended for retrieval by Smucker, Allan and Carterette 2007): if the two
// runs are equally good, each question's difference could as well have had the
// other sign. It assumes nothing about how scores are distributed, and metrics
// that are mostly 0 or 1 are not normal.
func permutationTest(differences []float64, seed uint64) float64 {
	var d []float64
	observed := 0.0
	for _, x := range differences {
		if x != 0 { // a tie stays one under either sign
			d = append(d, x)
			observed += x
		}
	}
	if len(d) == 0 {
		return 1
	}
	// Sums of the same numbers in another order may differ in the last bits.
	extreme := math.Abs(observed) * (1 - 1e-9)
	if len(d) <= exactUpTo {
		count := 0
		for signs := range 1 << len(d) {
			if math.Abs(signedSum(d, uint64(signs))) >= extreme {
				count++
			}
		}
		return float64(count) / float64(int(1)<<len(d))
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(d))))
	count := 1 // the observed assignment is one of them
	for range permutations - 1 {
		sum := 0.0
		for start := 0; start < len(d); start += 64 {
			sum += signedSum(d[start:min(start+64, len(d))], random.Uint64())
		}
		if math.Abs(sum) >= extreme {
			count++
		}
	}
	return float64(count) / permutations
}

func signedSum(d []float64, signs uint64) float64 {
	sum := 0.0
	for i, x := range d {
		if signs>>i&1 == 1 {
			sum -= x
		} else {
			sum += x
		}
	}
	return sum
}

// DetectableDifference is the smallest true mean difference that a two-sided
// test at 5 % finds with 80 % power over n paired questions whose differences
// have the given standard deviation: (1.960 + 0.842) · deviation / √n.
func DetectableDifference(deviation float64, n int) float64 {
	const z = 1.959964 + 0.841621
	return z * deviation / math.Sqrt(float64(n))
}

// deviation is the sample standard deviation; 0 for fewer than two values.
func deviation(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m := mean(values).point()
	sum := 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}
