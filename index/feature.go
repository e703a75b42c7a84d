package index

import (
	"math"

	"github.com/winnow-search/winnow/index/bm25"
)

// Features are the names of what a ranker sees of each candidate, in order. A
// model names the features it was trained on, so a change here is noticed.
var Features = append([]string{
	"bm25", "bm25_rank", "cos", "cos_share", "cos_rank",
	"named", "named_words", "title_in_question", "title_cover", "cover",
	"best_term", "terms_matched", "length",
	"same_title", "bm25_in_title", "cos_in_title", "bm25_below_title",
	"base", "ring", "linked", "gives",
	"question_terms", "question_names",
}, routeFeatures()...)

func routeFeatures() (names []string) {
	for _, kind := range []string{"named", "back", "shared", "second"} {
		for _, f := range []string{"score", "strength", "bm25", "cos", "cover", "from_named", "from_bm25", "from_cos", "similar"} {
			names = append(names, "route_"+kind+"_"+f)
		}
	}
	return names
}

// features computes the features of every candidate.
func (p *pool) features() ([][]float32, error) {
	groups, titles, err := p.groupTitles()
	if err != nil {
		return nil, err
	}
	idf := make(map[string]float64, len(p.terms))
	for _, t := range p.terms {
		idf[t.Text] = t.IDF
	}
	flat := make([]float32, 0, len(p.all)*len(Features))
	rows := make([][]float32, len(p.all))
	for i, c := range p.all {
		start := len(flat)
		add := func(vs ...float64) {
			for _, v := range vs {
				flat = append(flat, float32(v))
			}
		}
		add(share(c.bm25, p.topBM25), reciprocal(c.bm25Rank), c.cos, share(c.cos, p.topCos), reciprocal(c.cosRank))
		inQuestion, titleCover := p.titleMatch(titles[i], idf)
		add(c.named, float64(c.namedLen), inQuestion, share(titleCover, p.mass), p.cover(c, nil, nil))
		best, matched := 0.0, 0.0
		for _, w := range c.weights {
			if w > 0 {
				best, matched = max(best, float64(w)), matched+1
			}
		}
		add(share(best, p.topBM25), share(matched, float64(len(p.terms))), math.Log1p(float64(p.segments[c.seg].lex.Len(c.ord))))
		g := groups[i]
		add(float64(g.n), share(c.bm25, g.bm25), share(c.cos, g.cos), share(g.bm25-c.bm25, p.topBM25))
		add(c.base, float64(c.ring), c.linked, c.gives, float64(len(p.terms)), float64(p.names))
		for k := range c.routes {
			r := &c.routes[k]
			if r.from == nil {
				add(0, 0, 0, 0, 0, 0, 0, 0, 0)
				continue
			}
			similar := 0.0
			if p.meaning != nil {
				similar = p.meaning.dot(r.from.ref, c.ref)
			}
			add(r.score, r.strength, r.bm25, r.cos, r.cover, r.from.named, share(r.from.bm25, p.topBM25), r.from.cos, similar)
		}
		rows[i] = flat[start:len(flat):len(flat)]
	}
	return rows, nil
}

// reciprocal is high for the first ranks and 0 for a leg that did not meet the
// candidate.
func reciprocal(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / (4 + float64(rank))
}

// titleGroup is the candidates that share a title: the pieces of one article.
// Without a title it is those of one document, because having no title in common
// says nothing: taken as a group it taught a ranker the habits of a data set.
type titleGroup struct {
	n         int
	bm25, cos float64 // best
}

// groupTitles returns the group and the title of every candidate.
func (p *pool) groupTitles() ([]*titleGroup, []string, error) {
	type groupKey struct {
		title    string
		seg, doc int
	}
	byTitle := map[groupKey]*titleGroup{}
	groups := make([]*titleGroup, len(p.all))
	titles := make([]string, len(p.all))
	for i, c := range p.all {
		s := p.segments[c.seg]
		title, err := s.title(s.owner.Int(int(c.ord)))
		if err != nil {
			return nil, nil, err
		}
		titles[i] = title
		key := groupKey{title: title}
		if title == "" {
			key.seg, key.doc = c.seg, s.owner.Int(int(c.ord))
		}
		g := byTitle[key]
		if g == nil {
			g = &titleGroup{}
			byTitle[key] = g
		}
		groups[i] = g
		g.n++
		g.bm25, g.cos = max(g.bm25, c.bm25), max(g.cos, c.cos)
	}
	return groups, titles, nil
}

// titleMatch returns the share of the title's terms that stand in the question,
// and their idf.
func (p *pool) titleMatch(title string, idf map[string]float64) (in, sum float64) {
	n := 0.0
	var buf [4]string
	bm25.Words(title, func(w string) {
		for _, t := range p.analyzer.AppendTerms(buf[:0], w) {
			n++
			if v, ok := idf[t]; ok {
				in++
				sum += v
			}
		}
	})
	return share(in, n), sum
}
