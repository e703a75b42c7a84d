package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
)

// snippetRows is how much of a hit is shown: enough to judge it by, little
// enough that ten hits fit a screen.
const snippetRows = 3

// highlighter finds the words of a query in texts, in whatever form the index
// takes for the same word.
type highlighter struct {
	analyzer *bm25.Analyzer
	terms    map[string]bool
}

func newHighlighter(language, query string) (*highlighter, error) {
	a, err := bm25.NewAnalyzer(language)
	if err != nil {
		return nil, err
	}
	h := &highlighter{analyzer: a, terms: map[string]bool{}}
	for _, t := range a.Terms(query) {
		h.terms[t] = true
	}
	return h, nil
}

// row is one line of a snippet as it is shown.
type row struct {
	line  int // in the document
	text  string
	spans [][2]int // of the words that match
	terms []string // which they are
}

// snippet returns the rows of a chunk that hold most of the query's words.
func (h *highlighter) snippet(c *winnow.Chunk, width int) []row {
	var rows []row
	for i, line := range strings.Split(c.Text, "\n") {
		line = strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " \r")
		for _, piece := range wrap(line, width) {
			r := row{line: c.Lines[0] + i, text: piece}
			h.mark(&r)
			rows = append(rows, r)
		}
	}
	best, bestScore := 0, -1
	for i := range rows {
		if s := score(rows[i:min(i+snippetRows, len(rows))]); s > bestScore {
			best, bestScore = i, s
		}
	}
	return dedent(trim(rows[best:min(best+snippetRows, len(rows))]))
}

func (h *highlighter) mark(r *row) {
	bm25.Spans(r.text, func(start, end int) {
		for _, t := range h.analyzer.AppendTerms(nil, r.text[start:end]) {
			if !h.terms[t] {
				continue
			}
			r.terms = append(r.terms, t)
			if n := len(r.spans); n > 0 && r.spans[n-1][1] >= start { // pairs of characters overlap
				r.spans[n-1][1] = end
			} else {
				r.spans = append(r.spans, [2]int{start, end})
			}
			return
		}
	})
}

// score prefers different words over the same one again, words over none, and
// text over blank rows.
func score(rows []row) (s int) {
	seen := map[string]bool{}
	for _, r := range rows {
		if r.text != "" {
			s++
		}
		for _, t := range r.terms {
			if !seen[t] {
				seen[t] = true
				s += 100
			}
			s += 4
		}
	}
	return s
}

// trim drops blank rows at both ends.
func trim(rows []row) []row {
	for len(rows) > 0 && rows[0].text == "" {
		rows = rows[1:]
	}
	for len(rows) > 0 && rows[len(rows)-1].text == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// dedent takes away the indent that all rows share.
func dedent(rows []row) []row {
	shared := -1
	for _, r := range rows {
		indent := len(r.text) - len(strings.TrimLeft(r.text, " "))
		if r.text != "" && (shared < 0 || indent < shared) {
			shared = indent
		}
	}
	if shared <= 0 {
		return rows
	}
	rows = slices.Clone(rows)
	for i := range rows {
		if rows[i].text == "" {
			continue
		}
		rows[i].text = rows[i].text[shared:]
		for j := range rows[i].spans {
			rows[i].spans[j][0] -= shared
			rows[i].spans[j][1] -= shared
		}
	}
	return rows
}

// wrap breaks a line into pieces that fit a width, at spaces if it can.
func wrap(line string, width int) (pieces []string) {
	for {
		used, space, cut := 0, 0, len(line)
		for i, r := range line {
			if r == ' ' {
				space = i
			}
			if used += columns(r); used > width && i > 0 { // one always fits
				cut = i
				break
			}
		}
		if cut == len(line) {
			return append(pieces, line)
		}
		if space > cut/2 {
			cut = space
		}
		pieces = append(pieces, strings.TrimRight(line[:cut], " "))
		line = strings.TrimLeft(line[cut:], " ")
	}
}

// columns is how wide a rune is on a terminal, near enough to wrap by.
func columns(r rune) int {
	if r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		return 2
	}
	return 1
}

// render writes rows with their line numbers, matching words painted.
func (t terminal) render(rows []row, indent string) string {
	var b strings.Builder
	last := 0
	for _, r := range rows {
		number := ""
		if r.line != last {
			number = fmt.Sprint(r.line)
		}
		last = r.line
		b.WriteString(indent + t.paint(dim, fmt.Sprintf("%5s │ ", number)))
		at := 0
		for _, s := range r.spans {
			b.WriteString(t.safe(r.text[at:s[0]]) + t.paint(red, t.safe(r.text[s[0]:s[1]])))
			at = s[1]
		}
		b.WriteString(t.safe(r.text[at:]) + "\n")
	}
	return b.String()
}
