// Package ingest turns files into documents cut into chunks, and keeps a
// collection in step with the folders it came from.
//
// A folder is walked, each file is read by the reader of its format, the text is
// cut into chunks that tile it, and what changed since the last time is put into
// a [Sink]. [Sync] does all of it; [Read] and [New] do the middle of it, for
// documents that come by other ways; [Watch] says when to sync again.
//
// Three decisions shape the package. Readers see the file whole, in memory, up
// to a limit: simple code and exact offsets, paid for with a bound on the size
// of one document (JSONL corpora and mailboxes are streams of documents and have
// none). Everything a reader learns goes through one intermediate form, a text
// with sections, so there is one chunker and no format knows about tokens. And
// nothing that happens to one file stops the others: a file that can't be read
// is a [Note] in the report, with its reason.
//
// Every document of a file has the metadata "type" (text, markdown, html, pdf,
// docx, code, data, mail, session) and, below the root, "folder". Code has
// "language"; mails have "from", "to", "cc", "date", "timestamp", "thread" and
// "attachments", and "quoted" on chunks that are quotation; sessions have
// "session", "cwd", "branch" and "model", and "role", "tool" and "time" on their
// chunks; PDF and Word files have "author" and Word's "keywords" and "subject",
// web pages "description". Markdown's front matter and the fields of a JSONL
// corpus are taken as they are, nested keys joined by dots, lists by commas. When
// a file was modified is not among them: touching a file would change its
// documents.
//
// The files are not trusted. Links that leave the root are not followed,
// archives are unpacked under a limit, names are made safe to print, and every
// reader is fuzzed.
package ingest

import "github.com/winnow-search/winnow"

// New returns the document of a text that does not come from a file, cut into
// chunks.
func New(id, title, text string, metadata winnow.Metadata) *winnow.Document {
	d := draft{id: id, title: title, text: text, metadata: metadata}
	return d.document()
}

// Read returns the documents in a file's content, which is read by the format
// that name and content show. Warnings say what was left out.
func Read(name string, data []byte) (docs []*winnow.Document, warnings []string, err error) {
	src := newSource(safeName(name), data, DefaultMaxText)
	docs, err = formatOf(name, data).documents(src)
	return docs, src.warnings, err
}
