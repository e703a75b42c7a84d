package corpus

import (
	"context"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

// Pinned is a generation of an index as every corpus over one has it: what comes
// out of it carries the name of the collection, and a reranker has its say.
// Which models ask, and who answers the dense leg, is up to the corpus that
// embeds it.
type Pinned struct {
	Snapshot *index.Snapshot
	// Collection is set on every chunk that is returned.
	Collection string
	// Reranker scores the best of each search again; nil for none.
	Reranker winnow.Reranker
}

// Info describes the generation.
func (p *Pinned) Info() index.Info { return p.Snapshot.Info() }

// Search returns the best chunks for a request.
func (p *Pinned) Search(ctx context.Context, req index.Request) (*winnow.Results, error) {
	k := req.K
	if k <= 0 {
		k = defaultK
	}
	again := p.Reranker != nil && req.Rerank == ""
	if again {
		req.K = max(k, RerankTop)
	}
	r, err := p.Snapshot.Search(ctx, req)
	if err != nil {
		return nil, err
	}
	for i := range r.Hits {
		r.Hits[i].Collection = p.Collection
	}
	if again {
		if err := Rerank(ctx, p.Reranker, req.Text, r); err != nil {
			return nil, err
		}
	}
	r.Hits = r.Hits[:min(k, len(r.Hits))]
	return r, nil
}

// Grep returns the lines that match a pattern.
func (p *Pinned) Grep(ctx context.Context, q winnow.GrepQuery) (*winnow.Matches, error) {
	m, err := p.Snapshot.Grep(ctx, q)
	if err != nil {
		return nil, err
	}
	for i := range m.Matches {
		m.Matches[i].Chunk.Collection = p.Collection
	}
	return m, nil
}

// Read returns a document with the chunks asked for.
func (p *Pinned) Read(ctx context.Context, q winnow.ReadQuery) (*winnow.Document, error) {
	d, err := p.Snapshot.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	for i := range d.Chunks {
		d.Chunks[i].Collection = p.Collection
	}
	return d, nil
}

// Neighbours returns what chunks refer to and what refers to them, ranked by an
// embedder's vector of the question where there is one. Links need no vectors,
// so a model that fails costs their order and not the links.
func (p *Pinned) Neighbours(ctx context.Context, q winnow.LinkQuery, e winnow.Embedder) (*winnow.Neighbours, error) {
	out := &winnow.Neighbours{Warnings: []string{}}
	req := index.LinkRequest{LinkQuery: q}
	v, err := Question(ctx, e, q.Question)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		out.Warnings = append(out.Warnings, WithoutVectors(err))
	case v != nil:
		req.Space, req.Vector = e.Name(), v
	}
	if out.Neighbours, err = p.Snapshot.Neighbours(ctx, req); err != nil {
		return nil, err
	}
	for i := range out.Neighbours {
		out.Neighbours[i].Collection = p.Collection
	}
	return out, nil
}

// Describe tells what there is to filter by.
func (p *Pinned) Describe(ctx context.Context) (*winnow.Description, error) {
	return p.Snapshot.Describe(ctx)
}

// Close releases the generation.
func (p *Pinned) Close() error { return p.Snapshot.Close() }
