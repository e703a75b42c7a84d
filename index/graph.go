package index

import (
	"slices"

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
	to   ref
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
	// Scratch.
	edges   []edge
	entries []segment.Entry
	ords    []uint32
}

// neighbours returns the links out of and into a chunk. The slice is valid
// until the next call.
func (g *graph) neighbours(from ref) ([]edge, error) {
	g.edges = g.edges[:0]
	s := g.segments[from.seg]
	doc, err := s.document(s.owner.Int(int(from.ord)))
	if err != nil {
		return nil, err
	}
	var c winnow.Chunk
	err = s.chunks.Record(int(from.ord), func(b []byte) (err error) {
		c, err = decodeChunk(b)
		return err
	})
	if err != nil {
		return nil, err
	}
	own := s.owner.At(int(from.ord))
	isOwn := func(r ref) bool {
		return r.seg == from.seg && s.owner.At(int(r.ord)) == own
	}
	covered := 0
	var seen []string
	for _, m := range g.scanner.Mentions(c.Text) {
		if slices.Contains(seen, m.Key) {
			continue
		}
		seen = append(seen, m.Key)
		if m.End > covered { // not inside a longer name
			to, err := g.named(m.Key, isOwn)
			if err != nil {
				return nil, err
			}
			if len(to) > 0 {
				covered = m.End
				uses, err := g.uses(m.Key)
				if err != nil {
					return nil, err
				}
				g.add(to, edge{kind: winnow.LinkNamed, via: m.Key, uses: max(uses, 1), leads: len(to)})
			}
		}
		if m.Whole {
			to, err := g.mentioning(m.Key, sharedMax, len(g.segments) > 1, isOwn)
			if err != nil {
				return nil, err
			}
			if len(to) > 0 {
				g.add(to, edge{kind: winnow.LinkShared, via: m.Key, uses: len(to) + 1, leads: len(to)})
			}
		}
	}
	for _, l := range doc.Links {
		if l.At < c.Start || l.At >= c.Start+len(c.Text) {
			continue
		}
		to, err := g.named(links.Exact(l.Target), isOwn)
		if err != nil {
			return nil, err
		}
		g.add(to, edge{kind: l.Kind, via: l.Target, uses: 1, leads: len(to)})
	}
	for _, key := range links.DocumentNames(&doc) {
		to, err := g.mentioning(key, backMax, true, isOwn)
		if err != nil {
			return nil, err
		}
		kind := winnow.LinkNamed
		if key[0] == '=' {
			kind = winnow.LinkHyper
			key = key[1:]
		}
		g.add(to, edge{kind: kind, via: key, back: true, uses: len(to), leads: 1})
	}
	return g.edges, nil
}

func (g *graph) add(to []ref, e edge) {
	for _, r := range to {
		e.to = r
		g.edges = append(g.edges, e)
	}
}

// named returns the chunks that a name leads to, skipping those that skip says.
func (g *graph) named(key string, skip func(ref) bool) ([]ref, error) {
	var out []ref
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
		for _, ord := range l.AppendOrds(nil) {
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
	return out, nil
}

// mentioning returns the chunks that mention a name, none if they are more than
// most. rare also finds those that are the only ones of their segment, which
// costs more.
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
	var out []ref
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
