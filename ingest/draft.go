package ingest

import (
	"strings"
	"unicode/utf8"

	"github.com/winnow-search/winnow"
)

// draft is a document before it is cut: what a reader hands to the chunker.
type draft struct {
	id       string
	title    string
	path     string
	text     string
	metadata winnow.Metadata
	names    []string
	links    []winnow.Link
	// sections are in text order; text before the first belongs to a section
	// without heading.
	sections []section
	layout   layout
}

// section is a stretch of text that reaches to the next section's start. Text
// of different pages or different metadata never shares a chunk.
type section struct {
	at       int
	heading  string
	page     int
	metadata winnow.Metadata
}

// layout says what a text is made of below its sections.
type layout uint8

const (
	prose    layout = iota // paragraphs of sentences
	markdown               // prose in which fenced blocks stay together
	lines                  // code, records, logs: a line is the smallest sensible unit
)

// headingSeparator joins the headings of a path.
const headingSeparator = " > "

// outline keeps the path of headings while a text is read from top to bottom.
type outline struct {
	levels []int
	titles []string
}

// enter opens a heading and returns the path down to it.
func (o *outline) enter(level int, title string) string {
	n := len(o.levels)
	for n > 0 && o.levels[n-1] >= level {
		n--
	}
	o.levels = append(o.levels[:n], level)
	o.titles = append(o.titles[:n], oneLine(title))
	return strings.Join(o.titles, headingSeparator)
}

// maxTitle bounds titles and headings, in bytes: they are shown on one line and
// stored with every chunk.
const maxTitle = 200

// oneLine makes a text fit for a title: runs of white space become one space,
// and what is too long is cut at a word.
func oneLine(s string) string {
	if len(s) > 8*maxTitle {
		s = s[:runeStart(s, 8*maxTitle)]
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxTitle {
		return s
	}
	s = s[:runeStart(s, maxTitle-len("…"))]
	if i := strings.LastIndexByte(s, ' '); i > maxTitle/2 {
		s = s[:i]
	}
	return s + "…"
}

// runeStart returns the largest offset ≤ i at which a rune of s begins.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
