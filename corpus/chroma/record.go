package chroma

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/winnow-search/winnow"
)

// Record is what Chroma stores under an id.
type Record struct {
	ID       string
	Document string
	Metadata winnow.Metadata
	Vector   winnow.Vector // nil where it was not asked for
}

// The keys of what is no metadata.
const (
	keyID        = "#id"
	keyDocument  = "#document"
	keyEmbedding = "#embedding"
	keyMetadata  = "#metadata"
	keyScore     = "#score"
)

// What a reply can include.
const (
	withDocuments = "documents"
	withMetadata  = "metadatas"
	withVectors   = "embeddings"
	withDistances = "distances"
)

// selection says which records to get.
type selection struct {
	IDs           []string        `json:"ids,omitempty"`
	Where         json.RawMessage `json:"where,omitempty"`
	WhereDocument json.RawMessage `json:"where_document,omitempty"`
	Limit         int             `json:"limit,omitempty"`
	Offset        int             `json:"offset,omitempty"`
	Include       []string        `json:"include"`
}

// get returns one page of records, in the order in which the server keeps them.
func (c *Collection) get(ctx context.Context, s selection) ([]Record, error) {
	var r struct {
		IDs       []string         `json:"ids"`
		Documents []*string        `json:"documents"`
		Metadatas []map[string]any `json:"metadatas"`
		Vectors   []winnow.Vector  `json:"embeddings"`
	}
	if s.Include == nil {
		s.Include = []string{}
	}
	if len(s.IDs) > 0 {
		// A limit above the quota is refused even where few ids are asked for.
		s.Limit = len(s.IDs)
	}
	done, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := c.client.call(ctx, patient, http.MethodPost, c.path("get"), s, &r); err != nil {
		return nil, err
	}
	out := make([]Record, len(r.IDs))
	for i, id := range r.IDs {
		out[i].ID = id
		if i < len(r.Documents) && r.Documents[i] != nil {
			out[i].Document = *r.Documents[i]
		}
		if i < len(r.Metadatas) {
			out[i].Metadata = scalars(r.Metadatas[i])
		}
		if i < len(r.Vectors) {
			out[i].Vector = r.Vectors[i]
		}
	}
	return out, nil
}

// byID returns the records with some ids, as far as they are there, in the order
// asked for.
func (c *Collection) byID(ctx context.Context, ids []string, include ...string) ([]Record, error) {
	found := make(map[string]Record, len(ids))
	for first := 0; first < len(ids); first += c.limits.Page {
		some, err := c.get(ctx, selection{IDs: ids[first:min(first+c.limits.Page, len(ids))], Include: include})
		if err != nil {
			return nil, err
		}
		for _, r := range some {
			found[r.ID] = r
		}
	}
	out := make([]Record, 0, len(found))
	for _, id := range ids {
		if r, ok := found[id]; ok {
			out = append(out, r)
			delete(found, id)
		}
	}
	return out, nil
}

// scalars are the values that a corpus can filter by. Lists and sparse vectors
// are left out; numbers become int64 where they are whole.
func scalars(m map[string]any) winnow.Metadata {
	out := make(winnow.Metadata, len(m))
	for k, v := range m {
		switch v := v.(type) {
		case string, bool:
			out[k] = v
		case json.Number:
			if n, err := v.Int64(); err == nil && !strings.ContainsAny(v.String(), ".eE") {
				out[k] = n
			} else if f, err := v.Float64(); err == nil && !math.IsInf(f, 0) {
				out[k] = f
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// bodyBytes bounds a write: servers refuse bodies over 40 MiB.
const bodyBytes = 24 << 20

// recordBytes is about what a record takes in JSON.
func recordBytes(r *Record) int { return 14*len(r.Vector) + len(r.Document) + len(r.Document)/4 + 512 }

// upsert writes records, in as many requests as the server's limits want.
func (c *Collection) upsert(ctx context.Context, records []Record) error {
	for len(records) > 0 {
		n, size := 0, 0
		for n < len(records) && n < c.limits.Write && (n == 0 || size < bodyBytes) {
			size += recordBytes(&records[n])
			n++
		}
		if err := c.write(ctx, records[:n]); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// write sends records in one request, and in halves if it is too large for a
// proxy on the way.
func (c *Collection) write(ctx context.Context, records []Record) error {
	var body struct {
		IDs       []string         `json:"ids"`
		Vectors   []winnow.Vector  `json:"embeddings"`
		Documents []string         `json:"documents"`
		Metadatas []map[string]any `json:"metadatas"`
	}
	for i := range records {
		r := &records[i]
		body.IDs, body.Vectors, body.Documents = append(body.IDs, r.ID), append(body.Vectors, r.Vector), append(body.Documents, r.Document)
		metadata := map[string]any(r.Metadata)
		if c.hasWords() {
			metadata = make(map[string]any, len(r.Metadata)+1)
			for k, v := range r.Metadata {
				metadata[k] = v
			}
			metadata[sparseKey] = defaultBM25.encode(r.Document).typed()
		}
		body.Metadatas = append(body.Metadatas, metadata)
	}
	err := c.client.call(ctx, patient, http.MethodPost, c.path("upsert"), body, nil)
	if statusOf(err) == http.StatusRequestEntityTooLarge && len(records) > 1 {
		half := len(records) / 2
		if err := c.write(ctx, records[:half]); err != nil {
			return err
		}
		return c.write(ctx, records[half:])
	}
	return err
}

// hasWords reports whether the collection has the index of words that Winnow
// makes.
func (c *Collection) hasWords() bool {
	if c.Schema == nil {
		return false
	}
	k := c.Schema.Keys[sparseKey]
	return k.Sparse != nil && k.Sparse.Index != nil && k.Sparse.Index.Enabled
}

// remove deletes records by id.
func (c *Collection) remove(ctx context.Context, ids []string) error {
	for first := 0; first < len(ids); first += c.limits.Write {
		some := ids[first:min(first+c.limits.Write, len(ids))]
		if err := c.client.call(ctx, patient, http.MethodPost, c.path("delete"), map[string]any{"ids": some}, nil); err != nil {
			return err
		}
	}
	return nil
}

// where is a filter of one condition.
func where(key, op string, value any) json.RawMessage {
	raw, err := json.Marshal(condition(key, op, value))
	if err != nil {
		panic(fmt.Sprintf("chroma: a filter of %T", value))
	}
	return raw
}
