package index

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/links"
)

// The sizes of the candidate stage. The tops of the two legs alone hold 82 % of
// 2Wiki's supporting passages, with two rings of links more than 99 %
// (docs/benchmarks.md).
const (
	legTop   = 50  // candidates from BM25 and from the dense leg
	ringFrom = 12  // candidates whose links are followed, in each of two rings
	poolMax  = 400 // candidates in all
)

// meaning is the dense side of a search.
type meaning interface {
	cos(r ref) float64    // of a chunk with the question; 0 for one without a vector
	dot(a, b ref) float64 // of two chunks
}

// pool is the candidate stage of one search: the tops of the legs, what the
// question names, and two rings of links around the best of them.
type pool struct {
	graph
	terms   []bm25.Term
	mass    float64 // sum of the terms' idf
	lists   []*bm25.Lists
	meaning meaning // nil without a dense leg

	all     []*candidate
	byRef   map[ref]*candidate
	phrases map[string]bool // of the question
	names   int             // names of documents in the question
	topBM25 float64
	topCos  float64
}

// candidate is a chunk that may be returned, with what is known of it.
type candidate struct {
	ref
	weights  []float32 // BM25 weight of each term
	bm25     float64
	cos      float64
	bm25Rank int // in the leg, from 1; 0 if the leg did not meet it
	cosRank  int
	ring     int     // 0 for a leg or a name, else the ring of links
	named    float64 // how clearly the question names it, 0 to 1
	namedLen int     // words of that name
	base     float64 // what it is worth without links
	rank     float64 // what it is worth so far; chooses whose links are followed
	routes   [4]route
	linked   float64 // sum of the strengths of all links to it
	gives    float64 // the most that one of its own links adds to the question
}

// A candidate keeps the best route of each kind.
const (
	routeNamed  = iota // from a chunk that names it
	routeBack          // from a chunk that it names
	routeShared        // from a chunk with which it shares a name
	routeSecond        // any of these, in the second ring
)

// route is a link that leads to a candidate, weighed for the question: what
// matters is how much of what the other end lacks the candidate has.
type route struct {
	from *candidate
	*tie
	score    float64
	strength float64
	bm25     float64 // over the terms the other end lacks
	cos      float64 // with the question less the other end
	cover    float64 // share of the question that both cover
}

// gather fills the pool.
func (p *pool) gather(question string, lexical, dense []bm25.Scored) error {
	p.begin()
	for i, s := range lexical {
		p.get(ref{s.Segment, s.Ord}, 0).bm25Rank = i + 1
	}
	for i, s := range dense {
		p.get(ref{s.Segment, s.Ord}, 0).cosRank = i + 1
	}
	if err := p.addNamed(question); err != nil {
		return err
	}
	if err := p.weigh(p.all); err != nil {
		return err
	}
	for _, c := range p.all {
		p.topBM25, p.topCos = max(p.topBM25, c.bm25), max(p.topCos, c.cos)
	}
	for _, c := range p.all {
		c.base = p.base(c)
		c.rank = c.base
	}
	first := p.best(nil)
	if err := p.followAll(first, 1); err != nil {
		return err
	}
	for _, c := range p.all {
		if b := c.bestRoute(); b != nil {
			c.rank = max(c.base, 0.3*c.base+0.9*b.strength+0.6*b.bm25)
		}
	}
	return p.followAll(p.best(first), 2)
}

func (p *pool) begin() {
	p.byRef = map[ref]*candidate{}
	p.lists = make([]*bm25.Lists, len(p.segments))
	for _, t := range p.terms {
		p.mass += t.IDF
	}
}

// get returns the candidate for a chunk, new if needed, or nil if the pool is
// full.
func (p *pool) get(r ref, ring int) *candidate {
	if c, ok := p.byRef[r]; ok {
		return c
	}
	if len(p.all) >= poolMax {
		return nil
	}
	c := &candidate{ref: r, ring: ring}
	p.byRef[r] = c
	p.all = append(p.all, c)
	return c
}

// best returns the candidates whose links are worth following, except those
// that were followed before.
func (p *pool) best(except []*candidate) []*candidate {
	left := slices.DeleteFunc(slices.Clone(p.all), func(c *candidate) bool { return slices.Contains(except, c) })
	slices.SortStableFunc(left, func(a, b *candidate) int { return cmp.Compare(b.rank, a.rank) })
	return left[:min(len(left), ringFrom)]
}

// addNamed adds what the question names: the longest names first, and none
// inside another.
func (p *pool) addNamed(question string) error {
	phrases := links.Phrases(question)
	slices.SortStableFunc(phrases, func(a, b string) int { return len(b) - len(a) })
	p.phrases = make(map[string]bool, len(phrases))
	var taken []string
	for _, key := range phrases {
		p.phrases[key] = true
		if slices.ContainsFunc(taken, func(t string) bool { return strings.Contains(" "+t+" ", " "+key+" ") }) {
			continue
		}
		to, err := p.named(key, nil)
		if err != nil {
			return err
		}
		if len(to) == 0 {
			continue
		}
		taken = append(taken, key)
		for _, r := range to {
			if c := p.get(r, 0); c != nil {
				c.named = max(c.named, 1/math.Sqrt(float64(len(to))))
				c.namedLen = max(c.namedLen, 1+strings.Count(key, " "))
			}
		}
	}
	p.names = len(taken)
	return nil
}

// weigh fills in the weights and cosines of new candidates.
func (p *pool) weigh(fresh []*candidate) error {
	fresh = slices.Clone(fresh)
	slices.SortFunc(fresh, func(a, b *candidate) int { return cmp.Or(a.seg-b.seg, cmp.Compare(a.ord, b.ord)) })
	for len(fresh) > 0 {
		seg, n := fresh[0].seg, 0
		for n < len(fresh) && fresh[n].seg == seg {
			n++
		}
		if err := p.weighSegment(seg, fresh[:n]); err != nil {
			return err
		}
		fresh = fresh[n:]
	}
	return nil
}

func (p *pool) weighSegment(seg int, cs []*candidate) (err error) {
	if p.lists[seg] == nil {
		if p.lists[seg], err = p.segments[seg].lex.Lists(p.terms); err != nil {
			return err
		}
	}
	weights := make([]float32, len(cs)*len(p.terms))
	ords := make([]uint32, len(cs))
	for k, c := range cs {
		ords[k] = c.ord
		c.weights = weights[k*len(p.terms) : (k+1)*len(p.terms)]
		if p.meaning != nil {
			c.cos = p.meaning.cos(c.ref)
		}
	}
	p.lists[seg].Weights(p.norms, ords, func(term, k int, w float64) {
		cs[k].weights[term] = float32(w)
		cs[k].bm25 += w
	})
	return nil
}

// base is what a candidate is worth without links.
func (p *pool) base(c *candidate) float64 {
	b := share(c.bm25, p.topBM25)
	if p.meaning != nil {
		b = (b + share(c.cos, p.topCos)) / 2
	}
	return b + 0.8*c.named
}

func share(x, of float64) float64 {
	if of <= 0 {
		return 0
	}
	return x / of
}

// followAll adds the neighbours of some candidates and weighs the routes.
func (p *pool) followAll(from []*candidate, ring int) error {
	p.edges = p.edges[:0]
	ends := make([]int, len(from)) // where the edges of each end
	for i, c := range from {
		if err := p.neighbours(c.ref); err != nil {
			return err
		}
		ends[i] = len(p.edges)
	}
	have := len(p.all)
	for _, e := range p.edges {
		p.get(e.to, ring)
	}
	if err := p.weigh(p.all[have:]); err != nil {
		return err
	}
	for _, c := range p.all[have:] {
		c.base = p.base(c)
		c.rank = c.base
	}
	begin := 0
	for i, c := range from {
		for _, e := range p.edges[begin:ends[i]] {
			if to := p.byRef[e.to]; to != nil {
				p.route(c, to, e.tie, ring)
			}
		}
		begin = ends[i]
	}
	return nil
}

// route weighs a link and keeps it if it is the best of its kind.
func (p *pool) route(from, to *candidate, t *tie, ring int) {
	kind, before := routeNamed, (*candidate)(nil)
	r := route{from: from, tie: t, strength: from.base}
	switch {
	case ring == 2:
		kind, r.strength = routeSecond, from.rank
		if b := from.bestRoute(); b != nil {
			before = b.from
		}
	case t.back:
		kind = routeBack
	case t.kind == winnow.LinkShared:
		kind = routeShared
	}
	r.strength *= damp(t.uses) * damp(t.leads)
	if t.kind == winnow.LinkShared && p.phrases[t.via] {
		r.strength *= 0.3 // the question has that name: BM25 has seen it
	}
	r.bm25 = share(residual(to, from, before), p.topBM25)
	r.cos = p.residualCos(to, from)
	r.cover = p.cover(to, from, before)
	r.score = r.strength * (0.4 + r.bm25 + r.cos + 0.5*r.cover)
	to.linked += r.strength
	if r.score > to.routes[kind].score {
		to.routes[kind] = r
	}
	from.gives = max(from.gives, 0.5*r.bm25+0.5*r.cos+p.cover(to, from, nil)-p.cover(from, nil, nil))
}

// damp makes a link through a name that is used n times weaker.
func damp(n int) float64 { return 1 / (1 + math.Log2(float64(max(n, 1)))/3) }

// bestRoute returns the best route to a candidate, nil if there is none.
func (c *candidate) bestRoute() *route {
	best := (*route)(nil)
	for i := range c.routes {
		if r := &c.routes[i]; r.from != nil && (best == nil || r.score > best.score) {
			best = r
		}
	}
	return best
}

// cover is the share of the question's idf that the candidates hold together.
func (p *pool) cover(a, b, c *candidate) float64 {
	sum := 0.0
	for t := range p.terms {
		if a.weights[t] > 0 || b != nil && b.weights[t] > 0 || c != nil && c.weights[t] > 0 {
			sum += p.terms[t].IDF
		}
	}
	return share(sum, p.mass)
}

// residual is the BM25 of c over the terms that neither a nor b holds.
func residual(c, a, b *candidate) float64 {
	sum := 0.0
	for t, w := range c.weights {
		if a.weights[t] == 0 && (b == nil || b.weights[t] == 0) {
			sum += float64(w)
		}
	}
	return sum
}

// residualCos is the cosine of c with the question less 0.6 of its projection
// on a: with what a does not say of it.
func (p *pool) residualCos(c, a *candidate) float64 {
	if p.meaning == nil || a.cos == 0 || c.cos == 0 {
		return 0
	}
	const less = 0.6
	norm := 1 - (2*less-less*less)*a.cos*a.cos
	if norm < 1e-6 {
		return 0
	}
	return (c.cos - less*a.cos*p.meaning.dot(a.ref, c.ref)) / math.Sqrt(norm)
}
