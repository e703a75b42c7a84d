// Package page writes a comparison of runs as one HTML page that needs nothing
// else: no network, no library, no server.
//
// Charts are SVG made here and not in the browser, so that they can be tested,
// print, and show without a script; the script only opens questions and filters
// them. Everything that came from a corpus or a model goes through escaping: the
// template's for text, JSON for data, and the page's policy lets nothing run but
// the one script whose hash it names. What was traded away is interactivity of
// the charts.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/compare"
)

var (
	//go:embed page.html
	markup string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// content is what the template shows.
type content struct {
	Title     string
	Policy    string // of the page: what it may load and run
	Style     template.CSS
	Script    template.JS
	Table     *compare.Table
	Written   string
	Verdict   verdict
	Legend    []legend
	Metrics   []row
	Costs     []row
	Detect    string
	Charts    []chart
	Questions template.JS // JSON
	Setups    []setup
	Failures  []failure
}

type legend struct {
	Class string
	Name  string
	Model string
}

// Write writes the page.
func Write(w io.Writer, t *compare.Table) error {
	data, err := drill(t)
	if err != nil {
		return err
	}
	c := content{
		Title:  t.Dataset + ": " + names(t),
		Policy: "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) + "; base-uri 'none'; form-action 'none'",
		Style:  template.CSS(style), Script: template.JS(script),
		Table: t, Written: time.Now().UTC().Format("2 January 2006"),
		Verdict: judgement(t), Metrics: append(rows(t, quality()), unjudged(t)...), Costs: rows(t, costs()), Detect: detectable(t),
		Charts: charts(t), Questions: template.JS(data), Setups: setups(t), Failures: failures(t),
	}
	for i, r := range t.Runs {
		c.Legend = append(c.Legend, legend{series(i), r.Name, r.Model})
	}
	page, err := template.New("page").Parse(markup)
	if err != nil {
		return err
	}
	return page.Execute(w, c)
}

func names(t *compare.Table) string {
	var out []string
	for _, r := range t.Runs {
		out = append(out, r.Name)
	}
	return strings.Join(out, ", ")
}

// hash names an inline text in a content security policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// charts are those that the runs have data for.
func charts(t *compare.Table) []chart {
	var out []chart
	for _, make := range []func(*compare.Table) (chart, bool){latency, cost, fates, hops, views} {
		if c, ok := make(t); ok {
			out = append(out, c)
		}
	}
	return out
}

func quality() []eval.Metric {
	return []eval.Metric{eval.Recall2, eval.Recall5, eval.Recall10, eval.Recall20, eval.All5, eval.NDCG10, eval.MAP, eval.Recall, eval.Precision, eval.F1,
		eval.AnswerFound, eval.TrajectoryRecall, eval.PruneAccuracy, eval.PrunedShare, eval.Abstained}
}

func costs() []eval.Metric {
	return []eval.Metric{eval.LatencyP50, eval.LatencyP95, eval.Turns, eval.CallsPerTurn, eval.TokensPerQuestion, eval.PeakView, eval.ForcedShare, eval.CostPerQuestion}
}
