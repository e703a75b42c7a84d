package page

import (
	"cmp"
	"math"
	"slices"

	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/compare"
)

// point is a run in a plot of quality against what it costs.
type point struct {
	run          int
	x, y, spread float64
}

func latency(t *compare.Table) (chart, bool) {
	return pareto(t, "Quality against latency", "median time of a question", milliseconds, func(r *compare.Run) (float64, bool) {
		v, ok := r.Metrics[eval.LatencyP50]
		return v, ok && v > 0
	})
}

func cost(t *compare.Table) (chart, bool) {
	any := slices.ContainsFunc(t.Runs, func(r compare.Run) bool { return r.Further[eval.CostPerQuestion] > 0 })
	if !any {
		return chart{}, false
	}
	return pareto(t, "Quality against cost", "cost of a question", dollars, func(r *compare.Run) (float64, bool) {
		if v, ok := r.Further[eval.CostPerQuestion]; ok {
			return v, true
		}
		return 0, r.Model == "" // no model, so nobody sends a bill
	})
}

// pareto plots quality against a cost on a logarithmic axis, on which what is
// free has a place of its own at the left, with the line of runs that no other
// one beats in both.
func pareto(t *compare.Table, name, axis string, write func(float64) string, costOf func(*compare.Run) (float64, bool)) (chart, bool) {
	m := t.Quality()
	var points []point
	least, most, free := math.Inf(1), 0.0, false
	for i := range t.Runs {
		y, ok := valueOf(&t.Runs[i], m)
		x, known := costOf(&t.Runs[i])
		if !ok || !known {
			continue
		}
		points = append(points, point{i, x, y, t.Runs[i].CI95[m]})
		if x == 0 {
			free = true
			continue
		}
		least, most = min(least, x), max(most, x)
	}
	if len(points) == 0 {
		return chart{}, false
	}
	const width, height, left, right, top, bottom = 520, 340, 52, 24, 22, 46
	d := newDrawing(width, height, name)
	begin := float64(left)
	if free {
		begin += 60
	}
	x := scale{from: begin + 20, to: width - right, low: least / 2, high: most * 2, log: true}
	if math.IsInf(least, 1) { // nothing costs anything
		x.low, x.high = 0.001, 0.01
	}
	low, high := 1.0, 0.0
	for _, p := range points {
		low, high = min(low, p.y-p.spread), max(high, p.y+p.spread)
	}
	pad := max(0.02, (high-low)*0.15)
	y := scale{from: height - bottom, to: top, low: 100 * max(0, low-pad), high: 100 * min(1, high+pad)}
	for _, v := range y.ticks(6) {
		d.line("grid", left, y.at(v), width-right, y.at(v))
		d.text("tick", "end", left-8, y.at(v)+4, short(v))
	}
	d.text("axis", "start", left-44, 12, string(m)+", %")
	for _, v := range x.ticks(6) {
		d.line("notch", x.at(v), height-bottom, x.at(v), height-bottom+4)
		d.text("tick", "middle", x.at(v), height-bottom+18, write(v))
	}
	if free {
		d.line("notch", left+30, height-bottom, left+30, height-bottom+4)
		d.text("tick", "middle", left+30, height-bottom+18, "free")
		d.line("grid dashed", begin, top, begin, height-bottom)
	}
	d.line("frame", left, height-bottom, width-right, height-bottom)
	d.text("axis", "end", width-right, height-6, axis)
	place := func(p point) (float64, float64) {
		if p.x == 0 {
			return left + 30, y.at(100 * p.y)
		}
		return x.at(p.x), y.at(100 * p.y)
	}
	var edge [][2]float64
	for _, p := range frontier(points) {
		px, py := place(p)
		edge = append(edge, [2]float64{px, py})
	}
	if len(edge) > 1 {
		d.path("frontier", edge, false)
	}
	var labels labels
	for _, p := range points {
		px, py := place(p)
		class := series(p.run)
		d.line("bar "+class, px, y.at(100*(p.y-p.spread)), px, y.at(100*min(1, p.y+p.spread)))
		tip := t.Runs[p.run].Name + ": " + string(m) + " " + formOf(m).number(p.y) + " %, " + write(p.x)
		d.circle("dot "+class, px, py, 6, tip)
		labels.add(px, py, class, t.Runs[p.run].Name)
	}
	labels.draw(d, width-right)
	return chart{Title: name, Text: "Up and to the left is better. The line joins the runs that no other one beats in both; bars are 95 % intervals.", SVG: d.svg()}, true
}

// frontier are the points that no other one beats in both, by cost.
func frontier(points []point) (out []point) {
	by := slices.Clone(points)
	slices.SortFunc(by, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(b.y, a.y)) })
	best := math.Inf(-1)
	for _, p := range by {
		if p.y > best {
			out = append(out, p)
			best = p.y
		}
	}
	return out
}

// letter is the width of one in a label, about.
const letter = 6.8

// labels are names beside points, moved apart where they would overlap.
type labels []label

type label struct {
	x, y  float64
	class string
	text  string
}

func (l *labels) add(x, y float64, class, text string) {
	*l = append(*l, label{x, y, class, text})
}

func (l labels) draw(d *drawing, edge float64) {
	slices.SortStableFunc(l, func(a, b label) int { return cmp.Compare(a.y, b.y) })
	const line = 15
	type box struct{ x1, y1, x2, y2 float64 }
	var taken []box
	for _, at := range l { // no label over a point
		taken = append(taken, box{at.x - 6, at.y - 6, at.x + 6, at.y + 6})
	}
	for _, at := range l {
		w := letter * float64(len([]rune(at.text)))
		anchor, x := "start", at.x+11
		if x+w > edge {
			anchor, x = "end", at.x-11
		}
		for step := 0; ; step++ {
			// 0, up 1, down 1, up 2, …
			y := at.y + 4 + line*float64((step+1)/2)*float64(1-2*(step%2))
			b := box{x, y - 11, x + w, y + 3}
			if anchor == "end" {
				b.x1, b.x2 = x-w, x
			}
			clear := !slices.ContainsFunc(taken, func(o box) bool { return b.x1 < o.x2 && o.x1 < b.x2 && b.y1 < o.y2 && o.y1 < b.y2 })
			if clear || step > 12 {
				taken = append(taken, b)
				d.text("name "+at.class, anchor, x, y, at.text)
				break
			}
		}
	}
}
