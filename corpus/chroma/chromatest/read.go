package chromatest

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"slices"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
)

func (s *Server) get(c *collection, r *http.Request) (any, error) {
	var in struct {
		IDs           []string        `json:"ids"`
		Where         json.RawMessage `json:"where"`
		WhereDocument json.RawMessage `json:"where_document"`
		Limit         int             `json:"limit"`
		Offset        int             `json:"offset"`
		Include       []string        `json:"include"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if s.cloud && in.Limit > maxResults {
		return nil, quota("Number of results", in.Limit, maxResults)
	}
	passes, err := s.filter(in.Where, in.WhereDocument)
	if err != nil {
		return nil, err
	}
	var found []*stored
	for _, o := range c.records {
		if (in.IDs == nil || slices.Contains(in.IDs, o.id)) && passes(o) {
			found = append(found, o)
		}
	}
	found = found[min(in.Offset, len(found)):]
	if in.Limit > 0 {
		found = found[:min(in.Limit, len(found))]
	}
	if s.cloud && len(found) > maxResults {
		found = found[:maxResults]
	}
	out := map[string]any{"include": in.Include, "uris": nil}
	ids := []string{}
	documents, metadatas, vectors := []*string{}, []map[string]any{}, [][]float64{}
	for _, o := range found {
		ids = append(ids, o.id)
		documents, metadatas, vectors = append(documents, o.document), append(metadatas, o.metadata), append(vectors, o.vector)
	}
	out["ids"] = ids
	for _, what := range in.Include {
		switch what {
		case "documents":
			out[what] = documents
		case "metadatas":
			out[what] = metadatas
		case "embeddings":
			out[what] = vectors
		default:
			return nil, bad("include %s", what)
		}
	}
	return out, nil
}

func (s *Server) query(c *collection, r *http.Request) (any, error) {
	var in struct {
		Vectors       [][]float64     `json:"query_embeddings"`
		N             int             `json:"n_results"`
		Where         json.RawMessage `json:"where"`
		WhereDocument json.RawMessage `json:"where_document"`
		Include       []string        `json:"include"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	passes, err := s.filter(in.Where, in.WhereDocument)
	if err != nil {
		return nil, err
	}
	if in.N < 1 || len(in.Vectors) == 0 || !slices.Equal(in.Include, []string{"distances"}) {
		return nil, bad("a query for %d results of %d vectors with %v", in.N, len(in.Vectors), in.Include)
	}
	ids, distances := [][]string{}, [][]float64{}
	for _, v := range in.Vectors {
		if c.dimension > 0 && len(v) != c.dimension {
			return nil, bad("Collection expecting embedding with dimension of %d, got %d", c.dimension, len(v))
		}
		near := nearest(c.records, passes, func(o *stored) float64 { return 1 - cosine(v, o.vector) }, in.N)
		list, far := []string{}, []float64{}
		for _, n := range near {
			list, far = append(list, n.id), append(far, n.score)
		}
		ids, distances = append(ids, list), append(distances, far)
	}
	return map[string]any{"ids": ids, "distances": distances, "include": in.Include}, nil
}

type scored struct {
	*stored
	score float64
}

// nearest are the n records with the lowest scores.
func nearest(records []*stored, passes func(*stored) bool, score func(*stored) float64, n int) []scored {
	var all []scored
	for _, o := range records {
		if passes(o) {
			all = append(all, scored{o, score(o)})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	return all[:min(n, len(all))]
}

func cosine(a, b []float64) float64 {
	dot, x, y := 0.0, 0.0, 0.0
	for i := range a {
		dot += a[i] * b[i]
		x += a[i] * a[i]
		y += b[i] * b[i]
	}
	if x == 0 || y == 0 {
		return 0
	}
	return dot / math.Sqrt(x*y)
}

// filter is that of the calls a single node has too.
func (s *Server) filter(where, whereDocument json.RawMessage) (func(*stored) bool, error) {
	all := filter.And{}
	for _, f := range []struct {
		raw   json.RawMessage
		parse func(json.RawMessage) (filter.Expr, error)
	}{{where, filter.Parse}, {whereDocument, filter.ParseDocument}} {
		if len(f.raw) == 0 || string(f.raw) == "null" {
			continue
		}
		e, err := f.parse(f.raw)
		if err != nil {
			return nil, bad("%v", err)
		}
		all = append(all, e)
	}
	return func(o *stored) bool { return filter.Match(all, metadataOf(o), text(o)) }, nil
}

func text(o *stored) string {
	if o.document == nil {
		return ""
	}
	return *o.document
}

func metadataOf(o *stored) winnow.Metadata {
	m := winnow.Metadata{}
	for k, v := range o.metadata {
		switch v := v.(type) {
		case json.Number:
			if n, err := v.Int64(); err == nil {
				m[k] = n
			} else if f, err := v.Float64(); err == nil {
				m[k] = f
			}
		case string, bool:
			m[k] = v
		}
	}
	return m
}
