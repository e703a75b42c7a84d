package page

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// chart is a figure with its heading and what it says.
type chart struct {
	Title string
	Text  string
	SVG   template.HTML
	Wide  bool
}

// drawing collects SVG elements. Attributes are made here; text is escaped.
type drawing struct {
	b             strings.Builder
	width, height float64
}

func newDrawing(width, height float64, title string) *drawing {
	d := &drawing{width: width, height: height}
	fmt.Fprintf(&d.b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`, width, height, html.EscapeString(title))
	return d
}

func (d *drawing) svg() template.HTML { return template.HTML(d.b.String() + "</svg>") }

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&d.b, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, class, x1, y1, x2, y2)
}

func (d *drawing) rect(class string, x, y, w, h float64, tip string) {
	fmt.Fprintf(&d.b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="2">%s</rect>`, class, x, y, math.Max(0, w), math.Max(0, h), title(tip))
}

func (d *drawing) circle(class string, x, y, r float64, tip string) {
	fmt.Fprintf(&d.b, `<circle class="%s" cx="%.1f" cy="%.1f" r="%.1f">%s</circle>`, class, x, y, r, title(tip))
}

func (d *drawing) path(class string, points [][2]float64, closed bool) {
	var p strings.Builder
	for i, at := range points {
		verb := "L"
		if i == 0 {
			verb = "M"
		}
		fmt.Fprintf(&p, "%s%.1f %.1f", verb, at[0], at[1])
	}
	if closed {
		p.WriteString("Z")
	}
	fmt.Fprintf(&d.b, `<path class="%s" d="%s"/>`, class, p.String())
}

// text writes at a point; anchor is start, middle or end.
func (d *drawing) text(class, anchor string, x, y float64, text string) {
	fmt.Fprintf(&d.b, `<text class="%s" text-anchor="%s" x="%.1f" y="%.1f">%s</text>`, class, anchor, x, y, html.EscapeString(text))
}

func title(tip string) string {
	if tip == "" {
		return ""
	}
	return "<title>" + html.EscapeString(tip) + "</title>"
}

// series is the class of a run's colour. More runs than colours share them, and
// are told apart by their names.
func series(i int) string { return fmt.Sprintf("s%d", i%8) }

// scale maps values to places.
type scale struct {
	from, to float64
	low      float64
	high     float64
	log      bool
}

func (s scale) at(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log10(v), math.Log10(low), math.Log10(high)
	}
	return s.from + (v-low)/(high-low)*(s.to-s.from)
}

// ticks are round values within the scale: powers of ten and their 2 and 5 on a
// logarithmic one.
func (s scale) ticks(most int) (out []float64) {
	if s.log {
		for _, steps := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
			out = nil
			for e := math.Floor(math.Log10(s.low)); e <= math.Ceil(math.Log10(s.high)); e++ {
				for _, m := range steps {
					if v := m * math.Pow(10, e); v >= s.low*0.999 && v <= s.high*1.001 {
						out = append(out, v)
					}
				}
			}
			if len(out) <= most {
				return out
			}
		}
		return out
	}
	span := s.high - s.low
	step := math.Pow(10, math.Floor(math.Log10(span/float64(most))))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if span/(step*m) <= float64(most) {
			step *= m
			break
		}
	}
	for n := math.Ceil(s.low/step - 1e-9); n*step <= s.high+step*1e-6; n++ {
		out = append(out, n*step+0) // + 0 makes a negative zero a plain one
	}
	return out
}

// short is a number for an axis.
func short(v float64) string {
	switch {
	case v >= 1000 && math.Mod(v, 1000) == 0:
		return fmt.Sprintf("%gk", v/1000)
	case v >= 1000:
		return fmt.Sprintf("%.3gk", v/1000)
	}
	return fmt.Sprintf("%.3g", v)
}

// milliseconds is a time for an axis.
func milliseconds(v float64) string {
	switch {
	case v >= 60_000:
		return fmt.Sprintf("%.3g min", v/60_000)
	case v >= 1000:
		return fmt.Sprintf("%.3g s", v/1000)
	}
	return fmt.Sprintf("%.3g ms", v)
}

func dollars(v float64) string {
	if v < 0.01 {
		return fmt.Sprintf("%.2g¢", 100*v)
	}
	return fmt.Sprintf("$%.2g", v)
}
