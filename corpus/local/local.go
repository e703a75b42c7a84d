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
	corpus.Pinned
	options Options
	tier    *Tier // nil without vectors
}

var _ winnow.Corpus = (*Corpus)(nil)

// Open pins the newest generation of an index. The index may be closed before
// the corpus is.
func Open(ix *index.Index, o Options) (*Corpus, error) {
	s, err := ix.Snapshot()
	if err != nil {
		return nil, err
	}
	c := &Corpus{Pinned: corpus.Pinned{Snapshot: s, Collection: o.Collection, Reranker: o.Reranker}, options: o}
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

// Coverage is the share of chunks that have vectors of the best tier.
func (c *Corpus) Coverage() float64 {
	if len(c.options.Tiers) == 0 {
		return 0
	}
	return c.Snapshot.Coverage(c.options.Tiers[0].Embedder.Name())
}

// Search returns the best chunks for a query.
func (c *Corpus) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	req, warnings, err := c.request(ctx, q)
	if err != nil {
		return nil, err
	}
	r, err := c.Pinned.Search(ctx, req)
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
	return r, nil
}

// request adds to a query what the index needs: the question's vector and the
// ranker.
func (c *Corpus) request(ctx context.Context, q winnow.Query) (req index.Request, warnings []string, err error) {
	req = index.Request{Query: q, Synonyms: c.options.Synonyms, Boosts: c.options.Boosts}
	if q.Rerank != "off" {
		req.Ranker = c.options.Ranker
	}
	if len(q.Legs) > 0 && !slices.Contains(q.Legs, winnow.LegDense) {
		return req, nil, nil
	}
	v, err := corpus.Question(ctx, c.embedder(), q.Text)
	switch {
	case ctx.Err() != nil:
		return req, nil, ctx.Err()
	case err != nil:
		warnings = append(warnings, corpus.WithoutVectors(err))
	case v != nil:
		req.Space, req.Vector, req.Weight = c.Space(), v, c.tier.Weight
		if q.Rerank != "off" {
			req.Ranker = c.tier.Ranker
		}
	}
	return req, warnings, nil
}

// embedder is that of the tier in use, nil without vectors.
func (c *Corpus) embedder() winnow.Embedder {
	if c.tier == nil {
		return nil
	}
	return c.tier.Embedder
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
	return c.Snapshot.Candidates(ctx, req)
}

// Why follows a document through a search.
func (c *Corpus) Why(ctx context.Context, q winnow.Query, document string) (*index.Why, error) {
	req, _, err := c.request(ctx, q)
	if err != nil {
		return nil, err
	}
	return c.Snapshot.Why(ctx, req, document)
}

// Neighbours returns what chunks refer to and what refers to them.
func (c *Corpus) Neighbours(ctx context.Context, q winnow.LinkQuery) (*winnow.Neighbours, error) {
	return c.Pinned.Neighbours(ctx, q, c.embedder())
}
