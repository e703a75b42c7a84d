package bm25

import (
	"sort"

	"github.com/winnow-search/winnow/index/segment"
)

// Lists are the posting lists of a query's terms in one segment, for scoring
// chunks that were found in other ways. It is for one goroutine at a time.
type Lists struct {
	s     *Segment
	terms []Term
	lists []segment.List
	blk   segment.Block
}

// Lists looks the terms up.
func (s *Segment) Lists(terms []Term) (*Lists, error) {
	l := &Lists{s: s, terms: terms, lists: make([]segment.List, len(terms))}
	for i, t := range terms {
		e, err := s.terms.Lookup([]byte(t.Text))
		if err != nil {
			return nil, err
		}
		if e.Count == 0 {
			continue
		}
		if l.lists[i], _, err = s.list(e); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Weights calls fn with what each term adds to each of the chunks ords, which
// must rise, leaving out zeros. k is the chunk's place in ords.
func (l *Lists) Weights(norms Norms, ords []uint32, fn func(term, k int, weight float64)) {
	for t := range l.lists {
		list := &l.lists[t]
		blocks, block, pos := list.Blocks(), -1, 0
		for k, ord := range ords {
			if block < 0 || l.blk.Ords[l.blk.N-1] < ord {
				next := block + 1
				block = next + sort.Search(blocks-next, func(i int) bool { return list.Last(next+i) >= ord })
				if block >= blocks {
					break
				}
				list.Decode(block, &l.blk)
				pos = 0
				if l.blk.N == 0 {
					break
				}
			}
			for pos < l.blk.N && l.blk.Ords[pos] < ord {
				pos++
			}
			if pos == l.blk.N {
				break
			}
			if l.blk.Ords[pos] == ord {
				fn(t, k, Weight(l.terms[t].IDF, norms[l.s.Len(ord)], l.blk.Freqs[pos]))
			}
		}
	}
}
