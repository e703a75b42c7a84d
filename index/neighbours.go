package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/vector"
)

// LinkRequest is a link query with the question's vector, if there is one.
type LinkRequest struct {
	winnow.LinkQuery
	Space  string
	Vector winnow.Vector
}

// linkDocChunks bounds the chunks of a document whose links are followed.
const linkDocChunks = 32

// Neighbours returns what chunks and documents refer to and what refers to
// them: the strongest links first, or those that serve the question best. A
// chunk that several links lead to is returned once, with the best of them.
func (s *Snapshot) Neighbours(ctx context.Context, r LinkRequest) ([]winnow.Neighbour, error) {
	denied, err := s.deny(&r.Scope)
	if err != nil {
		return nil, err
	}
	terms, err := s.queryTerms(r.Question, nil)
	if err != nil {
		return nil, err
	}
	p := &pool{graph: graph{generation: s.generation, denied: denied}, terms: terms}
	var d *dense
	if len(r.Vector) > 0 {
		d = &dense{generation: s.generation, space: r.Space, query: vector.NewQuery(r.Vector)}
		p.meaning = d
	}
	p.begin()
	from, err := s.linkSources(p, r.From)
	if err != nil {
		return nil, err
	}
	if err := p.weigh(p.all); err != nil {
		return nil, err
	}
	best := map[ref]found{}
	for _, c := range from {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.edges = p.edges[:0]
		if err := p.neighbours(c.ref); err != nil {
			return nil, err
		}
		have := len(p.all)
		for _, e := range p.edges {
			p.get(e.to, 1)
		}
		if err := p.weigh(p.all[have:]); err != nil {
			return nil, err
		}
		for _, e := range p.edges {
			to := p.byRef[e.to]
			if to == nil || slices.Contains(from, to) {
				continue
			}
			score := damp(e.uses) * damp(e.leads)
			if r.Question != "" {
				score *= 0.1 + share(residual(to, c, nil), p.mass) + p.cover(to, nil, nil) + max(0, p.residualCos(to, c))
			}
			if old, ok := best[e.to]; !ok || score > old.score {
				best[e.to] = found{edge: e, from: c.ref, score: score}
			}
		}
	}
	if d != nil && d.err != nil {
		return nil, d.err
	}
	return s.loadNeighbours(best, r.K)
}

type found struct {
	edge
	from  ref
	score float64
}

// linkSources resolves ids to the chunks whose links are followed.
func (s *Snapshot) linkSources(p *pool, ids []string) (from []*candidate, err error) {
	for _, id := range ids {
		r, ok, err := s.findChunk(id)
		if err != nil {
			return nil, err
		}
		if ok {
			from = append(from, p.get(r, 0))
			continue
		}
		seg, doc, err := s.findDocument(id)
		if err != nil {
			return nil, err
		}
		if seg < 0 {
			return nil, &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("there is no document or chunk %q", id),
				Hint: "search first and use the ids it returns"}
		}
		first := s.segments[seg].first
		for c := first.At(doc); c < min(first.At(doc+1), first.At(doc)+linkDocChunks); c++ {
			from = append(from, p.get(ref{seg, c}, 0))
		}
	}
	return from, nil
}

func (s *Snapshot) loadNeighbours(best map[ref]found, k int) ([]winnow.Neighbour, error) {
	list := make([]found, 0, len(best))
	for _, f := range best {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b found) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		if s.before(a.to, b.to) {
			return -1
		}
		return 1
	})
	if k <= 0 {
		k = defaultK
	}
	out := make([]winnow.Neighbour, 0, min(k, len(list)))
	for _, f := range list[:min(k, len(list))] {
		c, err := s.chunk(f.to)
		if err != nil {
			return nil, err
		}
		from, err := s.chunkID(f.from)
		if err != nil {
			return nil, err
		}
		out = append(out, winnow.Neighbour{Hit: winnow.Hit{Chunk: c, Score: f.score}, From: from, Kind: f.kind, Via: f.via, Back: f.back})
	}
	return out, s.fault()
}
