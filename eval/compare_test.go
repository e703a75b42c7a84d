package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/winnow-search/winnow"
)

// recalls makes a run in which question i has the given recall@5.
func recalls(values ...float64) []Result {
	var run []Result
	for i, v := range values {
		run = append(run, Result{ID: fmt.Sprint(i), Scores: Scores{Recall5: v}})
	}
	return run
}

func TestComparisonOfSixQuestions(t *testing.T) {
	a := recalls(0.5, 0.5, 0, 1, 0.5, 0)
	b := recalls(1, 1, 0.5, 1, 1, 0.5)
	c, err := Compare(a, b, Recall5, 1)
	if err != nil {
		t.Fatal(err)
	}
	// Five differences of 0.5 and a tie. Of 2^5 assignments of signs two are as
	// extreme as what was seen: all plus, all minus.
	for _, v := range []struct {
		name      string
		got, want float64
	}{
		{"questions", float64(c.Questions), 6},
		{"a", c.A, 2.5 / 6},
		{"b", c.B, 5.0 / 6},
		{"difference", c.Difference, 2.5 / 6},
		{"p", c.P, 2.0 / 32},
		{"detectable", c.Detectable, 2.801585 * math.Sqrt(1.0/24) / math.Sqrt(6)},
	} {
		if math.Abs(v.got-v.want) > 1e-6 {
			t.Errorf("%s: got %v, want %v", v.name, v.got, v.want)
		}
	}
	if c.CI95 <= 0 || c.CI95 > 0.3 {
		t.Errorf("ci95: got %v", c.CI95)
	}
}

func TestComparisonPairsByID(t *testing.T) {
	a := recalls(0, 0.5, 1)
	b := []Result{a[2], a[0], a[1]}
	c, err := Compare(a, b, Recall5, 1)
	if err != nil {
		t.Fatal(err)
	}
	if c.Difference != 0 || c.P != 1 || c.Detectable != 0 {
		t.Errorf("a run against itself: %+v", c)
	}
}

func TestComparisonLeavesOutWhatDoesNotApply(t *testing.T) {
	a, b := recalls(0, 0, 0), recalls(1, 1, 1)
	delete(b[1].Scores, Recall5)
	c, err := Compare(a, b, Recall5, 1)
	if err != nil || c.Questions != 2 || c.P != 0.5 {
		t.Errorf("got %+v, %v", c, err)
	}
	c, err = Compare(a, b, F1, 1)
	if err != nil || c.Questions != 0 || c.P != 1 {
		t.Errorf("a metric that nobody has: %+v, %v", c, err)
	}
}

func TestComparisonOfCosts(t *testing.T) {
	a, b := recalls(0, 0), recalls(0, 0)
	for i := range a {
		a[i].Outcome = Outcome{Turns: 2, Tokens: 100}
		b[i].Outcome = Outcome{Turns: 5, Tokens: 300}
	}
	for m, want := range map[Metric]float64{Turns: 3, TokensPerQuestion: 200} {
		if c, err := Compare(a, b, m, 1); err != nil || c.Difference != want {
			t.Errorf("%s: %+v, %v", m, c, err)
		}
	}
}

func TestRunsOverDifferentQuestionsAreNotCompared(t *testing.T) {
	a := recalls(0, 0, 0)
	for name, b := range map[string][]Result{
		"fewer": a[:2],
		"more":  recalls(0, 0, 0, 0),
		"other": append(recalls(0, 0), Result{ID: "x"}),
	} {
		if _, err := Compare(a, b, Recall5, 1); winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Compare(a, a, LatencyP95, 1); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("a percentile: got %v", err)
	}
}

func TestSampledTestAgreesWithTheExactOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3 {
		var d []float64
		for range exactUpTo {
			d = append(d, r.NormFloat64()+0.4)
		}
		exact := permutationTest(d, 1)
		// A difference too small to matter makes it one too many for the exact
		// test.
		sampled := permutationTest(append(d, 1e-15), 1)
		if math.Abs(exact-sampled) > 0.01 {
			t.Errorf("exact %v, sampled %v", exact, sampled)
		}
	}
}

func TestASampledTestIsNeverCertain(t *testing.T) {
	d := make([]float64, 40)
	for i := range d {
		d[i] = 1
	}
	if p := permutationTest(d, 1); p != 1.0/permutations {
		t.Errorf("got %v", p)
	}
}

func TestPermutationTestIsSymmetricAndCalibrated(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	rejected := 0
	const runs = 400
	for i := range runs {
		var d, reversed []float64
		for range 12 {
			x := r.NormFloat64()
			d, reversed = append(d, x), append(reversed, -x)
		}
		p := permutationTest(d, uint64(i))
		if q := permutationTest(reversed, uint64(i)); math.Abs(p-q) > 1e-9 {
			t.Fatalf("p changes from %v to %v with the sign", p, q)
		}
		if p <= 0.05 {
			rejected++
		}
	}
	// Under no difference one in twenty is called significant: 20 ± 4.4.
	if rejected < 5 || rejected > 38 {
		t.Errorf("%d of %d rejected at 5 %%", rejected, runs)
	}
}

func TestDetectableDifference(t *testing.T) {
	// (1.959964 + 0.841621) · 0.4 / √100
	if got := DetectableDifference(0.4, 100); math.Abs(got-0.1120634) > 1e-6 {
		t.Errorf("got %v", got)
	}
	if DetectableDifference(0.4, 400)*2-DetectableDifference(0.4, 100) > 1e-12 {
		t.Error("four times the questions do not halve it")
	}
}
