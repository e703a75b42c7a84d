package page

import (
	"fmt"
	"slices"

	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/compare"
)

// fateNames are how a page calls what became of gold.
var fateNames = map[eval.Fate]string{
	eval.Returned: "returned", eval.NotReturned: "met, not returned", eval.PrunedAway: "met and pruned", eval.NeverMet: "never met",
}

// fates are a bar a run of where its gold went.
func fates(t *compare.Table) (chart, bool) {
	known := slices.ContainsFunc(t.Runs, func(r compare.Run) bool { return len(r.Fates) > 0 })
	if !known {
		return chart{}, false
	}
	const width, left, right, step = 520.0, 16.0, 16.0, 52.0
	height := 44 + step*float64(len(t.Runs))
	d := newDrawing(width, height, "Where gold was lost")
	x := left
	for _, f := range eval.AllFates() {
		d.rect("fate "+string(f), x, 8, 11, 11, "")
		d.text("tick", "start", x+17, 18, fateNames[f])
		x += 34 + 6.5*float64(len(fateNames[f]))
	}
	for i, r := range t.Runs {
		y := 44 + step*float64(i)
		d.text("name "+series(i), "start", left, y+10, r.Name)
		x := left
		for _, f := range eval.AllFates() {
			w := r.Fates[f] * (width - left - right)
			if w <= 0 {
				continue
			}
			d.rect("fate "+string(f), x, y+17, w-1.5, 20, fmt.Sprintf("%s: %s %.1f %%", r.Name, fateNames[f], 100*r.Fates[f]))
			if w > 34 {
				d.text("inside "+string(f), "middle", x+w/2-1, y+31, fmt.Sprintf("%.0f %%", 100*r.Fates[f]))
			}
			x += w
		}
	}
	return chart{Title: "Where gold was lost", Text: "Shares of all supporting documents. Of a policy that only ranks, the first ten count as returned, and what stands lower as met.", SVG: d.svg()}, true
}

// group is the questions of one kind.
type group struct {
	name    string
	results [][]eval.Result // by run
}

// hops is quality by how many documents a question needs, or by its type where
// that is not known.
func hops(t *compare.Table) (chart, bool) {
	m := eval.Recall5
	by, kind := groups(t, func(task *eval.Task) string {
		if task.Hops == 0 {
			return ""
		}
		return fmt.Sprintf("%d hops", task.Hops)
	}), "hops"
	if len(by) < 2 {
		by, kind = groups(t, func(task *eval.Task) string { return task.Type }), "type"
	}
	if len(by) < 2 {
		return chart{}, false
	}
	const width, height, left, right, top, bottom = 520.0, 320.0, 52.0, 16.0, 22.0, 46.0
	d := newDrawing(width, height, "Recall by "+kind)
	y := scale{from: height - bottom, to: top, low: 0, high: 100}
	for _, v := range y.ticks(5) {
		d.line("grid", left, y.at(v), width-right, y.at(v))
		d.text("tick", "end", left-8, y.at(v)+4, short(v))
	}
	d.text("axis", "start", left-44, 12, string(m)+", %")
	wide := (width - left - right) / float64(len(by))
	for i, g := range by {
		middle := left + wide*(float64(i)+0.5)
		bar := min(26, (wide-18)/float64(len(t.Runs)))
		start := middle - bar*float64(len(t.Runs))/2
		for j := range t.Runs {
			report := eval.Summarise(g.results[j], 0)
			v, ok := report.Metrics[m]
			if !ok {
				continue
			}
			x := start + bar*float64(j)
			d.rect("fill "+series(j), x+1, y.at(100*v), bar-2, y.at(0)-y.at(100*v), fmt.Sprintf("%s, %s: %.1f %%", t.Runs[j].Name, g.name, 100*v))
			if half, ok := report.CI95[m]; ok {
				d.line("whisker", x+bar/2, y.at(100*max(0, v-half)), x+bar/2, y.at(100*min(1, v+half)))
			}
		}
		d.text("tick", "middle", middle, height-bottom+18, g.name)
		d.text("tick faint", "middle", middle, height-bottom+33, fmt.Sprintf("n = %d", len(g.results[0])))
	}
	d.line("frame", left, height-bottom, width-right, height-bottom)
	return chart{Title: "Recall by " + kind, Text: "How much of the gold is among the first five documents, by " + map[string]string{"hops": "the number of documents that a question needs", "type": "the type of the question"}[kind] + ".", SVG: d.svg()}, true
}

// mostGroups is how many kinds a chart can show.
const mostGroups = 6

func groups(t *compare.Table, of func(*eval.Task) string) (out []group) {
	at := map[string]int{}
	for q := range t.Tasks {
		task := &t.Tasks[q]
		name := of(task)
		if name == "" || task.Unjudged || task.WithoutGold() {
			continue
		}
		i, known := at[name]
		if !known {
			i = len(out)
			at[name] = i
			out = append(out, group{name: name, results: make([][]eval.Result, len(t.Runs))})
		}
		for j := range t.Runs {
			out[i].results[j] = append(out[i].results[j], t.Runs[j].Results[q])
		}
	}
	slices.SortFunc(out, func(a, b group) int { return len(b.results[0]) - len(a.results[0]) })
	out = out[:min(len(out), mostGroups)]
	slices.SortFunc(out, func(a, b group) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	return out
}
