// Package wire holds the JSON documents that the command line prints and the
// server sends: one contract, written once.
//
// All fields are always there, null or empty where there is nothing to say,
// because scripts rely on them.
package wire

import "github.com/winnow-search/winnow"

// Entry is a chunk.
type Entry struct {
	Collection string          `json:"collection"`
	Document   string          `json:"document"`
	Chunk      string          `json:"chunk"`
	Path       string          `json:"path"`
	Lines      [2]int          `json:"lines"`
	Page       *int            `json:"page"` // null where there are no pages
	Heading    string          `json:"heading"`
	Title      string          `json:"title"`
	Text       string          `json:"text"`
	Metadata   winnow.Metadata `json:"metadata"`
}

// EntryOf is the entry of a chunk.
func EntryOf(c *winnow.Chunk) Entry {
	e := Entry{
		Collection: c.Collection, Document: c.Document, Chunk: c.ID, Path: c.Path, Lines: c.Lines,
		Heading: c.Heading, Title: c.Title, Text: c.Text, Metadata: c.Metadata,
	}
	if c.Page > 0 {
		e.Page = &c.Page
	}
	if e.Metadata == nil {
		e.Metadata = winnow.Metadata{}
	}
	return e
}
