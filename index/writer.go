package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/segment"
)

// flushBytes is what a writer holds before it writes a segment. The parts of a
// segment take some ten times its text in memory while they are built; smaller
// segments take less, and make an index slower to open, since there are more.
const flushBytes = 80 << 20

// Writer collects changes and commits them. It is not safe for concurrent use;
// several writers, in one process or many, may work on one index, and the last
// to commit a document wins.
type Writer struct {
	ix       *Index
	analyzer *bm25.Analyzer

	docs    map[string]*winnow.Document
	bytes   int
	pending []pendingSegment
	deleted map[string]int // id → number of pending segments it is deleted from
	blobs   map[string][]byte

	merges merges
}

type pendingSegment struct {
	part *part
	info segmentInfo
}

var _ winnow.Writer = (*Writer)(nil)

// Writer returns a writer. The caller closes it.
func (ix *Index) Writer() (*Writer, error) {
	m, err := readManifest(ix.dir)
	if err != nil {
		return nil, err
	}
	a, err := bm25.NewAnalyzer(m.Settings.Language)
	if err != nil {
		return nil, err
	}
	if m.Settings.Analyzer != bm25.AnalyzerVersion {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the index in " + ix.dir + " was made by an older analysis of text",
			Hint: "it can be searched as it is; index again with --rebuild to write to it"}
	}
	w := &Writer{ix: ix, analyzer: a}
	w.reset()
	return w, nil
}

func (w *Writer) reset() {
	w.docs, w.bytes = map[string]*winnow.Document{}, 0
	w.pending, w.deleted, w.blobs = nil, map[string]int{}, map[string][]byte{}
}

// Put adds a document or replaces the one with its id. The document must not be
// changed afterwards.
func (w *Writer) Put(ctx context.Context, doc *winnow.Document) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if doc.ID == "" {
		return &winnow.Error{Code: winnow.BadInput, Message: "a document has no id", Hint: "give each document a unique id"}
	}
	if err := checkMetadata(doc.ID, doc.Metadata); err != nil {
		return err
	}
	for i := range doc.Chunks {
		if err := checkMetadata(doc.ID, doc.Chunks[i].Metadata); err != nil {
			return err
		}
	}
	if len(doc.Chunks) == 0 { // a document is alive if its first chunk is
		empty := *doc
		empty.Chunks = []winnow.Chunk{{Lines: [2]int{1, 1}}}
		doc = &empty
	}
	w.forget(doc.ID)
	w.docs[doc.ID] = doc
	w.bytes += size(doc)
	if w.bytes >= flushBytes {
		return w.flush()
	}
	return nil
}

func (w *Writer) forget(id string) {
	if old, ok := w.docs[id]; ok {
		w.bytes -= size(old)
		delete(w.docs, id)
	}
}

func size(doc *winnow.Document) int {
	n := 64
	for i := range doc.Chunks {
		n += len(doc.Chunks[i].Text) + 16
	}
	return n
}

// Delete removes the document with an id, if there is one.
func (w *Writer) Delete(ctx context.Context, id string) error {
	w.forget(id)
	w.deleted[id] = len(w.pending)
	return ctx.Err()
}

// SetBlob stores data under a name with the next commit: what belongs to the
// same moment as the documents, like the table of the files they came from.
func (w *Writer) SetBlob(name string, data []byte) { w.blobs[name] = data }

// flush writes the documents held as a segment that no manifest names yet.
func (w *Writer) flush() error {
	if len(w.docs) == 0 {
		return nil
	}
	docs := make([]*winnow.Document, 0, len(w.docs))
	for _, d := range w.docs {
		docs = append(docs, d)
	}
	name := pendingName(len(w.pending))
	info, err := buildSegment(filepath.Join(w.ix.dir, name), docs, w.analyzer)
	if err != nil {
		return diskError(err)
	}
	p, err := openPart(w.ix.dir, name)
	if err != nil {
		return err
	}
	w.pending = append(w.pending, pendingSegment{p, info})
	w.docs, w.bytes = map[string]*winnow.Document{}, 0
	return nil
}

// pendingName is a name that no other writer uses and that says who does.
func pendingName(n int) string {
	return fmt.Sprintf("%s%d-%d-%d", pendingPrefix, os.Getpid(), time.Now().UnixNano(), n)
}

const pendingPrefix = "pending-"

// diskError says in a sentence what the operating system says in a code.
func diskError(err error) error {
	var known *winnow.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return &winnow.Error{Code: winnow.TooMuch, Message: "the disk or a quota is full; nothing was changed",
			Hint: "free some space, or set WINNOW_HOME to a larger disk", Err: err}
	case errors.Is(err, fs.ErrNotExist):
		return &winnow.Error{Code: winnow.NotFound, Message: "the index was deleted while it was being written",
			Hint: "winnow index makes it again", Err: err}
	}
	return err
}

// Commit makes everything since the last commit visible at once. If it fails,
// nothing is, and it can be tried again.
func (w *Writer) Commit(ctx context.Context) error {
	if len(w.docs) == 0 && len(w.pending) == 0 && len(w.deleted) == 0 && len(w.blobs) == 0 {
		return nil
	}
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.commit(ctx); err != nil {
		return diskError(err)
	}
	for _, p := range w.pending {
		p.part.release()
	}
	w.reset()
	w.merges.start(w.ix)
	return nil
}

func (w *Writer) commit(ctx context.Context) error {
	dir := w.ix.dir
	unlock, err := lock(ctx, dir)
	if err != nil {
		return err
	}
	defer unlock()
	snap, err := w.ix.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	m, err := readManifest(dir)
	if err != nil {
		return err
	}
	parts := make([]*part, 0, len(m.Segments)+len(w.pending))
	for _, s := range snap.segments {
		parts = append(parts, s.part)
	}
	old := len(parts)
	for _, p := range w.pending {
		parts = append(parts, p.part)
		m.Segments = append(m.Segments, p.info)
	}
	g := grave{dir: dir, dead: map[*segmentInfo]segment.Bits{}}
	bury := func(id string, below int) error {
		for i := range parts[:below] {
			if err := g.bury(parts[i], &m.Segments[i], id); err != nil {
				return err
			}
		}
		return nil
	}
	for id, n := range w.deleted {
		if err := bury(id, old+n); err != nil {
			return err
		}
	}
	for i, p := range w.pending {
		for d := range p.part.documents() {
			id, err := p.part.id(d)
			if err != nil {
				return err
			}
			if err := bury(id, old+i); err != nil {
				return err
			}
		}
	}
	for _, p := range parts {
		if err := p.file.Err(); err != nil {
			return err
		}
	}
	for i, p := range w.pending {
		info := &m.Segments[old+i]
		info.File = m.nextFile("segment")
		if err := link(dir, p.part.name, info.File); err != nil {
			return err
		}
	}
	if err := g.write(m); err != nil {
		return err
	}
	for name, data := range w.blobs {
		m.Blobs[name] = m.nextFile("blob")
		if err := writeBlob(filepath.Join(dir, m.Blobs[name]), data); err != nil {
			return err
		}
	}
	m.dropEmpty()
	if err := segment.SyncDir(dir); err != nil {
		return err
	}
	if err := m.write(dir); err != nil {
		return err
	}
	for _, p := range w.pending {
		os.Remove(filepath.Join(dir, p.part.name))
	}
	sweep(dir, m)
	return nil
}

// link gives a pending segment the name it will have in the manifest. It keeps
// the old one, so that a commit that fails after this can be repeated. What
// stands in the way was left by a commit that did not come to its end.
func link(dir, pending, name string) error {
	os.Remove(filepath.Join(dir, name))
	return os.Link(filepath.Join(dir, pending), filepath.Join(dir, name))
}

// dropEmpty forgets segments in which nothing lives.
func (m *manifest) dropEmpty() {
	kept := m.Segments[:0]
	for _, s := range m.Segments {
		if s.liveChunks() > 0 {
			kept = append(kept, s)
		}
	}
	m.Segments = kept
}

// pendingKeep is how long the files of a writer that seems dead are kept. It
// may live where we can't see it, in another container on the same disk.
const pendingKeep = time.Hour

// sweep removes the files that no generation needs any more. Open snapshots
// keep their mappings; a reader that read the old manifest just now reads the
// new one when it finds a file missing.
func sweep(dir string, m *manifest) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	used := m.files()
	for _, e := range entries {
		name := e.Name()
		switch {
		case used[name], name == manifestName, name == lockName, e.IsDir():
		case strings.HasPrefix(name, pendingPrefix), strings.Contains(name, ".tmp-"):
			if st, err := e.Info(); err == nil && time.Since(st.ModTime()) > pendingKeep && !writerLives(name) {
				os.Remove(filepath.Join(dir, name))
			}
		case strings.HasPrefix(name, "segment-"), strings.HasPrefix(name, "dead-"), strings.HasPrefix(name, "column-"), strings.HasPrefix(name, "blob-"):
			os.Remove(filepath.Join(dir, name))
		}
	}
}

func writerLives(name string) bool {
	var pid int
	if _, err := fmt.Sscanf(name, pendingPrefix+"%d-", &pid); err != nil {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM) // another user's
}

// Close waits until the segments are merged as far as they should be, and
// releases the writer. What was not committed is dropped.
func (w *Writer) Close() error {
	w.merges.wait()
	w.merges.start(w.ix)
	err := w.merges.wait()
	for _, p := range w.pending {
		p.part.release()
		os.Remove(filepath.Join(w.ix.dir, p.part.name))
	}
	w.reset()
	return err
}
