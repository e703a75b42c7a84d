package main

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/folder"
)

// evalAnswer is a report with what came before the first question.
type evalAnswer struct {
	*eval.Report
	Documents    int      `json:"documents"`
	IndexSeconds float64  `json:"index_seconds"`
	Warnings     []string `json:"warnings"`
}

// warned are the warnings of questions, each with the number that had it: a
// measurement during which something was out of order is to be known by it.
func warned(r *eval.Report) (out []string) {
	n := map[string]int{}
	for i := range r.Results {
		for _, w := range r.Results[i].Outcome.Warnings {
			n[w]++
		}
	}
	for _, w := range slices.Sorted(maps.Keys(n)) {
		out = append(out, fmt.Sprintf("%s (%s)", w, plural(n[w], "question")))
	}
	return out
}

// printReport prints what came of a run.
func (c *cli) printReport(r *eval.Report, m *folder.Manifest) error {
	a := evalAnswer{Report: r, Documents: m.Documents, IndexSeconds: m.IndexSeconds, Warnings: append(slices.Clone(m.Warnings), warned(r)...)}
	if c.json {
		return c.print(a)
	}
	t := c.outTerminal
	fmt.Fprintf(c.stdout, "%s, policy %s: %s, %d failed, over %s (indexed in %s)\n\n", t.paint(bold, a.Dataset), m.Setup.Name(),
		plural(a.Questions, "question"), a.Failed, plural(a.Documents, "document"), round(time.Duration(a.IndexSeconds*float64(time.Second))))
	var rows [][]string
	row := func(m eval.Metric, v float64, spread string) {
		f := formatOf(m)
		rows = append(rows, []string{"", string(m), f.number(v), f.unit, spread})
	}
	for _, m := range eval.Metrics() {
		v, ok := a.Metrics[m]
		if !ok {
			continue
		}
		spread := ""
		if half, ok := a.CI95[m]; ok {
			spread = "± " + formatOf(m).number(half)
		}
		row(m, v, spread)
	}
	for _, m := range eval.Further() {
		if v, ok := a.Further[m]; ok {
			row(m, v, "")
		}
	}
	fmt.Fprint(c.stdout, table(rows, "llrlr"))
	if a.WithoutGold+a.Unjudged > 0 {
		fmt.Fprintf(c.stdout, "\n  %s with nothing to find and %d without labels are left out of recall.\n", plural(a.WithoutGold, "question"), a.Unjudged)
	}
	if a.Unjudged > 0 {
		c.note("winnow judge %s labels what was found.", a.Run)
	}
	fmt.Fprintf(c.stdout, "\n  The run is %s.\n", a.Run)
	c.warn(a.Warnings)
	for _, d := range m.Deviations {
		c.note("Deviates from %s in the %s.", m.Setup.Preset, d)
	}
	for _, f := range a.Failures {
		c.warn([]string{f.ID + ": " + f.Error})
	}
	for _, p := range a.Problems {
		c.warn([]string{p.Error()})
	}
	return nil
}

// figure is how the values of a metric are printed.
type figure struct {
	scale  float64
	digits int
	unit   string
}

func formatOf(m eval.Metric) figure {
	switch m {
	case eval.LatencyP50, eval.LatencyP95:
		return figure{1, 1, "ms"}
	case eval.Turns, eval.CallsPerTurn:
		return figure{1, 2, ""}
	case eval.TokensPerQuestion, eval.PeakView:
		return figure{1, 0, "tokens"}
	case eval.CostPerQuestion:
		return figure{1, 4, "USD"}
	}
	return figure{100, 1, "%"}
}

func (f figure) number(v float64) string {
	return fmt.Sprintf("%.*f", f.digits, f.scale*v)
}
