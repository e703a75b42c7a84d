// Package local is the embedded engine as a [winnow.Corpus].
//
// An [index.Snapshot] knows chunks and vectors, and nothing about who asks or
// which model made the vectors. This layer adds a name, under which the chunks
// are told apart from those of other corpora, and the models: it embeds the
// question for the best tier that covers the whole snapshot, hands the index the
// ranker trained for that tier, and asks a remote reranker for a second opinion
// where there is one.
package local

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus"
	"github.com/winnow-search/winnow/index"
)

// Options of a corpus.
type Options struct {
	// Collection is set on every chunk that the corpus returns.
	Collection string
	// Tiers are the vector spaces that questions can be asked in, best first. A
	// search uses the first whose vectors cover the whole snapshot, else the
	// last that has any.
	Tiers []Tier
	// Ranker orders candidates where there is no dense leg; nil leaves them in
	// the order of fusion.
	Ranker index.Ranker
	// Reranker scores the best of each search again; nil for none.
	Reranker winnow.Reranker
	// Synonyms and Boosts are those of [index.Request].
	Synonyms map[string][]string
	Boosts   []index.Boost
}

// Tier is a vector space with the ranker trained for it.
type Tier struct {
	Embedder winnow.Embedder
	Ranker   index.Ranker
	// Weight is that of [index.Request].
	Weight float64
}

// Corpus is one pinned generation of an index.
type Corpus struct {
	snapshot *index.Snapshot
	options  Options
	tier     *Tier // nil without vectors
}

var _ winnow.Corpus = (*Corpus)(nil)

// Open pins the newest generation of an index. The index may be closed before
// the corpus is.
func Open(ix *index.Index, o Options) (*Corpus, error) {
	s, err := ix.Snapshot()
	if err != nil {
		return nil, err
	}
	c := &Corpus{snapshot: s, options: o}
	for i := range o.Tiers {
		t := &o.Tiers[i]
		coverage := s.Coverage(t.Embedder.Name())
		if coverage > 0 {
			c.tier = t
		}
		if coverage == 1 {
			break
		}
	}
	return c, nil
}

// Info describes the generation.
func (c *Corpus) Info() index.Info { return c.snapshot.Info() }

// Coverage is the share of chunks that have vectors of the best tier.
func (c *Corpus) Coverage() float64 {
	if len(c.options.Tiers) == 0 {
		return 0
	}
	return c.snapshot.Coverage(c.options.Tiers[0].Embedder.Name())
}

// Search returns the best chunks for a query.
func (c *Corpus) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	again := c.options.Reranker != nil && q.Rerank == ""
	k := q.K
	if again {
		q.K = max(k, corpus.RerankTop)
	}
	req, warnings, err := c.request(ctx, q)
	if err != nil {
		return nil, err
	}
	r, err := c.snapshot.Search(ctx, req)
	if err != nil {
		return nil, err
	}
	r.Warnings = append(r.Warnings, warnings...)
	if len(c.options.Tiers) > 0 && r.Coverage > 0 {
		// What was used is complete, or nearly; what is worth saying is how far
		// the best tier is.
		if r.Coverage = c.Coverage(); r.Coverage < 1 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%.0f %% of %s have vectors of the best model so far; winnow index completes them", 100*r.Coverage, c.options.Collection))
		}
	}
	for i := range r.Hits {
		r.Hits[i].Collection = c.options.Collection
	}
	if again {
		if err := corpus.Rerank(ctx, c.options.Reranker, q.Text, r); err != nil {
			return nil, err
		}
		if k <= 0 {
			k = 10
		}
		r.Hits = r.Hits[:min(k, len(r.Hits))]
	}
	return r, nil
}

// request adds to a query what the index needs: the question's vector and the
// ranker. A model that fails costs the dense leg, not the search.
func (c *Corpus) request(ctx context.Context, q winnow.Query) (req index.Request, warnings []string, err error) {
	req = index.Request{Query: q, Synonyms: c.options.Synonyms, Boosts: c.options.Boosts}
	if q.Rerank != "off" {
		req.Ranker = c.options.Ranker
	}
	if len(q.Legs) > 0 && !slices.Contains(q.Legs, winnow.LegDense) {
		return req, nil, nil
	}
	space, v, err := c.embed(ctx, q.Text)
	switch {
	case ctx.Err() != nil:
		return req, nil, ctx.Err()
	case err != nil:
		warnings = append(warnings, fmt.Sprintf("searched without vectors: %v", err))
	case v != nil:
		req.Space, req.Vector, req.Weight = space, v, c.tier.Weight
		if q.Rerank != "off" {
			req.Ranker = c.tier.Ranker
		}
	}
	return req, warnings, nil
}

// embed returns the question's vector in the tier in use; nil without one.
func (c *Corpus) embed(ctx context.Context, text string) (space string, v winnow.Vector, err error) {
	if c.tier == nil || text == "" {
		return "", nil, nil
	}
	vs, err := c.tier.Embedder.Embed(ctx, []string{text})
	if err != nil || len(vs) == 0 || len(vs[0]) == 0 {
		return "", nil, err
	}
	return c.tier.Embedder.Name(), mean(vs[0]), nil
}

// mean unites the windows of a long question. The index normalises it.
func mean(windows []winnow.Vector) winnow.Vector {
	if len(windows) == 1 {
		return windows[0]
	}
	sum := make(winnow.Vector, len(windows[0]))
	for _, w := range windows {
		for i, x := range w {
			sum[i] += x
		}
	}
	return sum
}

// Space is that of the vectors in use, "" without any.
func (c *Corpus) Space() string {
	if c.tier == nil {
		return ""
	}
	return c.tier.Embedder.Name()
}

// Ranked is the same corpus with another ranker, for as long as the corpus is
// open: to see what a ranker in training is worth. It is not closed by itself.
func (c *Corpus) Ranked(r index.Ranker) *Corpus {
	out := *c
	out.options.Ranker = r
	if c.tier != nil {
		tier := *c.tier
		tier.Ranker = r
		out.tier = &tier
	}
	return &out
}

// Candidates returns all candidates of a query with their features, best first
// by fusion: what a ranker is trained on.
func (c *Corpus) Candidates(ctx context.Context, q winnow.Query) ([]winnow.Hit, error) {
	req, _, err := c.request(ctx, q)
	if err != nil {
		return nil, err
	}
	return c.snapshot.Candidates(ctx, req)
}

// Why follows a document through a search.
func (c *Corpus) Why(ctx context.Context, q winnow.Query, document string) (*index.Why, error) {
	req, _, err := c.request(ctx, q)
	if err != nil {
		return nil, err
	}
	return c.snapshot.Why(ctx, req, document)
}

// Grep returns the lines that match a pattern.
func (c *Corpus) Grep(ctx context.Context, q winnow.GrepQuery) (*winnow.Matches, error) {
	m, err := c.snapshot.Grep(ctx, q)
	if err != nil {
		return nil, err
	}
	for i := range m.Matches {
		m.Matches[i].Chunk.Collection = c.options.Collection
	}
	return m, nil
}

// Read returns a document with the chunks asked for.
func (c *Corpus) Read(ctx context.Context, q winnow.ReadQuery) (*winnow.Document, error) {
	d, err := c.snapshot.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	for i := range d.Chunks {
		d.Chunks[i].Collection = c.options.Collection
	}
	return d, nil
}

// Neighbours returns what chunks refer to and what refers to them.
func (c *Corpus) Neighbours(ctx context.Context, q winnow.LinkQuery) ([]winnow.Neighbour, error) {
	space, v, err := c.embed(ctx, q.Question)
	if err != nil {
		space, v = "", nil // links need no vectors
	}
	ns, err := c.snapshot.Neighbours(ctx, index.LinkRequest{LinkQuery: q, Space: space, Vector: v})
	if err != nil {
		return nil, err
	}
	for i := range ns {
		ns[i].Collection = c.options.Collection
	}
	return ns, nil
}

// Describe tells what there is to filter by.
func (c *Corpus) Describe(ctx context.Context) (*winnow.Description, error) {
	return c.snapshot.Describe(ctx)
}

// Close releases the generation.
func (c *Corpus) Close() error { return c.snapshot.Close() }
