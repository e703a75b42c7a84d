package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/winnow-search/winnow"
)

// entry is a chunk in JSON. All fields are always there: scripts rely on them.
type entry struct {
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

func entryOf(c *winnow.Chunk) entry {
	e := entry{
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

// location is how people find a chunk: file and lines, or page.
func location(file string, c *winnow.Chunk) string {
	if c.Page > 0 {
		return file + ", " + within(c)
	}
	return file + ":" + within(c)
}

// within is a chunk's place in its file.
func within(c *winnow.Chunk) string {
	if c.Page > 0 {
		return fmt.Sprintf("page %d", c.Page)
	}
	return fmt.Sprintf("%d-%d", c.Lines[0], c.Lines[1])
}

// caption is the title of a chunk's document with the headings above the chunk.
// A title that only repeats the path, or begins the headings, is left out.
func caption(c *winnow.Chunk) string {
	title := c.Title
	if title == path.Base(c.Path) || c.Heading == title || strings.HasPrefix(c.Heading, title+" > ") {
		title = ""
	}
	switch {
	case title == "":
		return c.Heading
	case c.Heading == "":
		return title
	}
	return title + " > " + c.Heading
}
