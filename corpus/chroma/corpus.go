package chroma

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus"
	"github.com/winnow-search/winnow/filter"
	"github.com/winnow-search/winnow/index"
)

// CorpusOptions of a corpus, with a companion or without.
type CorpusOptions struct {
	// Collection is set on every chunk that the corpus returns.
	Collection string
	// Embedder is the one that made the collection's vectors; nil searches words
	// and links alone.
	Embedder winnow.Embedder
	// Weight is that of the dense leg in fusion, beside 1 for words; 0 means 1.
	Weight float64
	// Ranker orders candidates with the dense leg, WordRanker without; nil leaves
	// them in the order of fusion.
	Ranker, WordRanker index.Ranker
	// Reranker scores the best of each search again; nil for none.
	Reranker winnow.Reranker
	// Synonyms and Boosts are those of [index.Request].
	Synonyms map[string][]string
	Boosts   []index.Boost
	// PerDocument bounds the chunks of one document in a search; 0 means no
	// bound. Only a [Remote] has it.
	PerDocument int
}

// Corpus is a collection of a single node with its companion: the companion's
// newest generation, pinned, with the server as its dense leg.
type Corpus struct {
	corpus.Pinned
	collection *Collection
	records    table
	chunkCount int
	synced     time.Time
	near       *near
	o          CorpusOptions
	// until is when the server may be asked again, in nanoseconds: one that just
	// failed to answer is spared, and so is the search.
	until atomic.Int64
}

var _ winnow.Corpus = (*Corpus)(nil)

// spared is how long a server that does not answer is not asked.
const spared = 5 * time.Second

// Open pins the companion's newest generation. The server need not answer.
func (k *Companion) Open(c *Collection, o CorpusOptions) (*Corpus, error) {
	ix, err := index.Open(k.indexDir(c.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: "the collection " + c.Name + " has no companion index yet", Hint: "search it once while the server answers"}
	}
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	s, err := ix.Snapshot()
	if err != nil {
		return nil, err
	}
	st, records, err := stored(s)
	if err != nil {
		s.Close()
		return nil, err
	}
	return &Corpus{Pinned: corpus.Pinned{Snapshot: s, Collection: o.Collection, Reranker: o.Reranker}, collection: c, records: records, chunkCount: s.Info().Chunks, synced: st.Synced, near: newNear(c), o: o}, nil
}

// Coverage is the share of chunks whose vectors the companion has.
func (c *Corpus) Coverage() float64 {
	if c.o.Embedder == nil {
		return 0
	}
	return c.Snapshot.Coverage(c.o.Embedder.Name())
}

// Space is that of the vectors in use, "" without any.
func (c *Corpus) Space() string {
	if c.o.Embedder == nil {
		return ""
	}
	return c.o.Embedder.Name()
}

// Search returns the best chunks for a query.
func (c *Corpus) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	req, said, err := c.request(ctx, q)
	if err != nil {
		return nil, err
	}
	r, err := c.Pinned.Search(ctx, req)
	if err != nil {
		return nil, err
	}
	r.Warnings = append(r.Warnings, *said...)
	return r, nil
}

// request adds to a query what the index needs, the server among it. What goes
// wrong there is said, not fatal.
func (c *Corpus) request(ctx context.Context, q winnow.Query) (req index.Request, said *[]string, err error) {
	said = new([]string)
	req = index.Request{Query: q, Synonyms: c.o.Synonyms, Boosts: c.o.Boosts}
	if q.Rerank != "off" {
		req.Ranker = c.o.WordRanker
	}
	if len(q.Legs) > 0 && !slices.Contains(q.Legs, winnow.LegDense) {
		return req, said, nil
	}
	v, err := corpus.Question(ctx, c.o.Embedder, q.Text)
	switch {
	case ctx.Err() != nil:
		return req, nil, ctx.Err()
	case err != nil:
		*said = append(*said, corpus.WithoutVectors(err))
		return req, said, nil
	case v == nil:
		return req, said, nil
	}
	req.Space, req.Vector, req.Weight = c.o.Embedder.Name(), v, c.o.Weight
	if q.Rerank != "off" {
		req.Ranker = c.o.Ranker
	}
	req.Nearest = func(ctx context.Context, k int, in func(string) bool) ([]string, bool, error) {
		return c.nearest(ctx, &q.Scope, req.Vector, k, in, said)
	}
	return req, said, nil
}

// The numbers that the server is asked for: fixed steps, so that searches can go
// together.
const (
	nearFirst = 64
	nearMost  = 1024
)

// nearest is the dense leg. Exclusions are left out here, by asking for more:
// the server's own filter over ids is ignored on a single node, and one over a
// copy of the id takes ten times as long. Where too much is left out, the
// companion's vectors are scanned, which has every filter inside.
func (c *Corpus) nearest(ctx context.Context, scope *winnow.Scope, v winnow.Vector, k int, in func(string) bool, said *[]string) ([]string, bool, error) {
	if time.Now().UnixNano() < c.until.Load() {
		*said = append(*said, c.spareWarning())
		return nil, false, nil
	}
	q := question{n: nearFirst}
	for q.n < k+len(scope.ExcludeChunks)+len(scope.ExcludeDocuments) {
		q.n *= 2
	}
	if len(scope.Where)+len(scope.WhereDocument) > 0 {
		if err := q.filter(scope); err != nil {
			return nil, false, err
		}
	}
	for ; q.n <= nearMost; q.n *= 4 {
		ids, err := c.near.ask(ctx, q, v)
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if err != nil {
			if winnow.CodeOf(err) == winnow.Unavailable {
				c.until.Store(time.Now().Add(spared).UnixNano())
			}
			*said = append(*said, fmt.Sprintf("the vectors of the companion were searched in place of the server's: %v", err))
			return nil, false, nil
		}
		chunks, unknown := c.chunks(ids, k, in)
		if unknown > 0 {
			*said = append(*said, fmt.Sprintf("%s has records that are newer than its companion of %s; the next question will see them", c.o.Collection, c.synced.Local().Format(time.DateTime)))
		}
		if len(chunks) >= k || len(ids) < q.n {
			// One that has no more in scope has said all, unless its approximate
			// index has lost some: the scan tells.
			return chunks, len(chunks) >= min(k, c.chunkCount), nil
		}
	}
	return nil, false, nil
}

func (c *Corpus) spareWarning() string {
	return "Chroma at " + c.collection.client.address.Server() + " did not answer just now, so the vectors of the companion are searched in its place"
}

// filter has the server apply a scope's filters. They are applied here too, so
// this only saves asking for more.
func (q *question) filter(scope *winnow.Scope) error {
	for _, f := range []struct {
		raw   []byte
		parse func([]byte) (filter.Expr, error)
		to    *string
	}{
		{scope.Where, func(b []byte) (filter.Expr, error) { return filter.Parse(b) }, &q.where},
		{scope.WhereDocument, func(b []byte) (filter.Expr, error) { return filter.ParseDocument(b) }, &q.whereDocument},
	} {
		if len(f.raw) == 0 {
			continue
		}
		e, err := f.parse(f.raw)
		if err != nil {
			return err
		}
		if text := string(filter.JSON(e)); text != "{}" {
			*f.to = text
		}
	}
	return nil
}

// chunks are the companion's of the first k records that are in scope, and how
// many it does not know on the way.
func (c *Corpus) chunks(ids []string, k int, in func(string) bool) (chunks []string, unknown int) {
	chunks = make([]string, 0, k)
	for _, id := range ids {
		if len(chunks) == k {
			break
		}
		e := c.records.find(id)
		if e == nil {
			unknown++
		} else if chunk := e.chunk(); in(chunk) {
			chunks = append(chunks, chunk)
		}
	}
	return chunks, unknown
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

// Read returns a document with the chunks asked for. An id of the server that is
// neither a document's nor a chunk's here is looked up as a record's.
func (c *Corpus) Read(ctx context.Context, q winnow.ReadQuery) (*winnow.Document, error) {
	d, err := c.Pinned.Read(ctx, q)
	if winnow.CodeOf(err) == winnow.NotFound {
		if e := c.records.find(q.ID); e != nil {
			q.ID = e.chunk()
			return c.Pinned.Read(ctx, q)
		}
	}
	return d, err
}

// Neighbours returns what chunks refer to and what refers to them.
func (c *Corpus) Neighbours(ctx context.Context, q winnow.LinkQuery) (*winnow.Neighbours, error) {
	return c.Pinned.Neighbours(ctx, q, c.o.Embedder)
}

// Close releases the generation and the connections.
func (c *Corpus) Close() error {
	c.collection.client.Close()
	return c.Pinned.Close()
}
