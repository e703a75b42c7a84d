package desk

import (
	"context"
	"encoding/json"
	"math"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/ingest"
	"github.com/winnow-search/winnow/wire"
)

// Write puts documents into a collection and removes others, all at once.
func (d *Desk) Write(ctx context.Context, name string, q *wire.DocumentsRequest) (wire.Written, error) {
	c, err := d.named(name)
	if err != nil {
		return wire.Written{}, err
	}
	if len(q.Documents)+len(q.Delete) == 0 {
		return wire.Written{}, bad(`documents: [{"id": "a", "text": "…"}]`, "the request holds nothing to write")
	}
	docs := make([]*winnow.Document, len(q.Documents))
	seen := map[string]bool{}
	for i := range q.Documents {
		of := &q.Documents[i]
		if err := checkDocument(of, i); err != nil {
			return wire.Written{}, err
		}
		if seen[of.ID] {
			return wire.Written{}, bad("ids that differ", "document %d has the id of another: %q", i, of.ID)
		}
		seen[of.ID] = true
		docs[i] = ingest.New(of.ID, of.Title, of.Text, of.Metadata)
	}
	d.shelf.writing.Lock()
	err = c.Write(ctx, docs, q.Delete, d.keeper.Models())
	d.shelf.writing.Unlock()
	if err != nil {
		return wire.Written{}, err
	}
	d.shelf.lacks(name)
	return wire.Written{Put: len(docs), Deleted: len(q.Delete)}, nil
}

const maxID = 1024 // bytes

func checkDocument(n *wire.NewDocument, i int) error {
	if n.ID == "" || len(n.ID) > maxID {
		return bad(`id: "a"`, "document %d wants an id of 1 to %d bytes", i, maxID)
	}
	if strings.ContainsFunc(n.ID, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return bad("an id that can be printed", "the id of document %d holds a control character", i)
	}
	if strings.TrimSpace(n.Text) == "" {
		return bad("text: \"…\"", "document %q has no text", n.ID)
	}
	for key, v := range n.Metadata {
		value, ok := scalar(v)
		if !ok {
			return bad("strings, numbers and booleans", "the metadata %q of document %q is no scalar", key, n.ID)
		}
		n.Metadata[key] = value
	}
	return nil
}

// scalar is a value as it is stored.
func scalar(v any) (any, bool) {
	switch v := v.(type) {
	case string, bool, int64:
		return v, true
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, true
		}
		f, err := v.Float64()
		return f, err == nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v), true
		}
		return v, true
	}
	return nil, false
}
