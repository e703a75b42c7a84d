package pdf

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// layout turns glyphs with places into lines of text. It follows the order of
// drawing, in which programs write text as it is read, columns included, and
// looks only at how the pen moved since the last glyph.
type layout struct {
	buf   []byte
	begun bool
	// The end of the last glyph, the direction of its line, its size.
	x, y, dx, dy, size float64
}

// In units of the font's size: a gap that separates words, one that separates
// the cells of a table, a change of baseline that begins a line, one that begins
// a paragraph. A space is a quarter of it in most fonts, and justified text goes
// down to a sixth.
const (
	wordGap      = 0.15
	cellGap      = 2.0
	lineGap      = 0.5
	paragraphGap = 1.75
)

// add puts a glyph at the origin of m, whose x axis is the line's direction and
// whose units are the font's size.
func (o *layout) add(s string, m matrix, width float64) {
	size := math.Hypot(m[2], m[3])
	length := math.Hypot(m[0], m[1])
	if size == 0 || length == 0 || math.IsNaN(size+length+m[4]+m[5]) || math.IsInf(size+length+m[4]+m[5], 0) {
		return
	}
	if s != "" {
		if o.begun {
			o.separate(m, size, s == " ")
		}
		o.buf = append(o.buf, s...)
		o.begun = true
		o.size = size
	} else if !o.begun {
		return
	}
	o.dx, o.dy = m[0]/length, m[1]/length
	o.x, o.y = m[4]+width*m[0], m[5]+width*m[1]
}

// separate writes what the move to the next glyph stands for.
func (o *layout) separate(m matrix, size float64, isSpace bool) {
	unit := max(size, o.size)
	mx, my := m[4]-o.x, m[5]-o.y
	along := (mx*o.dx + my*o.dy) / unit
	across := math.Abs(my*o.dx-mx*o.dy) / unit
	last := o.buf[len(o.buf)-1]
	switch {
	case across > paragraphGap:
		o.breakLine("\n\n")
	case across > lineGap || along < -1:
		o.breakLine("\n")
	case last == ' ' || last == '\t' || last == '\n' || isSpace:
	case along > cellGap:
		o.buf = append(o.buf, '\t')
	case along > wordGap:
		o.buf = append(o.buf, ' ')
	}
}

func (o *layout) breakLine(s string) {
	for len(o.buf) > 0 && (o.buf[len(o.buf)-1] == ' ' || o.buf[len(o.buf)-1] == '\t') {
		o.buf = o.buf[:len(o.buf)-1]
	}
	o.buf = append(o.buf, s...)
}

// String returns the text, with words that were divided at the end of a line
// put together: a hyphen between letters, the second small.
func (o *layout) String() string {
	var b strings.Builder
	rest := o.buf
	for len(rest) > 0 {
		i := bytes.Index(rest, []byte("-\n"))
		if i < 0 {
			break
		}
		before, _ := utf8.DecodeLastRune(rest[:i])
		after, _ := utf8.DecodeRune(rest[i+2:])
		if unicode.IsLetter(before) && unicode.IsLower(after) {
			b.Write(rest[:i])
		} else {
			b.Write(rest[:i+2])
		}
		rest = rest[i+2:]
	}
	b.Write(rest)
	return strings.TrimSpace(b.String())
}
