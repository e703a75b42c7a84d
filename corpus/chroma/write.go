package chroma

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus"
	"github.com/winnow-search/winnow/index"
)

// Writer writes documents into a collection, each chunk a record with one
// vector. It is not safe for concurrent use.
//
// Chroma has no commits: what is written is seen at once, so Commit makes sure
// only that nothing is held back.
type Writer struct {
	collection *Collection
	embedder   winnow.Embedder
	chunks     []pending
	puts       []string // documents of chunks
}

type pending struct {
	record Record
	text   string // what is embedded
}

var _ winnow.Writer = (*Writer)(nil)

// writeBatch is how many chunks are embedded and written together.
const writeBatch = 256

// NewWriter returns a writer into a collection whose vectors the embedder makes.
func NewWriter(c *Collection, e winnow.Embedder) *Writer {
	return &Writer{collection: c, embedder: e}
}

// Put holds a document until enough chunks are there to be embedded together. Its
// chunks are far below the 16 KiB that Chroma Cloud takes for a record.
func (w *Writer) Put(ctx context.Context, d *winnow.Document) error {
	if slices.Contains(w.puts, d.ID) { // the same record twice in a request is refused
		if err := w.flush(ctx); err != nil {
			return err
		}
	}
	w.puts = append(w.puts, d.ID)
	for i := range d.Chunks {
		c := &d.Chunks[i]
		if c.Text == "" {
			continue // no vector, nothing to find
		}
		w.chunks = append(w.chunks, pending{record(d, c, i, nil), index.EmbedText(d.Title, c.Heading, c.Text)})
	}
	if len(w.chunks) < writeBatch {
		return ctx.Err()
	}
	return w.flush(ctx)
}

// flush embeds and writes what is held. Records of the same documents that are
// not written again are old, and go afterwards: a reader meanwhile sees both.
func (w *Writer) flush(ctx context.Context) error {
	written := make(map[string]bool, len(w.chunks))
	records := make([]Record, len(w.chunks))
	texts := make([]string, len(w.chunks))
	for i := range w.chunks {
		records[i], texts[i] = w.chunks[i].record, w.chunks[i].text
		written[records[i].ID] = true
	}
	vectors, err := w.embedder.Embed(ctx, texts)
	if err != nil {
		return err
	}
	if len(vectors) != len(texts) {
		return fmt.Errorf("the embedder %s returned vectors for %d texts of %d", w.embedder.Name(), len(vectors), len(texts))
	}
	kept := records[:0]
	for i := range records {
		if records[i].Vector = corpus.Mean(vectors[i]); records[i].Vector != nil {
			kept = append(kept, records[i])
		}
	}
	if err := w.collection.upsert(ctx, kept); err != nil {
		return err
	}
	if err := w.remove(ctx, w.puts, written); err != nil {
		return err
	}
	w.chunks, w.puts = w.chunks[:0], w.puts[:0]
	return nil
}

// remove deletes the records of documents, but for some.
func (w *Writer) remove(ctx context.Context, documents []string, but map[string]bool) error {
	if len(documents) == 0 {
		return nil
	}
	var ids []string
	of, page := where(own.Document, "$in", documents), w.collection.limits.Page
	for offset := 0; ; offset += page {
		some, err := w.collection.get(ctx, selection{Where: of, Limit: page, Offset: offset})
		if err != nil {
			return err
		}
		for i := range some {
			if !but[some[i].ID] {
				ids = append(ids, some[i].ID)
			}
		}
		if len(some) < page {
			return w.collection.remove(ctx, ids)
		}
	}
}

// Delete removes a document; an unknown id is not an error.
func (w *Writer) Delete(ctx context.Context, id string) error {
	if err := w.flush(ctx); err != nil { // it may be among what is held
		return err
	}
	return w.remove(ctx, []string{id}, nil)
}

// Commit writes what is held.
func (w *Writer) Commit(ctx context.Context) error { return w.flush(ctx) }

// Close drops what was not committed.
func (w *Writer) Close() error {
	w.chunks, w.puts = nil, nil
	return nil
}
