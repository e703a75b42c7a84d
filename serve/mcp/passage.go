package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/winnow-search/winnow/token"
	"github.com/winnow-search/winnow/wire"
)

// passage is a piece of a document, with what is needed to cite it and to read
// on.
type passage struct {
	Document   string `json:"document" jsonschema:"id of the document; read takes it"`
	Collection string `json:"collection"`
	// Path is that of the file as it can be opened from the folder in which the
	// server runs; the document's id where there is no file.
	Path          string `json:"path" jsonschema:"file of the document, as it can be opened"`
	Lines         [2]int `json:"lines" jsonschema:"first and last line"`
	Page          *int   `json:"page,omitempty"`
	Title         string `json:"title,omitempty"`
	Heading       string `json:"heading,omitempty"`
	Text          string `json:"text"`
	Justification string `json:"justification,omitempty" jsonschema:"why it supports the answer"`
}

func passageOf(e *wire.Entry, file string) passage {
	return passage{Document: e.Document, Collection: e.Collection, Path: file, Lines: e.Lines, Page: e.Page, Title: e.Title, Heading: e.Heading, Text: e.Text}
}

// write adds the passage to a text.
func (p *passage) write(b *strings.Builder, n int) {
	fmt.Fprintf(b, "[%d] %s:%d-%d", n, p.Path, p.Lines[0], p.Lines[1])
	if p.Page != nil {
		fmt.Fprintf(b, " page %d", *p.Page)
	}
	if title := p.caption(); title != "" {
		fmt.Fprintf(b, " (%s)", title)
	}
	if p.Document != p.Path {
		fmt.Fprintf(b, " document %s", p.Document)
	}
	if p.Collection != "" {
		fmt.Fprintf(b, " in %s", p.Collection)
	}
	b.WriteByte('\n')
	if p.Justification != "" {
		fmt.Fprintf(b, "Why: %s\n", p.Justification)
	}
	b.WriteString(strings.TrimRight(p.Text, "\n"))
	b.WriteString("\n\n")
}

// caption is the title with the heading, which may begin with it.
func (p *passage) caption() string {
	switch {
	case p.Title == "" || strings.HasPrefix(p.Heading, p.Title):
		return cmp.Or(p.Heading, p.Title)
	case p.Heading == "":
		return p.Title
	}
	return p.Title + " > " + p.Heading
}

// fit keeps the passages, from the first, that have no more than max tokens
// together as they are sent: as JSON, the larger of the two forms. A first
// passage that is too long alone is cut, because something beats nothing.
func fit(passages []passage, max int) (kept []passage, warnings []string) {
	sum := 0
	for i := range passages {
		n := cost(&passages[i])
		if sum += n; sum <= max {
			continue
		}
		if i > 0 {
			return passages[:i], []string{fmt.Sprintf("%d more left out by max_tokens %d", len(passages)-i, max)}
		}
		p := &passages[0]
		for room := max; n > max && room > 0; n = cost(p) { // quotes and line ends cost more in JSON
			room -= n - max
			p.Text = token.Cut(p.Text, room)
		}
		return passages[:1], []string{fmt.Sprintf("the first passage is cut, and %d more are left out, by max_tokens %d", len(passages)-1, max)}
	}
	return passages, nil
}

func cost(p *passage) int {
	data, err := json.Marshal(p)
	if err != nil { // it holds strings and numbers
		panic(err)
	}
	return token.Count(string(data))
}

// render is a list of passages as text, with what is to be said before and after.
func render(before string, passages []passage, warnings []string) string {
	var b strings.Builder
	if before != "" {
		b.WriteString(before)
		b.WriteString("\n\n")
	}
	for i := range passages {
		passages[i].write(&b, i+1)
	}
	for _, w := range warnings {
		fmt.Fprintf(&b, "Note: %s\n", w)
	}
	return strings.TrimRight(b.String(), "\n")
}
