package page

import (
	"fmt"
	"slices"

	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/compare"
)

// views is how full the context was before each turn: the median of the
// questions that had it, within their quartiles.
func views(t *compare.Table) (chart, bool) {
	type line struct {
		run     int
		turns   [][]int // sizes by turn
		reached []int
	}
	var lines []line
	most, turns := 0, 0
	for i := range t.Runs {
		l := line{run: i}
		for q := range t.Runs[i].Results {
			for turn, size := range t.Runs[i].Results[q].Outcome.Views {
				if turn == len(l.turns) {
					l.turns = append(l.turns, nil)
				}
				l.turns[turn] = append(l.turns[turn], size)
				most = max(most, size)
			}
		}
		// The tail of a few questions that went on for ever says nothing.
		for len(l.turns) > 2 && 20*len(l.turns[len(l.turns)-1]) < len(l.turns[0]) {
			l.turns = l.turns[:len(l.turns)-1]
		}
		if len(l.turns) > 1 {
			lines = append(lines, l)
			turns = max(turns, len(l.turns))
		}
	}
	if len(lines) == 0 {
		return chart{}, false
	}
	right := 24.0 // and room for the names, which stand behind the lines
	for _, l := range lines {
		right = max(right, 24+letter*float64(len([]rune(t.Runs[l.run].Name))))
	}
	const width, height, left, top, bottom = 520.0, 320.0, 52.0, 22.0, 46.0
	d := newDrawing(width, height, "Budget use over turns")
	limit := 0
	for _, l := range lines {
		limit = max(limit, t.Runs[l.run].Folder.Manifest.Setup.Budget)
	}
	if limit == 0 {
		limit = 32768
	}
	high := float64(most) * 1.08
	if float64(limit) < 1.6*float64(most) {
		high = max(high, float64(limit)*1.04)
	}
	y := scale{from: height - bottom, to: top, low: 0, high: high}
	x := scale{from: left + 12, to: width - right, low: 1, high: float64(max(2, turns))}
	for _, v := range y.ticks(5) {
		d.line("grid", left, y.at(v), width-right, y.at(v))
		d.text("tick", "end", left-8, y.at(v)+4, short(v))
	}
	d.text("axis", "start", left-44, 12, "tokens in view")
	for _, v := range x.ticks(8) {
		if v == float64(int(v)) {
			d.line("notch", x.at(v), height-bottom, x.at(v), height-bottom+4)
			d.text("tick", "middle", x.at(v), height-bottom+18, short(v))
		}
	}
	d.text("axis", "end", width-right, height-6, "turn")
	d.line("frame", left, height-bottom, width-right, height-bottom)
	if float64(limit) <= high {
		d.line("limit", left, y.at(float64(limit)), width-right, y.at(float64(limit)))
		d.text("tick", "end", width-right, y.at(float64(limit))-5, "budget")
	}
	var names labels
	for _, l := range lines {
		var band, upper, middle [][2]float64
		for turn, sizes := range l.turns {
			slices.Sort(sizes)
			at := x.at(float64(turn + 1))
			band = append(band, [2]float64{at, y.at(quantile(sizes, 0.25))})
			upper = append(upper, [2]float64{at, y.at(quantile(sizes, 0.75))})
			middle = append(middle, [2]float64{at, y.at(quantile(sizes, 0.5))})
		}
		slices.Reverse(upper)
		d.path("band "+series(l.run), append(band, upper...), true)
		d.path("stroke "+series(l.run), middle, false)
		for turn, at := range middle {
			d.circle("dot small "+series(l.run), at[0], at[1], 3.5, fmt.Sprintf("%s, turn %d: %s tokens, %d questions", t.Runs[l.run].Name, turn+1, formOf(eval.PeakView).number(quantile(l.turns[turn], 0.5)), len(l.turns[turn])))
		}
		end := middle[len(middle)-1]
		names.add(end[0], end[1], series(l.run), t.Runs[l.run].Name)
	}
	names.draw(d, width)
	return chart{Title: "Budget use over turns", Text: "The median size of the view before each turn, and the middle half of the questions around it.", SVG: d.svg()}, true
}

// quantile of sorted values.
func quantile(sorted []int, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return float64(sorted[i])
	}
	return float64(sorted[i]) + (at-float64(i))*float64(sorted[i+1]-sorted[i])
}
