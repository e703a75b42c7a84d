package desk

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/wire"
)

// The bounds of one search.
const (
	maxQuery = 32 << 10 // bytes
	maxHits  = 1000
	maxLines = 10_000
	// waitToSearch is how long a search waits for a folder that is indexed for
	// the first time, and for the machine.
	waitToSearch = 20 * time.Second
)

// scope is what a request may find: what it asks for, of what the desk is bound
// to.
func (d *Desk) scope(in *wire.In) (winnow.Scope, error) {
	return filter.Narrow(d.options.Scope, in.Scope())
}

// open pins what a request searches, and says in which scope.
func (d *Desk) open(ctx context.Context, in *wire.In) (*open.Opened, winnow.Scope, error) {
	scope, err := d.scope(in)
	if err != nil {
		return nil, scope, err
	}
	names, err := d.shelf.resolve(in.Collections)
	if err != nil {
		return nil, scope, err
	}
	o, err := d.shelf.open(ctx, names, waitToSearch)
	return o, scope, err
}

// Query searches once.
func (d *Desk) Query(ctx context.Context, q *wire.QueryRequest) (*Found, error) {
	text := strings.TrimSpace(q.Query)
	if text == "" {
		return nil, bad(`query: "what you look for"`, "the text to search for is empty")
	}
	if len(text) > maxQuery {
		return nil, bad("a query of a few sentences", "the query is longer than %d bytes", maxQuery)
	}
	if q.K < 0 || q.K > maxHits {
		return nil, bad("k: 10", "k wants a number from 1 to %d", maxHits)
	}
	if err := checkTokens(q.MaxTokens); err != nil {
		return nil, err
	}
	o, scope, err := d.open(ctx, &q.In)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	r, err := o.Search(ctx, winnow.Query{Text: text, K: cmp.Or(q.K, 10), Scope: scope, Explain: q.Explain})
	if err != nil {
		return nil, err
	}
	n := fit(q.MaxTokens, len(r.Hits), func(i int) *string { return &r.Hits[i].Text })
	warnings := leftOut(append(o.Warnings, r.Warnings...), len(r.Hits)-n, q.MaxTokens)
	f := &Found{Query: wire.QueryOf(text, r, n, warnings), Files: make([]string, n)}
	for i := range f.Files {
		f.Files[i] = o.File(&r.Hits[i].Chunk)
	}
	return f, nil
}

// Found is the answer to a search, with the file of each hit as it can be opened
// from the current folder.
type Found struct {
	wire.Query
	Files []string
}

// Grep looks for lines.
func (d *Desk) Grep(ctx context.Context, q *wire.GrepRequest) (*Lines, error) {
	if q.Pattern == "" {
		return nil, bad(`pattern: "func \\w+Lock"`, "the pattern is empty")
	}
	if q.Limit < 0 || q.Limit > maxLines {
		return nil, bad("limit: 1000", "limit wants a number from 1 to %d", maxLines)
	}
	if err := checkTokens(q.MaxTokens); err != nil {
		return nil, err
	}
	pattern := q.Pattern
	if q.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	if _, err := filter.CompilePattern(pattern); err != nil {
		return nil, err
	}
	o, scope, err := d.open(ctx, &q.In)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	m, err := o.Grep(ctx, winnow.GrepQuery{Pattern: pattern, Limit: q.Limit, Scope: scope})
	if err != nil {
		return nil, err
	}
	n := fit(q.MaxTokens, len(m.Matches), func(i int) *string { return &m.Matches[i].Text })
	warnings := append(o.Warnings, m.Warnings...)
	if left := len(m.Matches) - n; left > 0 {
		m.Matches, m.Truncated = m.Matches[:n], true
		warnings = append(warnings, fmt.Sprintf("%d lines left out by max_tokens %d", left, q.MaxTokens))
	}
	l := &Lines{Grep: wire.GrepOf(m, warnings), Files: make([]string, n)}
	for i := range l.Files {
		l.Files[i] = o.File(&m.Matches[i].Chunk)
	}
	return l, nil
}

// Lines is the answer to a grep, with the file of each match.
type Lines struct {
	wire.Grep
	Files []string
}

// Read returns a document or a part of one.
func (d *Desk) Read(ctx context.Context, q *wire.ReadRequest) (*Text, error) {
	if q.Document == "" {
		return nil, bad(`document: "docs/architecture.md"`, "the document is missing")
	}
	if q.Page < 0 || q.Line < 0 {
		return nil, bad("page: 1", "page and line count from 1")
	}
	if err := checkTokens(q.MaxTokens); err != nil {
		return nil, err
	}
	o, scope, err := d.open(ctx, &q.In)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	doc, err := readIn(ctx, o, winnow.ReadQuery{ID: q.Document, Page: q.Page, Heading: q.Heading, Line: q.Line})
	if err != nil {
		return nil, err
	}
	if kept, err := filter.Keep(doc, &scope); err != nil {
		return nil, err
	} else if !kept {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("the document %q is outside of what is searched", doc.ID),
			Hint: "leave out where, where_document, path and exclude"}
	}
	n := fit(q.MaxTokens, len(doc.Chunks), func(i int) *string { return &doc.Chunks[i].Text })
	warnings := leftOut(o.Warnings, len(doc.Chunks)-n, q.MaxTokens)
	return &Text{Read: wire.ReadOf(doc, doc.Chunks[:n], warnings), File: o.File(&doc.Chunks[0])}, nil
}

// Text is a document that was read, with its file.
type Text struct {
	wire.Read
	File string
}

// readIn reads by id, by path, or by path:line.
func readIn(ctx context.Context, o *open.Opened, q winnow.ReadQuery) (*winnow.Document, error) {
	doc, err := o.Read(ctx, q)
	if winnow.CodeOf(err) != winnow.NotFound || q.Line > 0 {
		return doc, err
	}
	at := strings.LastIndexByte(q.ID, ':')
	if at < 0 {
		return nil, err
	}
	line, e := strconv.Atoi(q.ID[at+1:])
	if e != nil || line < 1 {
		return nil, err
	}
	q.ID, q.Line = q.ID[:at], line
	if doc, e := o.Read(ctx, q); e == nil {
		return doc, nil
	}
	return nil, err
}

// File is the path of a document's file as it can be opened from the current
// folder; its id where it came from none.
func (d *Desk) File(collection, document, path string) string {
	c, err := d.shelf.find(collection)
	if err != nil {
		return cmp.Or(path, document)
	}
	return d.keeper.File(c, &winnow.Chunk{Collection: collection, Document: document, Path: path})
}
