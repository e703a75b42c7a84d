package ingest

import (
	"bytes"
	"path"
	"strings"

	"github.com/winnow-search/winnow"
)

// format is a way of reading files. It reads either one document from a whole
// file, or many from a stream of records.
type format struct {
	// kind is the metadata "type" of the documents; records of a JSONL corpus
	// have none, they bring their own metadata.
	kind string
	read func(*source) (*draft, error)

	// records reads the documents of a block of whole records; line is the
	// number of the block's first line in the file.
	records func(src *source, block []byte, line int) []*draft
	// boundary returns the end of the last record that is whole in a block which
	// may be followed by more, or 0.
	boundary func(block []byte) int

	// container says that the file is larger than the text in it, so that the
	// limit on text does not bound the bytes to read.
	container bool
}

// formatByName chooses the reader where the name alone tells.
func formatByName(name string) (f format, ok bool) {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mdx":
		return format{kind: "markdown", read: readMarkdown}, true
	case ".html", ".htm", ".xhtml":
		return format{kind: "html", read: readHTML}, true
	case ".pdf":
		return format{kind: "pdf", read: readPDF, container: true}, true
	case ".docx":
		return format{kind: "docx", read: readDOCX, container: true}, true
	case ".eml":
		return format{kind: "mail", read: readMail, container: true}, true
	case ".mbox", ".mbx":
		return mboxFormat, true
	case ".csv", ".tsv", ".json", ".yaml", ".yml", ".toml", ".xml", ".ini", ".cfg", ".conf", ".properties":
		return format{kind: "data", read: readLines}, true
	case ".log":
		return format{kind: "text", read: readLines}, true
	case ".rst", ".adoc", ".asciidoc", ".org":
		return format{kind: "text", read: readMarkup}, true
	case ".txt", ".text", ".tex":
		return format{kind: "text", read: readText}, true
	}
	if l := languageOf(path.Base(name)); l != nil {
		return format{kind: "code", read: l.read}, true
	}
	return format{}, false
}

// formatOf chooses the reader by name or, where that says too little, by the
// beginning of the content.
func formatOf(name string, data []byte) format {
	if f, ok := formatByName(name); ok {
		return f
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".jsonl", ".ndjson":
		switch {
		case isCorpus(data):
			return corpusFormat
		case isSession(data):
			return format{kind: "session", read: readSession, container: true}
		}
		return format{kind: "data", read: readLines}
	}
	switch {
	case isMbox(data):
		return mboxFormat
	case isMail(data):
		return format{kind: "mail", read: readMail, container: true}
	case bytes.HasPrefix(data, []byte("%PDF-")):
		return format{kind: "pdf", read: readPDF, container: true}
	case isHTML(data):
		return format{kind: "html", read: readHTML}
	}
	if l := languageOfScript(data); l != nil {
		return format{kind: "code", read: l.read}
	}
	return format{kind: "text", read: readText}
}

// documents reads all documents of a file that is whole in memory.
func (f format) documents(src *source) ([]*winnow.Document, error) {
	if len(src.data) == 0 {
		return nil, skipEmpty
	}
	if !f.container {
		switch {
		case isBinary(src.data):
			return nil, skipBinary
		case holdsKey(src.data):
			return nil, skipSecret
		}
	}
	if f.records != nil {
		return f.block(src, src.data, 1), nil
	}
	d, err := f.read(src)
	if err != nil {
		return nil, err
	}
	if blank(d.text) {
		return nil, skipEmpty
	}
	return []*winnow.Document{f.finish(src, d)}, nil
}

// block reads the documents of a block of records.
func (f format) block(src *source, block []byte, line int) []*winnow.Document {
	var docs []*winnow.Document
	for _, d := range f.records(src, block, line) {
		docs = append(docs, f.finish(src, d))
	}
	return docs
}

// finish fills in what all documents of a format share, and cuts the draft.
func (f format) finish(src *source, d *draft) *winnow.Document {
	if f.kind == "" {
		return d.document()
	}
	if d.id == "" {
		d.id = src.id
	}
	d.path = src.id
	d.title = oneLine(d.title)
	if d.title == "" {
		d.title = stem(src.id)
	}
	if d.metadata == nil {
		d.metadata = winnow.Metadata{}
	}
	d.metadata["type"] = f.kind
	if folder := path.Dir(src.id); folder != "." {
		d.metadata["folder"] = folder
	}
	return d.document()
}
