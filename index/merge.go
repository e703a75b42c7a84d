package index

import (
	"context"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/links"
	"github.com/winnow-search/winnow/index/segment"
	"github.com/winnow-search/winnow/index/trigram"
	"github.com/winnow-search/winnow/index/vector"
)

// mergeWidth segments of about the same size are merged into one, so that an
// index of n chunks has about mergeWidth·log(n) segments and each chunk is
// rewritten log(n) times.
const mergeWidth = 8

// mergeLimit keeps the offsets inside a segment below 2³² and the memory of a
// merge bounded.
const mergeLimit = 1 << 30

// pickMerge returns the segments to merge next, or none: those of a tier that is
// full, or one that is mostly dead.
func pickMerge(segments []segmentInfo) []segmentInfo {
	tiers := map[int][]segmentInfo{}
	for _, s := range segments {
		if s.TextBytes > mergeLimit/2 {
			continue
		}
		// A tier spans a factor of mergeWidth in live chunks.
		t := bits.Len(uint(s.liveChunks())) / 3
		tiers[t] = append(tiers[t], s)
		if len(tiers[t]) == mergeWidth {
			return fit(tiers[t])
		}
	}
	for _, s := range segments {
		if s.DeadChunks > s.Chunks/3 {
			return []segmentInfo{s}
		}
	}
	return nil
}

func fit(segments []segmentInfo) []segmentInfo {
	var total int64
	for i, s := range segments {
		if total += s.TextBytes; total > mergeLimit {
			return segments[:i]
		}
	}
	return segments
}

// merges is a writer's merging in the background: at most one at a time.
type merges struct {
	running atomic.Bool
	wg      sync.WaitGroup
	err     error
}

// start merges for as long as there is something to merge, unless that is going
// on already.
func (b *merges) start(ix *Index) {
	if !b.running.CompareAndSwap(false, true) {
		return
	}
	b.wg.Wait() // for the last one to be gone
	b.wg.Go(func() {
		defer b.running.Store(false)
		for b.err == nil {
			m, err := readManifest(ix.dir)
			if err != nil {
				return
			}
			picked := pickMerge(m.Segments)
			if len(picked) == 0 {
				return
			}
			b.err = diskError(ix.merge(context.Background(), picked))
		}
	})
}

// wait waits for the merge that is running and reports what went wrong.
func (b *merges) wait() error {
	b.wg.Wait()
	return b.err
}

// Merge rewrites all segments as one.
func (ix *Index) Merge(ctx context.Context) error {
	m, err := readManifest(ix.dir)
	if err != nil || len(m.Segments) < 2 && (len(m.Segments) == 0 || m.Segments[0].Dead == "") {
		return err
	}
	return diskError(ix.merge(ctx, fit(m.Segments)))
}

// merge replaces the picked segments by one that holds what lives in them.
func (ix *Index) merge(ctx context.Context, picked []segmentInfo) error {
	snap, err := ix.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	var sources []*live
	for _, s := range snap.segments {
		if slices.ContainsFunc(picked, func(p segmentInfo) bool { return p.File == s.info.File }) {
			sources = append(sources, s)
		}
	}
	if len(sources) != len(picked) { // another writer was faster
		return nil
	}
	name := pendingName(0)
	path := filepath.Join(ix.dir, name)
	info, remaps, err := mergeSegments(ctx, path, sources)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	merged, err := openPart(ix.dir, name)
	if err != nil {
		return err
	}
	defer merged.release()
	if info.Columns, err = mergeColumns(ix.dir, sources, remaps); err != nil {
		return err
	}
	defer func() {
		for _, c := range info.Columns {
			os.Remove(filepath.Join(ix.dir, c.File))
		}
	}()
	return ix.commitMerge(ctx, sources, merged, info)
}

// mergeColumns writes the vectors of the merged segment, as pending files.
func mergeColumns(dir string, sources []*live, remaps [][]uint32) (map[string]columnInfo, error) {
	out := map[string]columnInfo{}
	for _, s := range sources {
		for space := range s.columns {
			if _, done := out[space]; done {
				continue
			}
			info := columnInfo{File: pendingName(len(out))}
			var columns []*vector.Column
			var maps [][]uint32
			for i, s := range sources {
				c := s.columns[space]
				if c == nil {
					continue
				}
				columns, maps = append(columns, c.Column), append(maps, remaps[i])
				complete := s.info.Columns[space].Covered == s.info.Chunks
				for ord, now := range remaps[i] {
					if now != segment.Dead && (complete || c.Has(uint32(ord))) {
						info.Covered++
					}
				}
			}
			w, err := segment.Create(filepath.Join(dir, info.File))
			if err != nil {
				return out, err
			}
			if err := vector.Merge(w, columns, maps); err != nil {
				w.Abort()
				return out, err
			}
			if err := w.Finish(); err != nil {
				return out, err
			}
			out[space] = info
		}
	}
	return out, nil
}

func (ix *Index) commitMerge(ctx context.Context, sources []*live, merged *part, info segmentInfo) error {
	unlock, err := lock(ctx, ix.dir)
	if err != nil {
		return err
	}
	defer unlock()
	m, err := readManifest(ix.dir)
	if err != nil {
		return err
	}
	g := grave{dir: ix.dir, dead: map[*segmentInfo]segment.Bits{}}
	for _, s := range sources {
		i := slices.IndexFunc(m.Segments, func(x segmentInfo) bool { return x.File == s.info.File })
		if i < 0 {
			return nil
		}
		now, err := readTombstones(ix.dir, m.Segments[i])
		if err != nil {
			return err
		}
		// What was deleted since the merge began.
		for d := range s.documents() {
			if c := s.first.At(d); now != nil && now.Has(c) && !s.isDead(c) {
				id, err := s.id(d)
				if err != nil {
					return err
				}
				if err := g.bury(merged, &info, id); err != nil {
					return err
				}
			}
		}
	}
	for _, s := range sources {
		if err := s.file.Err(); err != nil {
			return err
		}
	}
	dead := g.dead[&info]
	info.File = m.nextFile("segment")
	if dead != nil {
		info.Dead = m.nextFile("dead")
		if err := writeTombstones(filepath.Join(ix.dir, info.Dead), dead); err != nil {
			return err
		}
	}
	if err := link(ix.dir, merged.name, info.File); err != nil {
		return err
	}
	m.Segments = slices.DeleteFunc(m.Segments, func(x segmentInfo) bool {
		return slices.ContainsFunc(sources, func(s *live) bool { return s.info.File == x.File })
	})
	columns := map[string]columnInfo{}
	for space, c := range info.Columns {
		pending := c.File
		c.File = m.nextFile("column")
		if err := link(ix.dir, pending, c.File); err != nil {
			return err
		}
		columns[space] = c
	}
	info.Columns = columns
	m.Segments = append(m.Segments, info)
	m.dropEmpty()
	if err := segment.SyncDir(ix.dir); err != nil {
		return err
	}
	if err := m.write(ix.dir); err != nil {
		return err
	}
	sweep(ix.dir, m)
	return nil
}

// origin is where a document of a merged segment comes from.
type origin struct{ source, doc int }

func mergeSegments(ctx context.Context, path string, sources []*live) (info segmentInfo, remaps [][]uint32, err error) {
	order, ids, titles, err := mergeOrder(sources)
	if err != nil {
		return info, nil, err
	}
	remaps = make([][]uint32, len(sources))
	for i, s := range sources {
		remaps[i] = slices.Repeat([]uint32{segment.Dead}, s.chunkCount())
	}
	first := make([]uint32, 1, len(order)+1)
	for _, o := range order {
		s, n := sources[o.source], first[len(first)-1]
		for c := s.first.At(o.doc); c < s.first.At(o.doc+1); c++ {
			remaps[o.source][c] = n
			n++
		}
		first = append(first, n)
	}
	n := int(first[len(order)])
	w, err := segment.Create(path)
	if err != nil {
		return info, nil, err
	}
	defer func() {
		if err != nil {
			w.Abort()
		}
	}()
	info = segmentInfo{Documents: len(order), Chunks: n}
	if info.TextBytes, err = mergeRecords(ctx, w, sources, order); err != nil {
		return info, nil, err
	}
	writeIDs(w, ids)
	writeStrings(w, "titles", titles)
	writeOwners(w, first)
	lex := make([]*bm25.Segment, len(sources))
	named := make([]links.Segment, len(sources))
	meta := make([]segment.MergeSource, len(sources))
	grams := make([]segment.MergeSource, len(sources))
	for i, s := range sources {
		lex[i], named[i] = s.lex, s.links
		meta[i] = segment.MergeSource{Dict: s.meta, Remap: remaps[i]}
		grams[i] = segment.MergeSource{Dict: s.trigrams, Remap: remaps[i]}
	}
	if info.Terms, err = bm25.Merge(w, lex, remaps, n); err != nil {
		return info, nil, err
	}
	if err := w.Dict("meta").MergePlain(meta, n); err != nil {
		return info, nil, err
	}
	if err := ctx.Err(); err != nil {
		return info, nil, err
	}
	if err := w.Dict(trigram.Section).MergePlain(grams, n); err != nil {
		return info, nil, err
	}
	if err := links.Merge(w, named, remaps, n); err != nil {
		return info, nil, err
	}
	for _, s := range sources {
		if err := s.file.Err(); err != nil {
			return info, nil, err
		}
	}
	return info, remaps, w.Finish()
}

// mergeOrder returns the live documents of all sources by id.
func mergeOrder(sources []*live) (order []origin, ids, titles []string, err error) {
	type entry struct {
		origin
		id string
	}
	var all []entry
	for i, s := range sources {
		for d := range s.documents() {
			if s.isDead(s.first.At(d)) {
				continue
			}
			id, err := s.id(d)
			if err != nil {
				return nil, nil, nil, err
			}
			all = append(all, entry{origin{i, d}, id})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.id, b.id) })
	for _, e := range all {
		title, err := sources[e.source].title(e.doc)
		if err != nil {
			return nil, nil, nil, err
		}
		order, ids, titles = append(order, e.origin), append(ids, e.id), append(titles, title)
	}
	return order, ids, titles, nil
}

func mergeRecords(ctx context.Context, w *segment.Writer, sources []*live, order []origin) (text int64, err error) {
	chunks := w.Store("chunks")
	for _, o := range order {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		s := sources[o.source]
		err := s.chunks.Records(s.first.Int(o.doc), s.first.Int(o.doc+1), func(_ int, b []byte) error {
			t, err := chunkText(b)
			text += int64(len(t))
			chunks.Add(b)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	chunks.Close()
	docs := w.Store("docs")
	for _, o := range order {
		err := sources[o.source].docs.Record(o.doc, func(b []byte) error {
			docs.Add(b)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	docs.Close()
	return text, nil
}
