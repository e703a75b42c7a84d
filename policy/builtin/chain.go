package builtin

import (
	"cmp"
	"slices"
)

// chain is a way through the evidence: each passage after the first is led to by
// a name in the one before it, and adds to what is covered of the question.
type chain struct {
	last  *passage
	back  *chain // without last; nil for the first
	link  link   // from back.last to last
	held  mask
	depth int // passages
	score float64
}

// link is what leads from one passage to another.
type link struct {
	kind linkKind
	via  string // the name
	// says is how much of the question stands in the sentence of the first that
	// has the name; adds how much of what the first lacks stands in one sentence
	// of the second.
	says, adds float64
	strength   float64
}

type linkKind int

const (
	linkNone   linkKind = iota
	linkNamed           // the first names the second
	linkBack            // the second names the first
	linkShared          // both name a third
)

const (
	beamWidth  = 12
	chainFrom  = 24 // the passages that chains are made of, best prior first
	chainDepth = 4
	// sharedMost is in how many passages a name may stand to link them: one that
	// all have leads nowhere.
	sharedMost = 6
)

// findChains returns the best ways through the evidence, best first.
func (e *evidence) findChains() []*chain {
	pool := slices.Clone(e.passages)
	slices.SortStableFunc(pool, func(a, b *passage) int { return cmp.Compare(b.prior, a.prior) })
	pool = pool[:min(len(pool), chainFrom)]
	var beam []*chain
	for _, p := range pool {
		beam = append(beam, &chain{last: p, held: p.held, depth: 1, score: 0.5*e.cover(p.held) + p.prior})
	}
	links := e.links(pool)
	best := keep(beam, beamWidth)
	all := slices.Clone(best)
	for range chainDepth - 1 {
		var next []*chain
		for _, c := range best {
			from := links[slices.Index(pool, c.last)]
			for i, p := range pool {
				l := from[i]
				if l.kind == linkNone || c.has(p) {
					continue
				}
				held := c.held | p.held
				gain := e.cover(held) - e.cover(c.held)
				next = append(next, &chain{last: p, back: c, link: l, held: held, depth: c.depth + 1,
					score: c.score + 0.5*gain + 0.6*p.prior + 0.3*l.strength*(0.3+l.says+l.adds) - 0.15})
			}
		}
		if best = keep(next, beamWidth); len(best) == 0 {
			break
		}
		all = append(all, best...)
	}
	return keep(all, len(all))
}

func keep(chains []*chain, n int) []*chain {
	slices.SortStableFunc(chains, func(a, b *chain) int { return cmp.Compare(b.score, a.score) })
	return chains[:min(len(chains), n)]
}

func (c *chain) has(p *passage) bool {
	for ; c != nil; c = c.back {
		if c.last == p {
			return true
		}
	}
	return false
}

// links are those between the passages of a pool, both ways.
func (e *evidence) links(pool []*passage) [][]link {
	out := make([][]link, len(pool))
	for i, a := range pool {
		out[i] = make([]link, len(pool))
		rare := e.rare(a)
		for j, b := range pool {
			if i != j && a.hit.Document != b.hit.Document {
				out[i][j] = e.link(a, b, rare)
			}
		}
	}
	return out
}

// rare are the names in a passage that few others have, and the question does
// not.
func (e *evidence) rare(p *passage) (names []string) {
	for _, name := range p.called {
		if n := e.shares[name]; n >= 2 && n <= sharedMost && !e.q.names[name] && len(name) >= 5 {
			names = append(names, name)
		}
	}
	return names
}

// link is the strongest that leads from a, which has these rare names, to b.
func (e *evidence) link(a, b *passage, rare []string) link {
	l := link{}
	take := func(kind linkKind, via string, at *passage, strength float64) {
		says := 0.0
		if i, ok := at.mentions[via]; ok {
			says = e.cover(at.sentences[i].held)
		}
		if strength*(0.5+says) > l.strength*(0.5+l.says) {
			l = link{kind: kind, via: via, says: says, strength: strength}
		}
	}
	for _, name := range b.names {
		if _, ok := a.mentions[name]; ok {
			take(linkNamed, name, a, 1/(1+0.25*float64(e.shares[name])))
		}
	}
	for _, name := range a.names {
		if _, ok := b.mentions[name]; ok {
			take(linkBack, name, b, 0.7/(1+0.25*float64(e.shares[name])))
		}
	}
	for _, name := range rare {
		if _, ok := b.mentions[name]; ok {
			take(linkShared, name, a, 0.5/(1+0.25*float64(e.shares[name])))
		}
	}
	if l.kind != linkNone {
		l.adds = e.bestSentence(b, ^a.held)
	}
	return l
}
