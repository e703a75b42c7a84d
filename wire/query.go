package wire

import "github.com/winnow-search/winnow"

// Query is the answer to one search.
type Query struct {
	Query    string   `json:"query"`
	Hits     []Hit    `json:"hits"`
	Coverage float64  `json:"coverage"`
	Warnings []string `json:"warnings"`
}

// Hit is a chunk that a search found.
type Hit struct {
	Rank int `json:"rank"`
	Entry
	Score   float64           `json:"score"`
	Legs    []winnow.LegScore `json:"legs,omitempty"`
	Matched []string          `json:"matched,omitempty"`
}

// QueryOf is the answer to a search with the first n of its hits.
func QueryOf(text string, r *winnow.Results, n int, warnings []string) Query {
	a := Query{Query: text, Hits: make([]Hit, n), Coverage: r.Coverage, Warnings: append([]string{}, warnings...)}
	for i := range a.Hits {
		h := &r.Hits[i]
		a.Hits[i] = Hit{Rank: i + 1, Entry: EntryOf(&h.Chunk), Score: h.Score, Legs: h.Legs, Matched: h.Matched}
	}
	return a
}

// Grep is the answer to a grep.
type Grep struct {
	Matches   []Match  `json:"matches"`
	Truncated bool     `json:"truncated"`
	Warnings  []string `json:"warnings"`
}

// Match is a line that matches.
type Match struct {
	Entry
	Line int    `json:"line"`
	Text string `json:"text"` // the line, in place of the chunk's text
}

// GrepOf is the answer to a grep.
func GrepOf(m *winnow.Matches, warnings []string) Grep {
	a := Grep{Matches: make([]Match, len(m.Matches)), Truncated: m.Truncated, Warnings: append([]string{}, warnings...)}
	for i := range m.Matches {
		of := &m.Matches[i]
		a.Matches[i] = Match{Entry: EntryOf(&of.Chunk), Line: of.Line, Text: of.Text}
	}
	return a
}
