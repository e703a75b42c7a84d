package winnow

import (
	"strconv"
	"strings"
)

// Metadata is what is known about a document or chunk beside its text. Values
// are string, bool, int64 or float64; nothing else is stored.
type Metadata map[string]any

// Document is one text with an identity, cut into chunks.
type Document struct {
	// ID is unique in its collection: a path relative to the folder's root, the
	// id of a JSONL line, path#message-id of a mail.
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	// Path is the file the document came from, "/"-separated and relative to
	// its root; empty for documents added by content.
	Path     string   `json:"path,omitempty"`
	Metadata Metadata `json:"metadata,omitempty"`
	// Names are other names by which texts refer to this document: aliases,
	// code symbols, mail subjects, Message-IDs. The title and the path's names
	// need not be repeated here.
	Names []string `json:"names,omitempty"`
	// Links are the explicit references in the text, in text order.
	Links []Link `json:"links,omitempty"`
	// Chunks tile the text: concatenated they are the text, byte for byte.
	Chunks []Chunk `json:"chunks,omitempty"`
}

// Text is the document's whole text.
func (d *Document) Text() string {
	if len(d.Chunks) == 1 {
		return d.Chunks[0].Text
	}
	var b strings.Builder
	for i := range d.Chunks {
		b.WriteString(d.Chunks[i].Text)
	}
	return b.String()
}

// Chunk is a piece of a document small enough to show: the unit of search.
type Chunk struct {
	ID         string `json:"chunk"`
	Collection string `json:"collection,omitempty"`
	Document   string `json:"document"`
	// Ordinal counts the chunks of a document from 0.
	Ordinal int    `json:"ordinal"`
	Title   string `json:"title,omitempty"`
	Path    string `json:"path,omitempty"`
	// Lines are the first and the last line of the chunk in the document's
	// text, from 1.
	Lines [2]int `json:"lines"`
	// Page counts from 1 in paged files and is 0 elsewhere.
	Page int `json:"page,omitempty"`
	// Heading is the path of headings above the chunk, joined by " > ".
	Heading string `json:"heading,omitempty"`
	Text    string `json:"text"`
	// Tokens is the exact o200k count of Text.
	Tokens int `json:"tokens"`
	// Start is the offset of Text in the document's text, in bytes.
	Start int `json:"start"`
	// Metadata of a stored chunk holds the document's metadata and its own; its
	// own wins. A chunk on its way into a Writer holds only its own.
	Metadata Metadata `json:"metadata,omitempty"`
}

// ChunkID names chunk n of a document. Ids are looked up, never parsed.
func ChunkID(document string, n int) string {
	return document + "_" + strconv.Itoa(n)
}

// QualifiedID tells a document or chunk from those of other collections with the
// same id. It is how several collections as one are spoken of, see [Start.Name].
func QualifiedID(collection, id string) string { return collection + ":" + id }

// Link is an explicit reference from a place in a document's text.
type Link struct {
	Kind LinkKind `json:"kind"`
	// Target is what the text refers to: a document id, a URL, a Message-ID, an
	// import path.
	Target string `json:"target"`
	// At is the offset in the document's text, in bytes.
	At int `json:"at"`
}

// LinkKind says how one text refers to another.
type LinkKind string

const (
	LinkNamed    LinkKind = "named"    // the text holds the other's name
	LinkShared   LinkKind = "shared"   // both texts hold a name that is nobody's title
	LinkHyper    LinkKind = "link"     // a Markdown or HTML link, a URL
	LinkReply    LinkKind = "reply"    // a mail answers another
	LinkImport   LinkKind = "import"   // code imports code
	LinkCitation LinkKind = "citation" // a numbered or keyed citation
)
