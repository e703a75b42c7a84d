package index

import (
	"context"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/segment"
)

const defaultK = 10

// Search answers a query with the best chunks in scope.
func (s *Snapshot) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	denied, err := s.deny(&q.Scope)
	if err != nil {
		return nil, err
	}
	terms, err := s.queryTerms(q.Text)
	if err != nil {
		return nil, err
	}
	k := q.K
	if k <= 0 {
		k = defaultK
	}
	best, err := s.bm25(terms, k, denied)
	if err != nil {
		return nil, err
	}
	out := &winnow.Results{Hits: make([]winnow.Hit, len(best)), Warnings: []string{}}
	for i, b := range best {
		h := &out.Hits[i]
		if h.Chunk, err = s.chunk(ref{b.Segment, b.Ord}); err != nil {
			return nil, err
		}
		h.Score = b.Score
		if q.Explain {
			h.Legs = []winnow.LegScore{{Leg: winnow.LegBM25, Rank: i + 1, Score: b.Score}}
			if h.Matched, err = s.segments[b.Segment].lex.Matched(nil, terms, b.Ord); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Ranked is a chunk's id with its score.
type Ranked struct {
	ID    string
	Score float64
}

// TopBM25 returns ids and scores only, for callers that need no text.
func (s *Snapshot) TopBM25(text string, k int, scope winnow.Scope) ([]Ranked, error) {
	denied, err := s.deny(&scope)
	if err != nil {
		return nil, err
	}
	terms, err := s.queryTerms(text)
	if err != nil {
		return nil, err
	}
	best, err := s.bm25(terms, k, denied)
	if err != nil {
		return nil, err
	}
	out := make([]Ranked, len(best))
	for i, b := range best {
		id, err := s.chunkID(ref{b.Segment, b.Ord})
		if err != nil {
			return nil, err
		}
		out[i] = Ranked{id, b.Score}
	}
	return out, nil
}

func (g *generation) chunkID(r ref) (string, error) {
	s := g.segments[r.seg]
	d := s.owner.Int(int(r.ord))
	id, err := s.id(d)
	return winnow.ChunkID(id, int(r.ord-s.first.At(d))), err
}

// queryTerms weighs the terms of a text over the live chunks.
func (g *generation) queryTerms(text string) ([]bm25.Term, error) {
	var terms []bm25.Term
	for _, t := range g.analyzer.QueryTerms(text) {
		df, err := g.documentFrequency(t)
		if err != nil {
			return nil, err
		}
		if df > 0 {
			terms = append(terms, bm25.Term{Text: t, DF: df, IDF: bm25.IDF(g.stats.Chunks, df)})
		}
	}
	bm25.Order(terms)
	return terms, nil
}

func (g *generation) documentFrequency(term string) (int, error) {
	if df, ok := g.df.Load(term); ok {
		return df.(int), nil
	}
	total, walked := 0, false
	for _, s := range g.segments {
		df, err := s.lex.DF(term, s.dead)
		if err != nil {
			return 0, err
		}
		total += df
		walked = walked || s.dead != nil
	}
	if walked {
		g.df.Store(term, total)
	}
	return total, nil
}

// bm25 returns the k best chunks that are not denied; ties go by document id,
// then by ordinal.
func (g *generation) bm25(terms []bm25.Term, k int, denied []segment.Bits) ([]bm25.Scored, error) {
	top := bm25.Top{K: k, Before: func(a, b bm25.Scored) bool {
		sa, sb := g.segments[a.Segment], g.segments[b.Segment]
		x, _ := sa.id(sa.owner.Int(int(a.Ord)))
		y, _ := sb.id(sb.owner.Int(int(b.Ord)))
		return x < y
	}}
	for i, s := range g.segments {
		top.Segment = i
		if err := s.lex.Search(terms, g.norms, denied[i], &top); err != nil {
			return nil, err
		}
	}
	return top.Sorted(), nil
}
