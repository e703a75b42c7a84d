// Package index is the embedded engine: a directory that documents are written
// to and searched in, durably and fast, by many processes at once.
//
// The content lives in immutable segments. A commit writes new segments and
// tombstones beside the old files, syncs them, and makes them current by
// replacing the manifest; a crash at any moment leaves the old generation or
// the new one. Readers pin the generation they opened: a [Snapshot] never
// changes, and a new one sees the newest commit of any process.
//
// What was traded away: a single document costs a whole small segment, so
// documents should be committed in batches; and df, length and count are taken
// over the live chunks at every search, which makes scores exact after
// deletions at the price of walking the lists of a segment that has tombstones.
package index

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/segment"
)

// Index is an index directory.
type Index struct {
	dir string

	mu  sync.Mutex
	cur *generation // the newest generation seen; owns a reference
}

// Create makes an empty index in dir, which is created if needed. An index that
// is already there is opened, and its settings stay.
func Create(dir string, s Settings) (*Index, error) {
	m, err := newManifest(s)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, manifestName)); errors.Is(err, fs.ErrNotExist) {
		if err := m.create(dir); err != nil {
			return nil, diskError(err)
		}
	}
	return Open(dir)
}

// Open opens the index in dir.
func Open(dir string) (*Index, error) {
	ix := &Index{dir: dir}
	if _, err := readManifest(dir); err != nil {
		return nil, err
	}
	return ix, nil
}

// Dir is the index's directory.
func (ix *Index) Dir() string { return ix.dir }

// Close releases what the index holds open. Snapshots stay valid until they are
// closed themselves.
func (ix *Index) Close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.cur != nil {
		ix.cur.release()
		ix.cur = nil
	}
	return nil
}

// Snapshot pins the newest generation. The caller closes it.
//
// A writer may remove files between our reading of the manifest and our opening
// of them; the manifest read again then names others.
func (ix *Index) Snapshot() (*Snapshot, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for try := 0; ; try++ {
		m, err := readManifest(ix.dir)
		if err != nil {
			if ix.cur != nil && errors.Is(err, fs.ErrNotExist) { // deleted while open: what was opened stays readable
				return ix.cur.snapshot(), nil
			}
			return nil, err
		}
		if ix.cur != nil && ix.cur.manifest.same(m) {
			return ix.cur.snapshot(), nil
		}
		next, err := openGeneration(ix.dir, m, ix.cur)
		if err == nil {
			if ix.cur != nil {
				ix.cur.release()
			}
			ix.cur = next
			return next.snapshot(), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if try == 10 {
			return nil, &winnow.Error{Code: winnow.Corrupt, Message: "a file of the index is missing",
				Hint: "index again with --rebuild; the source files are not touched", Err: err}
		}
	}
}

// openGeneration opens what a manifest names, sharing the segments that the
// last generation has open.
func openGeneration(dir string, m *manifest, prev *generation) (*generation, error) {
	a, err := bm25.NewAnalyzer(m.Settings.Language)
	if err != nil {
		return nil, err
	}
	g := &generation{manifest: m, analyzer: a, blobs: map[string]*segment.File{}}
	g.refs.Store(1)
	for _, info := range m.Segments {
		s := &live{info: info}
		var shared *live
		if prev != nil && prev.manifest.Created == m.Created {
			for _, old := range prev.segments {
				if old.name == info.File {
					old.refs.Add(1)
					s.part, shared = old.part, old
				}
			}
		}
		if s.part == nil {
			if s.part, err = openPart(dir, info.File); err != nil {
				g.release()
				return nil, err
			}
		}
		g.segments = append(g.segments, s)
		if s.dead, err = readTombstones(dir, info); err != nil {
			g.release()
			return nil, err
		}
		if err := s.openColumns(dir, shared); err != nil {
			g.release()
			return nil, err
		}
		g.stats.Chunks += info.liveChunks()
		g.stats.Terms += info.Terms
	}
	for name, file := range m.Blobs {
		b, err := segment.Open(filepath.Join(dir, file))
		if err != nil {
			g.release()
			return nil, err
		}
		g.blobs[name] = b
	}
	g.norms = bm25.NewNorms(g.stats)
	return g, nil
}
