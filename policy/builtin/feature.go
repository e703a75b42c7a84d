package builtin

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"

	"github.com/winnow-search/winnow/index"
)

// Features are the names of what the model sees of each passage, in order: what
// the search said of it, then what reading it and the others together says.
var Features = slices.Concat(index.Features, []string{
	"rank", "score", "score_below_top", "score_below_best_other", "source", "source_rank",
	"read_cover", "read_sentence", "read_sentence_share", "read_title", "read_names", "read_quotes", "read_numbers", "read_words",
	"part_best", "part_sentence", "part_first",
	"title_rank", "title_size",
	"chain_score", "chain_place", "chain_depth", "chain_cover", "chain_says", "chain_adds", "chain_strength", "chain_from_prior", "chain_from_rank", "chain_kind", "chains",
	"next_says", "next_adds", "next_prior",
	"lead_prior",
	"asks_comparison", "asks_names", "asks_parts", "shown",
})

// weigh brings the evidence together: chains through it, and a row of features
// for every passage.
func (e *evidence) weigh() [][]float32 {
	e.count()
	e.setPriors()
	e.chains = e.findChains()
	for _, p := range e.passages {
		p.chain = nil
	}
	uses := map[*passage]int{}
	next := map[*passage]*chain{} // the best chain that goes on from a passage
	for n, c := range e.chains {
		for d := c; d != nil; d = d.back {
			if d.last.chain == nil {
				d.last.chain = c
			}
			if n < beamWidth {
				uses[d.last]++
			}
			if d.back != nil && next[d.back.last] == nil {
				next[d.back.last] = d
			}
		}
	}
	top, bestChain := math.Inf(-1), 0.0
	for _, p := range e.passages {
		if p.source == bySearch {
			top = max(top, p.hit.Score)
		}
	}
	if len(e.chains) > 0 {
		bestChain = e.chains[0].score
	}
	titles, served := e.titles(), e.served()
	absent := math.NaN()
	rows := make([][]float32, len(e.passages))
	for i, p := range e.passages {
		row := make([]float32, 0, len(Features))
		add := func(vs ...float64) {
			for _, v := range vs {
				row = append(row, float32(v))
			}
		}
		searched := p.source == bySearch && len(p.hit.Features) == len(index.Features)
		if searched {
			row = append(row, p.hit.Features...)
			add(float64(p.rank), p.hit.Score, top-p.hit.Score, e.margin(p))
		} else {
			for range len(index.Features) + 4 {
				add(absent)
			}
		}
		add(float64(p.source), float64(p.rank))
		p.covers = e.cover(p.held)
		cover, sentence := p.covers, e.bestSentence(p, ^mask(0))
		numbers := absent
		if e.q.numbers != 0 {
			numbers = float64((p.held & e.q.numbers).count()) / float64(e.q.numbers.count())
		}
		add(cover, sentence, share(sentence, cover), e.cover(p.title), float64(p.named), float64(p.quoted), numbers, math.Log1p(float64(p.words)))
		add(e.parts(p, served)...)
		group := titles[titleOf(p)]
		add(float64(slices.Index(group, p)), float64(len(group)))
		if c := p.chain; c != nil {
			at := c
			for at.last != p {
				at = at.back
			}
			add(c.score-bestChain, float64(at.depth), float64(c.depth), e.cover(c.held))
			if at.back != nil {
				add(at.link.says, at.link.adds, at.link.strength, at.back.last.prior, float64(at.back.last.rank), float64(at.link.kind))
			} else {
				add(absent, absent, absent, absent, absent, 0)
			}
			add(float64(uses[p]))
		} else {
			add(absent, 0, 0, absent, absent, absent, absent, absent, absent, 0, 0)
		}
		if n := next[p]; n != nil {
			add(n.link.says, n.link.adds, n.last.prior)
		} else {
			add(absent, absent, absent)
		}
		if p.from != nil {
			add(p.from.prior)
		} else {
			add(absent)
		}
		comparison := 0.0
		if e.q.compares {
			comparison = 1
		}
		add(comparison, float64(len(e.q.names)), float64(len(e.q.parts)), float64(len(e.passages)))
		rows[i] = row
	}
	return rows
}

func share(x, of float64) float64 {
	if of <= 0 {
		return 0
	}
	return x / of
}

// setPriors says what the places of passages among the results make of them.
// Under a seed they are shaken a little: the beam of another rollout goes another
// way.
func (e *evidence) setPriors() {
	for _, p := range e.passages {
		switch p.source {
		case bySearch:
			p.prior = 2 / (1 + float64(p.rank))
		case byPart:
			p.prior = 0.6 / (1 + float64(p.rank))
		case byLink:
			p.prior = 0.4 / (1 + float64(p.rank))
			if p.from != nil {
				p.prior *= 1 + min(1, p.from.prior)
			}
		}
		p.prior *= shake(e.seed, p.name)
	}
}

// shake is a factor between 0.7 and 1.3 that seed and name decide; without a seed
// it is 1.
func shake(seed uint64, name string) float64 {
	if seed == 0 {
		return 1
	}
	h := fnv.New64a()
	h.Write(binary.LittleEndian.AppendUint64(nil, seed))
	h.Write([]byte(name))
	return 0.7 + 0.6*float64(h.Sum64()>>11)/(1<<53)
}

// margin is how far the search's score of a passage is above the next one's.
func (e *evidence) margin(p *passage) float64 {
	below := math.Inf(-1)
	for _, o := range e.passages {
		if o.source == bySearch && o.hit.Score < p.hit.Score {
			below = max(below, o.hit.Score)
		}
	}
	if math.IsInf(below, -1) {
		return 0
	}
	return p.hit.Score - below
}

// served is how much of each part of the question the passage holds that holds
// most of it.
func (e *evidence) served() []float64 {
	most := make([]float64, len(e.q.parts))
	for i, of := range e.q.parts {
		for _, p := range e.passages {
			most[i] = max(most[i], e.cover(p.held&of.mask))
		}
	}
	return most
}

// parts is how well a passage serves that part of the question that it serves
// best: covered at all, in one sentence, and whether no other serves it better.
func (e *evidence) parts(p *passage, served []float64) []float64 {
	if len(e.q.parts) == 0 {
		return []float64{math.NaN(), math.NaN(), math.NaN()}
	}
	best, sentence, first := 0.0, 0.0, 0.0
	for i := range e.q.parts {
		of := &e.q.parts[i]
		mass := e.cover(of.mask)
		holds := e.cover(p.held & of.mask)
		best, sentence = max(best, share(holds, mass)), max(sentence, share(e.bestSentence(p, of.mask), mass))
		if holds == served[i] {
			first++
		}
	}
	return []float64{best, sentence, first}
}

// titles groups the passages of one article, the most promising first.
func (e *evidence) titles() map[string][]*passage {
	groups := map[string][]*passage{}
	for _, p := range e.passages {
		groups[titleOf(p)] = append(groups[titleOf(p)], p)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b *passage) int {
			return cmp.Compare(e.cover(b.held)+b.prior, e.cover(a.held)+a.prior)
		})
	}
	return groups
}

func titleOf(p *passage) string {
	return cmp.Or(p.hit.Title, "\x00"+p.hit.Collection+"\x00"+p.hit.Document)
}
