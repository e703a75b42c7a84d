package index

import (
	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/links"
	"github.com/winnow-search/winnow/index/segment"
)

// The bounds of the link graph, as measured on the encyclopedic development
// sets (docs/benchmarks.md): a name that more chunks share says nothing.
const (
	sharedMax = 60 // chunks that share a name
	backMax   = 60 // chunks that mention a document
	namedMax  = 24 // chunks a name leads to
	docChunks = 8  // chunks of a document that a link reaches
)

// edge leads from one chunk to another.
type edge struct {
	to ref
	*tie
}

// tie is what the edges of one name have in common.
type tie struct {
	kind winnow.LinkKind
	via  string // the name, in normal form
	back bool
	// uses is the number of chunks that mention or share the name, leads that
	// of the chunks it leads to: the larger, the less the link says.
	uses, leads int
}

// graph is the links among the chunks that are not denied. It is for one
// goroutine at a time.
type graph struct {
	*generation
	denied  []segment.Bits
	scanner links.Scanner
	edges   []edge // what neighbours has found
	// Scratch.
	refs    []ref
	entries []segment.Entry
	ords    []uint32
}

// neighbours adds the links out of and into a chunk to the edges.
func (g *graph) neighbours(from ref) error {
	refers, err := g.references(from, &g.scanner)
	if err != nil {
		return err
	}
	owner := g.segments[from.seg].owner
	own := owner.At(int(from.ord))
	isOwn := func(r ref) bool {
		return r.seg == from.seg && owner.At(int(r.ord)) == own
	}
	covered := 0
	for _, m := range refers.names {
		if m.End > covered { // not inside a longer name
			to, err := g.named(m.Key, isOwn)
			if err != nil {
				return err
			}
			if len(to) > 0 {
				covered = m.End
				uses, err := g.uses(m.Key)
				if err != nil {
					return err
				}
				g.add(to, tie{kind: winnow.LinkNamed, via: m.Key, uses: max(uses, 1), leads: len(to)})
			}
		}
		if m.Whole {
			to, err := g.mentioning(m.Key, sharedMax, len(g.segments) > 1, isOwn)
			if err != nil {
				return err
			}
			g.add(to, tie{kind: winnow.LinkShared, via: m.Key, uses: len(to) + 1, leads: len(to)})
		}
	}
	for _, l := range refers.links {
		to, err := g.named(links.Exact(l.Target), isOwn)
		if err != nil {
			return err
		}
		g.add(to, tie{kind: l.Kind, via: l.Target, uses: 1, leads: len(to)})
	}
	for _, key := range refers.called {
		to, err := g.mentioning(key, backMax, true, isOwn)
		if err != nil {
			return err
		}
		kind := winnow.LinkNamed
		if key[0] == '=' {
			kind = winnow.LinkHyper
			key = key[1:]
		}
		g.add(to, tie{kind: kind, via: key, back: true, uses: len(to), leads: 1})
	}
	return nil
}

func (g *graph) add(to []ref, t tie) {
	if len(to) == 0 {
		return
	}
	shared := new(t)
	for _, r := range to {
		g.edges = append(g.edges, edge{r, shared})
	}
}

// named returns the chunks that a name leads to, skipping those that skip says.
// They are valid until the next call of named or mentioning.
func (g *graph) named(key string, skip func(ref) bool) ([]ref, error) {
	out := g.refs[:0]
	for i, s := range g.segments {
		e, err := s.links.Names.Find(key)
		if err != nil {
			return nil, err
		}
		if e.Count == 0 || e.Count > namedMax {
			continue
		}
		l, err := s.links.Names.List(e, false)
		if err != nil {
			return nil, err
		}
		g.ords = l.AppendOrds(g.ords[:0])
		for _, ord := range g.ords {
			if s.isDead(ord) || skip != nil && skip(ref{i, ord}) {
				continue
			}
			d := s.owner.Int(int(ord))
			lo, hi := ord, ord+1
			if lo == s.first.At(d) { // the document's name
				hi = min(s.first.At(d+1), lo+docChunks)
			}
			for c := lo; c < hi; c++ {
				if g.denied[i] == nil || !g.denied[i].Has(c) {
					out = append(out, ref{i, c})
				}
			}
		}
	}
	g.refs = out
	return out, nil
}

// mentioning returns the chunks that mention a name, none if they are more than
// most, and is otherwise as named. rare also finds those that are the only ones
// of their segment, which costs more.
func (g *graph) mentioning(key string, most int, rare bool, skip func(ref) bool) ([]ref, error) {
	entries := g.entries[:0]
	n := 0
	for _, s := range g.segments {
		e, err := s.mention(key, rare)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
		n += e.Count
	}
	g.entries = entries
	if n > most {
		return nil, nil
	}
	out := g.refs[:0]
	for i, s := range g.segments {
		if entries[i].Count == 0 {
			continue
		}
		l, err := s.links.Mentions.List(entries[i], false)
		if err != nil {
			return nil, err
		}
		g.ords = l.AppendOrds(g.ords[:0])
		for _, ord := range g.ords {
			if (g.denied[i] == nil || !g.denied[i].Has(ord)) && !skip(ref{i, ord}) {
				out = append(out, ref{i, ord})
			}
		}
	}
	g.refs = out
	return out, nil
}

// mention finds a mention's entry. Rare mentions, of one chunk, are not in the
// hash table.
func (s *live) mention(key string, rare bool) (segment.Entry, error) {
	e, err := s.links.Mentions.Find(key)
	if err != nil || e.Count > 0 || !rare {
		return e, err
	}
	return s.links.Mentions.Lookup([]byte(key))
}

// uses is the number of chunks that mention a name; those of one chunk in each
// of several segments are not counted, which is cheaper and near enough.
func (g *graph) uses(key string) (int, error) {
	n := 0
	for _, s := range g.segments {
		e, err := s.links.Mentions.Find(key)
		if err != nil {
			return 0, err
		}
		n += e.Count
	}
	return n, nil
}
