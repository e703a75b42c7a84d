package page

import (
	"fmt"
	"strings"

	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/compare"
)

// row is a metric of all runs.
type row struct {
	Name  string
	Unit  string
	Cells []cell
}

// cell is a run's value, with its difference from the first run.
type cell struct {
	Value  string // "" where the metric does not apply
	Spread string
	Delta  string
	P      string
	Mark   string // better, worse, or "" where chance explains it
	Best   bool
}

// form is how a metric is written.
type form struct {
	scale  float64
	digits int
	unit   string
	lower  bool // less is better
}

func formOf(m eval.Metric) form {
	switch m {
	case eval.LatencyP50, eval.LatencyP95:
		return form{1, 1, "ms", true}
	case eval.Turns, eval.CallsPerTurn:
		return form{1, 2, "", true}
	case eval.TokensPerQuestion, eval.PeakView:
		return form{1, 0, "tokens", true}
	case eval.CostPerQuestion:
		return form{1, 4, "USD", true}
	case eval.ForcedShare:
		return form{100, 1, "%", true}
	}
	return form{100, 1, "%", false}
}

func (f form) number(v float64) string { return thousands(fmt.Sprintf("%.*f", f.digits, f.scale*v)) }

// thousands groups the digits before the point, and writes a true minus.
func thousands(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "−", s[1:]
	}
	whole, rest, point := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "." + rest
	}
	return sign + whole
}

func rows(t *compare.Table, metrics []eval.Metric) (out []row) {
	for _, m := range metrics {
		f := formOf(m)
		r := row{Name: string(m), Unit: f.unit}
		best, values := -1, 0
		for i := range t.Runs {
			v, ok := valueOf(&t.Runs[i], m)
			if !ok {
				r.Cells = append(r.Cells, cell{})
				continue
			}
			values++
			c := cell{Value: f.number(v)}
			if half, ok := t.Runs[i].CI95[m]; ok {
				c.Spread = "±" + f.number(half)
			}
			if versus := against(&t.Runs[i], m); versus != nil {
				c.Delta = signed(f, versus.Difference)
				c.P = chance(versus.P)
				if versus.P < significant && versus.Difference != 0 {
					c.Mark = "worse"
					if (versus.Difference > 0) != f.lower {
						c.Mark = "better"
					}
				}
			}
			if best < 0 || better(f, v, bestValue(t, best, m)) {
				best = i
			}
			r.Cells = append(r.Cells, c)
		}
		if values == 0 {
			continue
		}
		if values > 1 && m != eval.PrunedShare && m != eval.Turns && m != eval.CallsPerTurn {
			for i := range r.Cells { // equal as far as it is printed
				r.Cells[i].Best = r.Cells[i].Value == r.Cells[best].Value
			}
		}
		out = append(out, r)
	}
	return out
}

// unjudged is the share of each run's best documents that nobody has judged.
func unjudged(t *compare.Table) (out []row) {
	if t.Judged == nil {
		return nil
	}
	r := row{Name: fmt.Sprintf("unjudged of the best %d", eval.PoolDepth), Unit: "%"}
	for i := range t.Runs {
		r.Cells = append(r.Cells, cell{Value: formOf(eval.Recall5).number(*t.Runs[i].Unjudged)})
	}
	return []row{r}
}

// significant is the level below which a difference is marked.
const significant = 0.05

func better(f form, v, than float64) bool {
	if f.lower {
		return v < than
	}
	return v > than
}

func bestValue(t *compare.Table, i int, m eval.Metric) float64 {
	v, _ := valueOf(&t.Runs[i], m)
	return v
}

func valueOf(r *compare.Run, m eval.Metric) (float64, bool) {
	if v, ok := r.Metrics[m]; ok {
		return v, true
	}
	v, ok := r.Further[m]
	return v, ok
}

// against is how a run compares with the first; nil for that one.
func against(r *compare.Run, m eval.Metric) *eval.Comparison {
	for i := range r.Versus {
		if r.Versus[i].Metric == m {
			return &r.Versus[i]
		}
	}
	return nil
}

func signed(f form, v float64) string {
	s := f.number(v)
	if !strings.HasPrefix(s, "−") {
		return "+" + s
	}
	return s
}

// chance is a p-value as people read it.
func chance(p float64) string {
	if p < 0.001 {
		return "p\u00a0<\u00a00.001"
	}
	return fmt.Sprintf("p\u00a0=\u00a0%.3f", p)
}

// detectable says what so many questions can't show.
func detectable(t *compare.Table) string {
	m := t.Quality()
	least, n := 0.0, 0
	for i := range t.Runs[1:] {
		if c := against(&t.Runs[1+i], m); c != nil && c.Detectable > least {
			least, n = c.Detectable, c.Questions
		}
	}
	if least == 0 {
		return ""
	}
	return fmt.Sprintf("%d questions of this spread show a true difference in %s from about %.1f points on, four times in five. A smaller one wants more questions.", n, m, 100*least)
}
