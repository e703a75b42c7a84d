package chroma

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus"
)

// Remote is a collection whose server fuses words and vectors itself. It keeps
// nothing here, so any number of processes give the same answers; and it sees
// writes at once, so it is pinned only as long as nobody writes.
type Remote struct {
	collection *Collection
	layout     Layout
	words      string   // the key of the sparse index, "" without one
	code       wordCode // of that index
	o          CorpusOptions
}

var _ winnow.Corpus = (*Remote)(nil)

// OpenRemote opens a collection of a server that has the Search API. The part of
// the layout that is not known is guessed from the first records.
func OpenRemote(ctx context.Context, c *Collection, known Layout, o CorpusOptions) (*Remote, error) {
	r := &Remote{collection: c, o: o}
	if !c.limits.Search {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "Chroma at " + c.client.address.Server() + " has no Search API",
			Hint: "chroma.mode: companion, which is the default there"}
	}
	sample, err := c.get(ctx, selection{Limit: min(guessed, c.limits.Page), Include: []string{withMetadata}})
	if err != nil {
		return nil, err
	}
	r.layout = known.guess(sample)
	if c.Schema != nil {
		for key, k := range c.Schema.Keys {
			if k.Sparse == nil || k.Sparse.Index == nil || !k.Sparse.Index.Enabled {
				continue
			}
			if code, ok := bm25Of(k.Sparse.Index.Config.Function); ok && (r.words == "" || key < r.words) {
				r.words, r.code = key, code
			}
		}
	}
	return r, nil
}

// Coverage is 1: the server has a vector for every record.
func (r *Remote) Coverage() float64 {
	if r.o.Embedder == nil {
		return 0
	}
	return 1
}

const (
	defaultK = 10
	// candidates is how many times the results each list holds.
	candidates = 4
	leastList  = 100
)

// Search returns the best chunks for a query.
func (r *Remote) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	out := &winnow.Results{Hits: []winnow.Hit{}, Coverage: r.Coverage(), Warnings: []string{}}
	lists, weights, err := r.lists(ctx, q, out)
	if err != nil || len(lists) == 0 {
		return out, err
	}
	scope, err := r.scope(&q.Scope)
	if err != nil {
		return nil, err
	}
	k := q.K
	if k <= 0 {
		k = defaultK
	}
	again := r.o.Reranker != nil && q.Rerank == ""
	want := k
	if again {
		want = max(k, corpus.RerankTop)
	}
	if err := r.gather(ctx, q, scope, lists, weights, want, out); err != nil {
		return nil, err
	}
	if again {
		if err := corpus.Rerank(ctx, r.o.Reranker, q.Text, out); err != nil {
			return nil, err
		}
	}
	out.Hits = out.Hits[:min(k, len(out.Hits))]
	return out, nil
}

// leg names of the lists, in their order.
func legOf(l knn) winnow.Leg {
	if l.Key == keyEmbedding {
		return winnow.LegDense
	}
	return winnow.LegBM25
}

// lists are the legs of a query, without their limits.
func (r *Remote) lists(ctx context.Context, q winnow.Query, out *winnow.Results) (lists []knn, weights []float64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	uses := func(l winnow.Leg) bool { return len(q.Legs) == 0 || slices.Contains(q.Legs, l) }
	if uses(winnow.LegBM25) {
		if r.words == "" {
			out.Warnings = append(out.Warnings, r.o.Collection+" has no index of words; collections that winnow index --to makes have one")
		} else if code := r.code.encode(q.Text); len(code.Indices) > 0 {
			lists, weights = append(lists, knn{Query: code, Key: r.words}), append(weights, 1)
		}
	}
	// An empty collection has no dimension yet, and refuses vectors of any.
	if uses(winnow.LegDense) && r.collection.Dimension > 0 && strings.TrimSpace(q.Text) != "" {
		v, err := corpus.Question(ctx, r.o.Embedder, q.Text)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			out.Warnings = append(out.Warnings, corpus.WithoutVectors(err))
		case v != nil:
			lists, weights = append(lists, knn{Query: v, Key: keyEmbedding}), append(weights, cmp.Or(r.o.Weight, 1))
		}
	}
	return lists, weights, nil
}

// gather asks page by page until there are enough hits in scope. A glob over
// paths is the one thing that the server can't apply.
func (r *Remote) gather(ctx context.Context, q winnow.Query, s remoteScope, lists []knn, weights []float64, want int, out *winnow.Results) error {
	page := min(want, r.collection.limits.Page)
	if s.glob != nil {
		page = r.collection.limits.Page
	}
	seen := map[string]bool{}
	for offset := 0; len(out.Hits) < want; offset += page {
		depth := max(candidates*(offset+page), leastList)
		for i := range lists {
			lists[i].Limit = depth
		}
		p := searchPayload{Filter: s.filter, Rank: fused(lists, weights), Limit: searchLimit{Offset: offset, Limit: page},
			Select: searchSelect{Keys: []string{keyDocument, keyMetadata, keyScore}}}
		if r.o.PerDocument > 0 && r.layout.Document != "" {
			p.GroupBy = bestOf(r.layout.Document, r.o.PerDocument)
		}
		got, err := r.collection.search(ctx, p)
		if err != nil {
			return err
		}
		// Equal scores come in any order from a server of several parts.
		slices.SortStableFunc(got[0], func(a, b found) int { return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.ID, b.ID)) })
		for i := range got[0] {
			f := &got[0][i]
			c := r.chunk(&f.Record)
			if seen[f.ID] || s.glob != nil && !s.glob.Match(cmp.Or(c.Path, c.Document)) {
				continue
			}
			seen[f.ID] = true
			out.Hits = append(out.Hits, winnow.Hit{Chunk: c, Score: -f.score})
		}
		if len(got[0]) < page {
			break
		}
	}
	out.Hits = out.Hits[:min(want, len(out.Hits))]
	if q.Explain {
		return r.explain(ctx, s, lists, out)
	}
	return nil
}

// explain asks for each leg alone, all in one request.
func (r *Remote) explain(ctx context.Context, s remoteScope, lists []knn, out *winnow.Results) error {
	var asks []searchPayload
	for _, l := range lists {
		l.Default = absent
		asks = append(asks, searchPayload{Filter: s.filter, Rank: map[string]any{"$knn": l},
			Limit: searchLimit{Limit: r.collection.limits.Page}, Select: searchSelect{Keys: []string{keyScore}}})
	}
	legs, err := r.collection.search(ctx, asks...)
	if err != nil {
		return err
	}
	for i := range out.Hits {
		h := &out.Hits[i]
		for j, leg := range legs {
			if at := slices.IndexFunc(leg, func(f found) bool { return f.ID == h.ID }); at >= 0 {
				h.Legs = append(h.Legs, winnow.LegScore{Leg: legOf(lists[j]), Rank: at + 1, Score: -leg[at].score})
			}
		}
		h.Legs = append(h.Legs, winnow.LegScore{Leg: "fusion", Rank: i + 1, Score: h.Score})
	}
	return nil
}

// chunk is a record as a chunk. Its id is the record's: there is no table here
// that could lead from another one back to it.
func (r *Remote) chunk(rec *Record) winnow.Chunk {
	document, ordinal, _ := r.layout.place(rec)
	d := r.layout.document(document, []Record{*rec})
	c := d.Chunks[0]
	c.ID, c.Document, c.Ordinal, c.Collection = rec.ID, document, int(ordinal), r.o.Collection
	return c
}

// Close closes idle connections.
func (r *Remote) Close() error {
	r.collection.client.Close()
	return nil
}
