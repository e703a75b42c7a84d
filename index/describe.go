package index

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/winnow-search/winnow"
)

// The sizes of a description: enough to choose a filter from, little enough to
// show.
const (
	facetValues  = 8
	facetFolders = 40
	facetHeads   = 40
	facetKeys    = 60
	// headSample bounds the chunks read for headings, which are in no
	// dictionary.
	headSample = 2000
)

// Describe tells what there is to filter by: folders, headings, metadata keys
// with their commonest values. Headings come from a sample of a large index.
func (s *Snapshot) Describe(ctx context.Context) (*winnow.Description, error) {
	info := s.Info()
	out := &winnow.Description{Documents: info.Documents, Chunks: info.Chunks, Keys: []winnow.KeyUse{}}
	folders, heads := map[any]int{}, map[any]int{}
	keys := map[string]map[any]int{}
	for _, seg := range s.segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := seg.countFolders(folders); err != nil {
			return nil, err
		}
		if err := seg.countHeadings(heads, headSample/len(s.segments)+1); err != nil {
			return nil, err
		}
		if err := seg.countValues(keys); err != nil {
			return nil, err
		}
	}
	out.Folders = commonest(folders, facetFolders)
	out.Headings = commonest(heads, facetHeads)
	for key, values := range keys {
		use := winnow.KeyUse{Key: key, Values: commonest(values, facetValues)}
		for _, n := range values {
			use.Count += n
		}
		out.Keys = append(out.Keys, use)
	}
	slices.SortFunc(out.Keys, func(a, b winnow.KeyUse) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Key, b.Key))
	})
	out.Keys = out.Keys[:min(len(out.Keys), facetKeys)]
	return out, s.fault()
}

func commonest(counts map[any]int, n int) []winnow.Facet {
	all := make([]winnow.Facet, 0, len(counts))
	for v, c := range counts {
		all = append(all, winnow.Facet{Value: v, Count: c})
	}
	slices.SortFunc(all, func(a, b winnow.Facet) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(typed(a.Value), typed(b.Value)))
	})
	return all[:min(len(all), n)]
}

// typed tells values apart that look the same, like 1 and "1".
func typed(v any) string { return fmt.Sprintf("%v\x00%T", v, v) }

func (s *live) countFolders(counts map[any]int) error {
	return s.docs.Records(0, s.docs.Len(), func(d int, b []byte) error {
		lo, hi := s.first.At(d), s.first.At(d+1)
		if s.isDead(lo) {
			return nil
		}
		dec := decoder{b: b}
		_ = dec.string()
		if p := dec.string(); p != "" {
			counts[path.Dir(p)] += int(hi - lo)
		}
		return dec.err
	})
}

func (s *live) countHeadings(counts map[any]int, sample int) error {
	n := s.chunkCount()
	step := max(1, n/sample)
	for ord := 0; ord < n; ord += step {
		if s.isDead(uint32(ord)) {
			continue
		}
		err := s.chunks.Record(ord, func(b []byte) error {
			c, err := decodeChunk(b)
			if c.Heading != "" {
				counts[c.Heading]++
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *live) countValues(keys map[string]map[any]int) error {
	c := s.meta.Seek(nil)
	for c.Next() {
		key, v, ok := splitMetaKey(c.Key())
		if !ok {
			return errRecord
		}
		n := c.Entry().Count
		if s.dead != nil {
			l, err := s.meta.List(c.Entry(), false)
			if err != nil {
				return err
			}
			for _, o := range l.AppendOrds(nil) {
				if s.dead.Has(o) {
					n--
				}
			}
		}
		if n == 0 {
			continue
		}
		if keys[key] == nil {
			keys[key] = map[any]int{}
		}
		keys[key][v] += n
	}
	return c.Err()
}
