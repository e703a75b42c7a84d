package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/winnow-search/winnow"
)

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
