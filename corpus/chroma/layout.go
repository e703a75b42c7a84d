package chroma

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/token"
)

// Layout says how records are chunks of documents: which metadata key holds
// what. Chroma knows records only, so it is configured, or guessed once from a
// sample. The zero Layout is a plain collection: each record is a document.
type Layout struct {
	// Document is the key of the document's id. Empty takes it from the record's
	// id where Separator stands before the chunk's number, else each record is a
	// document of its own.
	Document string `json:"document,omitempty" yaml:"document"`
	// Ordinal is the key of the chunk's number. Empty takes the digits at the end
	// of the record's id, else the order in which the server lists the records.
	Ordinal string `json:"ordinal,omitempty" yaml:"ordinal"`
	Title   string `json:"title,omitempty" yaml:"title"`
	Path    string `json:"path,omitempty" yaml:"path"`
	Heading string `json:"heading,omitempty" yaml:"heading"`
	Page    string `json:"page,omitempty" yaml:"page"`
	// Separator stands between document and number in record ids.
	Separator string `json:"separator,omitempty" yaml:"separator"`
}

// own is the layout of what Winnow writes. The prefix keeps its keys apart from
// those of documents, which go in and come out as they are.
var own = Layout{Document: "winnow_document", Ordinal: "winnow_chunk", Title: "winnow_title", Path: "winnow_path",
	Heading: "winnow_heading", Page: "winnow_page", Separator: "_"}

// What own has beside the fields of a Layout.
const (
	ownLines  = "winnow_lines" // first-last
	ownStart  = "winnow_start"
	ownPrefix = "winnow_"
)

// The keys that documents and chunks are commonly called by, in the order in
// which they are tried.
var (
	documentKeys = []string{"document_id", "doc_id", "document", "doc", "parent_id", "source_id", "source", "file_path", "filename", "file", "path", "url"}
	ordinalKeys  = []string{"chunk_index", "chunk_number", "chunk_num", "chunk_id", "chunk", "ordinal", "index", "position", "seq"}
	titleKeys    = []string{"title", "name", "document_title"}
	pathKeys     = []string{"path", "file_path", "filename", "file"}
	headingKeys  = []string{"heading", "section", "header"}
	pageKeys     = []string{"page", "page_number"}
)

// guess finds the layout of a collection from a sample of its records. A key is
// a document's if it parts the sample into several documents of which none holds
// most of it, and no two chunks of one have the same number: what fails that is
// a category, and grouping by it would make one document of the collection.
func (l Layout) guess(sample []Record) Layout {
	if l == (Layout{}) && all(sample, func(r *Record) bool { _, ok := r.Metadata[own.Document].(string); return ok }) {
		return own
	}
	has := func(keys []string, ok func(any) bool) string {
		for _, key := range keys {
			if all(sample, func(r *Record) bool { v, there := r.Metadata[key]; return there && ok(v) }) {
				return key
			}
		}
		return ""
	}
	text := func(v any) bool { s, ok := v.(string); return ok && s != "" }
	number := func(v any) bool { _, ok := v.(int64); return ok }
	l.Title = cmp.Or(l.Title, has(titleKeys, text))
	l.Path = cmp.Or(l.Path, has(pathKeys, text))
	l.Heading = cmp.Or(l.Heading, has(headingKeys, text))
	l.Page = cmp.Or(l.Page, has(pageKeys, number))
	if l.Document != "" || l.Separator != "" {
		return l
	}
	l.Ordinal = cmp.Or(l.Ordinal, has(ordinalKeys, number))
	for _, key := range documentKeys {
		with := l
		with.Document = key
		if all(sample, func(r *Record) bool { return text(r.Metadata[key]) }) && with.parts(sample) {
			return with
		}
	}
	for _, sep := range []string{"_", "-", "#", ":"} {
		with := l
		with.Separator = sep
		if all(sample, func(r *Record) bool { _, _, ok := cutNumber(r.ID, sep); return ok }) && with.parts(sample) {
			return with
		}
	}
	l.Ordinal = ""
	return l
}

func all(sample []Record, ok func(*Record) bool) bool {
	for i := range sample {
		if !ok(&sample[i]) {
			return false
		}
	}
	return len(sample) > 0
}

// parts reports whether the layout makes documents of a sample, and not one of
// everything, nor one of each record.
func (l Layout) parts(sample []Record) bool {
	type place struct {
		document string
		ordinal  int64
	}
	sizes, taken := map[string]int{}, map[place]bool{}
	most := 0
	for i := range sample {
		document, ordinal, numbered := l.place(&sample[i])
		if numbered {
			if p := (place{document, ordinal}); taken[p] {
				return false
			} else {
				taken[p] = true
			}
		}
		sizes[document]++
		most = max(most, sizes[document])
	}
	return len(sizes) > 1 && 2*most <= len(sample)+1
}

// place is the document of a record and its number there, if it has one.
func (l Layout) place(r *Record) (document string, ordinal int64, numbered bool) {
	document = r.ID
	if l.Document != "" {
		if s, ok := r.Metadata[l.Document].(string); ok && s != "" {
			document = s
		}
	} else if l.Separator != "" {
		if d, n, ok := cutNumber(r.ID, l.Separator); ok {
			return d, n, true
		}
	}
	if l.Ordinal != "" {
		if n, ok := r.Metadata[l.Ordinal].(int64); ok {
			return document, n, true
		}
	}
	if l.Document != "" {
		for _, sep := range []string{"_", "-", "#", ":"} {
			if d, n, ok := cutNumber(r.ID, sep); ok && d == document {
				return document, n, true
			}
		}
	}
	return document, 0, document == r.ID
}

// cutNumber parts an id before the separator and the number at its end.
func cutNumber(id, sep string) (before string, n int64, ok bool) {
	i := strings.LastIndex(id, sep)
	if i <= 0 {
		return "", 0, false
	}
	digits := id[i+len(sep):]
	if digits == "" || strings.TrimLeft(digits, "0123456789") != "" {
		return "", 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	return id[:i], n, err == nil
}

// chunk is a record as a chunk, without what it has from its neighbours.
func (l Layout) chunk(r *Record) winnow.Chunk {
	c := winnow.Chunk{Text: r.Document, Tokens: token.Count(r.Document), Metadata: r.Metadata}
	c.Title, _ = r.Metadata[l.Title].(string)
	c.Path, _ = r.Metadata[l.Path].(string)
	c.Heading, _ = r.Metadata[l.Heading].(string)
	if page, ok := r.Metadata[l.Page].(int64); ok && page > 0 {
		c.Page = int(page)
	}
	if l != own {
		return c
	}
	if lines, ok := r.Metadata[ownLines].(string); ok {
		fmt.Sscanf(lines, "%d-%d", &c.Lines[0], &c.Lines[1])
	}
	if start, ok := r.Metadata[ownStart].(int64); ok {
		c.Start = int(start)
	}
	c.Metadata = nil
	for k, v := range r.Metadata {
		if !strings.HasPrefix(k, ownPrefix) {
			if c.Metadata == nil {
				c.Metadata = winnow.Metadata{}
			}
			c.Metadata[k] = v
		}
	}
	return c
}

// document makes one of records in order. Where nobody recorded lines and
// offsets, they count through the chunks' texts.
func (l Layout) document(id string, records []Record) *winnow.Document {
	d := &winnow.Document{ID: id}
	line, start := 1, 0
	for i := range records {
		c := l.chunk(&records[i])
		if c.Lines == [2]int{} {
			c.Start = start
			c.Lines = [2]int{line, line + strings.Count(strings.TrimSuffix(c.Text, "\n"), "\n")}
		}
		start += len(c.Text)
		line += strings.Count(c.Text, "\n")
		d.Title, d.Path = cmp.Or(d.Title, c.Title), cmp.Or(d.Path, c.Path)
		d.Chunks = append(d.Chunks, c)
	}
	return d
}

// record is a chunk of a document as Winnow writes it.
func record(d *winnow.Document, c *winnow.Chunk, ordinal int, v winnow.Vector) Record {
	m := winnow.Metadata{}
	for k, v := range d.Metadata {
		m[k] = v
	}
	for k, v := range c.Metadata {
		m[k] = v
	}
	m[own.Document], m[own.Ordinal] = d.ID, int64(ordinal)
	m[ownLines], m[ownStart] = fmt.Sprintf("%d-%d", c.Lines[0], c.Lines[1]), int64(c.Start)
	for key, value := range map[string]string{own.Title: d.Title, own.Path: d.Path, own.Heading: c.Heading} {
		if value != "" {
			m[key] = value
		}
	}
	if c.Page > 0 {
		m[own.Page] = int64(c.Page)
	}
	return Record{ID: winnow.ChunkID(d.ID, ordinal), Document: c.Text, Metadata: m, Vector: v}
}
