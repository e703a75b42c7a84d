package index

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/segment"
	"github.com/winnow-search/winnow/index/vector"
)

const defaultK = 10

// Request is a query with what the index needs beside it.
type Request struct {
	winnow.Query
	// Space and Vector are the question in the space that the dense leg uses.
	// Without a vector there is no dense leg.
	Space  string
	Vector winnow.Vector
	// Weight is that of the dense leg in fusion, beside 1 for words; 0 means 1.
	// A weak space needs less.
	Weight float64
	// Nearest, where it is set, answers the dense leg from elsewhere; nil scans
	// the index's own vectors, which every other use of the vector does.
	Nearest Nearest
	// Ranker orders the candidates by their [Features]; nil leaves them in the
	// order of fusion.
	Ranker Ranker
	// Synonyms are further terms for words of the question.
	Synonyms map[string][]string
	// Boosts raise or lower what passes a filter.
	Boosts []Boost
}

// Nearest returns the ids of the k chunks nearest to the question, best first,
// of those that are in scope. With ok false it could not, and the index's own
// vectors are scanned; an error ends the search.
type Nearest func(ctx context.Context, k int, inScope func(chunk string) bool) (chunks []string, ok bool, err error)

// Ranker scores rows of features, higher is better.
type Ranker interface {
	Scores(rows [][]float32) []float64
}

// Unranked is a ranker that has no opinion: it gives every candidate its
// features and leaves the order to fusion.
var Unranked Ranker = unranked{}

type unranked struct{}

func (unranked) Scores(rows [][]float32) []float64 { return make([]float64, len(rows)) }

// PoolSize is the most candidates a search ranks.
const PoolSize = poolMax

// Boost multiplies the score of what passes a filter; to a ranker's score,
// which has no zero, it adds the logarithm.
type Boost struct {
	Where  json.RawMessage `json:"where" yaml:"where"`
	Factor float64         `json:"factor" yaml:"factor"`
}

// Search answers a request with the best chunks in scope.
func (s *Snapshot) Search(ctx context.Context, r Request) (*winnow.Results, error) {
	ranked, err := s.rank(ctx, &r)
	if err != nil {
		return nil, err
	}
	out := &winnow.Results{Hits: make([]winnow.Hit, len(ranked.best)), Warnings: []string{}}
	if ranked.meaning != nil {
		out.Coverage = s.Coverage(r.Space)
	}
	for i, b := range ranked.best {
		h := &out.Hits[i]
		if h.Chunk, err = s.chunk(b.ref); err != nil {
			return nil, err
		}
		h.Score, h.Features = b.score, b.features
		if r.Explain {
			h.Legs = ranked.legs(b.ref)
			if h.Matched, err = s.segments[b.seg].lex.Matched(nil, ranked.terms, b.ord); err != nil {
				return nil, err
			}
		}
	}
	return out, s.fault()
}

// Candidates returns all candidates of a request with their features, best first
// by fusion: what a ranker is trained on.
func (s *Snapshot) Candidates(ctx context.Context, r Request) ([]winnow.Hit, error) {
	r.Ranker, r.K = Unranked, PoolSize
	found, err := s.Search(ctx, r)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found.Hits, func(h winnow.Hit) bool { return h.Features == nil }), nil
}

// Ranked is a chunk's id with its score.
type Ranked struct {
	ID    string
	Score float64
}

// Top is Search for callers that need ids and scores only.
func (s *Snapshot) Top(ctx context.Context, r Request) ([]Ranked, error) {
	ranked, err := s.rank(ctx, &r)
	if err != nil {
		return nil, err
	}
	out := make([]Ranked, len(ranked.best))
	for i, b := range ranked.best {
		id, err := s.chunkID(b.ref)
		if err != nil {
			return nil, err
		}
		out[i] = Ranked{id, b.score}
	}
	return out, s.fault()
}

func (g *generation) chunkID(r ref) (string, error) {
	s := g.segments[r.seg]
	d := s.owner.Int(int(r.ord))
	id, err := s.id(d)
	return winnow.ChunkID(id, int(r.ord-s.first.At(d))), err
}

// placed is a chunk in a ranking.
type placed struct {
	ref
	score    float64
	features []float32
}

// ranking is the outcome of a search before texts are loaded, with the stages
// it went through.
type ranking struct {
	terms   []bm25.Term
	denied  []segment.Bits
	lexical []bm25.Scored
	dense   []bm25.Scored
	meaning *dense
	pool    *pool // nil without links
	fused   []placed
	boosted map[ref]float64
	best    []placed
}

func (s *Snapshot) rank(ctx context.Context, r *Request) (*ranking, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &ranking{}
	var err error
	if out.denied, err = s.deny(&r.Scope); err != nil {
		return nil, err
	}
	if out.terms, err = s.queryTerms(r.Text, r.Synonyms); err != nil {
		return nil, err
	}
	k := r.K
	if k <= 0 {
		k = defaultK
	}
	// A single leg needs no more than it returns.
	depth := max(k, legTop)
	uses := func(l winnow.Leg) bool { return len(r.Legs) == 0 || slices.Contains(r.Legs, l) }
	withDense := uses(winnow.LegDense) && len(r.Vector) > 0
	withLinks := uses(winnow.LegLinks) && (r.Ranker != nil || len(r.Legs) > 0)
	if !withLinks && !(withDense && uses(winnow.LegBM25)) && len(r.Boosts) == 0 {
		depth = k
	}
	if uses(winnow.LegBM25) {
		if out.lexical, err = s.bm25(out.terms, depth, out.denied); err != nil {
			return nil, err
		}
	}
	if withDense {
		out.meaning = &dense{generation: s.generation, space: r.Space, query: vector.NewQuery(r.Vector)}
		if out.dense, err = s.nearest(ctx, r.Nearest, out.meaning, depth, out.denied); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if withLinks {
		out.pool = &pool{graph: graph{generation: s.generation, denied: out.denied}, terms: out.terms}
		if out.meaning != nil {
			out.pool.meaning = out.meaning
		}
		if err := out.pool.gather(r.Text, out.lexical[:min(len(out.lexical), legTop)], out.dense[:min(len(out.dense), legTop)]); err != nil {
			return nil, err
		}
	}
	out.fused = s.fuse(out, cmp.Or(r.Weight, 1))
	out.best = out.fused
	if withLinks && r.Ranker != nil {
		if out.best, err = s.rerank(out, r.Ranker); err != nil {
			return nil, err
		}
	}
	if out.meaning != nil && out.meaning.err != nil {
		return nil, out.meaning.err
	}
	if len(r.Boosts) > 0 {
		if err := s.boost(out, r); err != nil {
			return nil, err
		}
	}
	out.best = out.best[:min(len(out.best), k)]
	return out, s.fault()
}

// queryTerms weighs the terms of a text over the live chunks. A term that the
// question says twice counts twice; a synonym counts half.
func (g *generation) queryTerms(text string, synonyms map[string][]string) ([]bm25.Term, error) {
	counts := map[string]float64{}
	for _, t := range g.analyzer.QueryTerms(text) {
		counts[t]++
	}
	others := map[string]float64{}
	for word, list := range synonyms {
		if !slices.ContainsFunc(g.analyzer.QueryTerms(word), func(t string) bool { return counts[t] > 0 }) {
			continue
		}
		for _, o := range list {
			for _, t := range g.analyzer.QueryTerms(o) {
				others[t] = 0.5
			}
		}
	}
	for t, n := range others {
		if counts[t] == 0 {
			counts[t] = n
		}
	}
	terms := make([]bm25.Term, 0, len(counts))
	for t, n := range counts {
		df, err := g.documentFrequency(t)
		if err != nil {
			return nil, err
		}
		if df > 0 {
			terms = append(terms, bm25.Term{Text: t, DF: df, IDF: n * bm25.IDF(g.stats.Chunks, df)})
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

// before orders chunks of equal score: by document id, then by ordinal.
func (g *generation) before(a, b ref) bool {
	if a.seg == b.seg {
		return a.ord < b.ord
	}
	sa, sb := g.segments[a.seg], g.segments[b.seg]
	x, _ := sa.id(sa.owner.Int(int(a.ord)))
	y, _ := sb.id(sb.owner.Int(int(b.ord)))
	return x < y
}

func (g *generation) top(k int) bm25.Top {
	return bm25.Top{K: k, Before: func(a, b bm25.Scored) bool {
		return g.before(ref{a.Segment, a.Ord}, ref{b.Segment, b.Ord})
	}}
}

// bm25 returns the k best chunks that are not denied.
func (g *generation) bm25(terms []bm25.Term, k int, denied []segment.Bits) ([]bm25.Scored, error) {
	top := g.top(k)
	for i, s := range g.segments {
		top.Segment = i
		if err := s.lex.Search(terms, g.norms, denied[i], &top); err != nil {
			return nil, err
		}
	}
	return top.Sorted(), nil
}

// nearest returns the k chunks nearest in meaning that are not denied.
func (g *generation) nearest(ctx context.Context, elsewhere Nearest, d *dense, k int, denied []segment.Bits) ([]bm25.Scored, error) {
	if elsewhere != nil {
		out, ok, err := g.elsewhere(ctx, elsewhere, d, k, denied)
		if ok || err != nil {
			return out, err
		}
	}
	top := g.top(k)
	var parts []vector.Part
	for i := range g.segments {
		if c := d.column(i); c != nil {
			parts = append(parts, vector.Part{Column: c, Segment: i, Deny: denied[i]})
		}
	}
	if err := vector.Search(d.query, parts, &top); err != nil {
		return nil, err
	}
	return top.Sorted(), nil
}

// elsewhere asks for the nearest chunks and finds them here.
func (g *generation) elsewhere(ctx context.Context, ask Nearest, d *dense, k int, denied []segment.Bits) (out []bm25.Scored, ok bool, err error) {
	refs := map[string]ref{}
	var fault error
	ids, ok, err := ask(ctx, k, func(id string) bool {
		r, found, err := g.findChunk(id)
		if err != nil {
			fault = err
		}
		if !found || err != nil || denied[r.seg] != nil && denied[r.seg].Has(r.ord) {
			return false
		}
		refs[id] = r
		return true
	})
	if err == nil {
		err = fault
	}
	if !ok || err != nil {
		return nil, false, err
	}
	for _, id := range ids {
		if r, found := refs[id]; found && len(out) < k {
			delete(refs, id) // each once
			out = append(out, bm25.Scored{Segment: r.seg, Ord: r.ord, Score: d.cos(r)})
		}
	}
	return out, true, nil
}

// rerank puts the pool in the ranker's order; what only the legs met beyond the
// pool follows in the order of fusion.
func (s *Snapshot) rerank(r *ranking, ranker Ranker) ([]placed, error) {
	rows, err := r.pool.features()
	if err != nil {
		return nil, err
	}
	scores := ranker.Scores(rows)
	if ranker == Unranked {
		at := make(map[ref]int, len(r.fused))
		for i, f := range r.fused {
			at[f.ref] = len(r.fused) - i
		}
		for i, c := range r.pool.all {
			scores[i] = float64(at[c.ref])
		}
	}
	best := make([]placed, len(rows), len(rows)+len(r.fused))
	low := math.Inf(1)
	for i, c := range r.pool.all {
		best[i] = placed{ref: c.ref, score: scores[i], features: rows[i]}
		low = min(low, scores[i])
	}
	s.sort(best)
	for _, f := range r.fused {
		if r.pool.byRef[f.ref] == nil {
			low-- // below what was ranked, in order
			best = append(best, placed{ref: f.ref, score: low})
		}
	}
	return best, nil
}

func (g *generation) sort(list []placed) {
	slices.SortFunc(list, func(a, b placed) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		if g.before(a.ref, b.ref) {
			return -1
		}
		return 1
	})
}

// boost applies the request's boosts.
func (s *Snapshot) boost(r *ranking, req *Request) error {
	r.boosted = map[ref]float64{}
	r.best = slices.Clone(r.best)
	for _, b := range req.Boosts {
		out, err := s.scopes.get(s.generation, &winnow.Scope{Where: b.Where})
		if err != nil {
			return err
		}
		if b.Factor <= 0 {
			return &winnow.Error{Code: winnow.BadInput, Message: "a boost has a factor that is not positive", Hint: "use a factor above 1 to raise, below 1 to lower"}
		}
		for i := range r.best {
			p := &r.best[i]
			if out[p.seg] != nil && out[p.seg].Has(p.ord) {
				continue
			}
			if r.boosted[p.ref] == 0 {
				r.boosted[p.ref] = 1
			}
			r.boosted[p.ref] *= b.Factor
			if req.Ranker != nil && r.pool != nil {
				p.score += math.Log(b.Factor)
			} else {
				p.score *= b.Factor
			}
		}
	}
	s.sort(r.best)
	return nil
}
