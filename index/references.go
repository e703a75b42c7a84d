package index

import (
	"slices"
	"sync/atomic"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/links"
)

// references are what the links of a chunk are made of.
type references struct {
	of     ref
	names  []links.Mention // in its text, each once
	links  []winnow.Link   // that it spells out
	called []string        // what its document is called
}

// referencesKept is how many chunks' references a generation remembers, a power
// of two, at a few kilobytes each. The searches of a run follow the links of the
// same few chunks: reading them anew was the most that a search did. A chunk has
// one place; the next that comes there takes it.
const referencesKept = 1 << 12

type referenceCache [referencesKept]atomic.Pointer[references]

// references reads what a chunk refers to. The scanner is scratch.
func (g *generation) references(of ref, scanner *links.Scanner) (*references, error) {
	place := &g.referred[(of.ord+uint32(of.seg)*phi32)%referencesKept]
	if known := place.Load(); known != nil && known.of == of {
		return known, nil
	}
	s := g.segments[of.seg]
	doc, err := s.document(s.owner.Int(int(of.ord)))
	if err != nil {
		return nil, err
	}
	var c winnow.Chunk
	err = s.chunks.Record(int(of.ord), func(b []byte) (err error) {
		c, err = decodeChunk(b)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := &references{of: of, called: links.DocumentNames(&doc)}
	for _, m := range scanner.Mentions(c.Text) {
		if !slices.ContainsFunc(out.names, func(n links.Mention) bool { return n.Key == m.Key }) {
			out.names = append(out.names, m)
		}
	}
	for _, l := range doc.Links {
		if l.At >= c.Start && l.At < c.Start+len(c.Text) {
			out.links = append(out.links, l)
		}
	}
	place.Store(out)
	return out, nil
}

// phi32 spreads the segments: 2^32 divided by the golden ratio.
const phi32 = 0x9e3779b1
