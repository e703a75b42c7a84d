package ingest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
)

// Options say what to index. The zero value of every field but Roots is the
// default.
type Options struct {
	// Roots are folders, files or JSONL corpora. With several, ids begin with
	// the name of the folder they come from.
	Roots []string
	// MaxText bounds the bytes of text of one document; what is over is cut,
	// with a warning. 0 means DefaultMaxText.
	MaxText int
	// MaxFiles refuses trees with more files. 0 means no bound.
	MaxFiles int
	// Progress is told after each file how far the sync is.
	Progress func(Progress)

	commitEvery int // for tests; 0 means commitEvery
}

// Progress counts the files that have to be read.
type Progress struct {
	Files, TotalFiles int
	Bytes, TotalBytes int64
}

// Sink is what a sync writes to. All calls come from one goroutine, in an order
// that depends only on the files.
type Sink interface {
	// Put adds a document, or replaces the one with its id.
	Put(context.Context, *winnow.Document) error
	// Delete removes a document; an unknown id is not an error.
	Delete(context.Context, string) error
	// Commit makes what was put and deleted so far durable together with the
	// table, so that a sync that is killed goes on from there. It is called
	// every 64 MB of text and at the end, if anything changed.
	Commit(context.Context, *Table) error
}

// Result is the outcome of a sync.
type Result struct {
	// Table describes the files as they are now. It is the one that was last
	// committed, or the one that was passed where nothing changed.
	Table        *Table
	Put, Deleted int // documents
}

// commitEvery is how many bytes of text are put between commits: seconds of
// work, which is what a kill may cost.
const commitEvery = 64 << 20

// racyWindow is how long before a walk a file may have changed and still change
// again without showing it, in nanoseconds: the coarsest file systems count two
// seconds.
const racyWindow = int64(2 * time.Second)

// Sync brings a collection up to date with its files: it looks at the
// attributes of all, at the content of those whose attributes changed since
// prev, reads those whose content changed, and puts the documents that differ.
// Documents whose file is gone are deleted. A nil prev stands for an empty
// collection.
//
// A file or folder that exists but can't be read keeps the documents it had.
// The error is that of a root, the sink or the context; the files' own are in
// the table's report.
func Sync(ctx context.Context, opts Options, prev *Table, sink Sink) (*Result, error) {
	roots, err := openRoots(opts.Roots)
	if err != nil {
		return nil, err
	}
	defer closeRoots(roots)
	now := time.Now().UnixNano()
	tree, err := walk(ctx, roots, opts.MaxFiles)
	if err != nil {
		return nil, err
	}
	if prev == nil {
		prev = &Table{}
	}
	if opts.MaxText == 0 {
		opts.MaxText = DefaultMaxText
	}
	if opts.commitEvery == 0 {
		opts.commitEvery = commitEvery
	}
	s := &syncer{
		ctx: ctx, opts: opts, sink: sink, tree: tree, racyFrom: now - racyWindow,
		settings: fmt.Sprintf("chunker %d, %d tokens, %d bytes of text", ChunkerVersion, ChunkTokens, opts.MaxText),
		dropped:  map[string]bool{},
	}
	todo := s.plan(prev)
	if err := s.read(todo); err != nil {
		return nil, err
	}
	if err := s.readShadowed(); err != nil {
		return nil, err
	}
	if err := s.deleteDropped(); err != nil {
		return nil, err
	}
	if !s.changed {
		return &Result{Table: prev}, nil
	}
	table := s.table()
	if err := sink.Commit(ctx, table); err != nil {
		return nil, err
	}
	return &Result{Table: table, Put: s.put, Deleted: s.deleted}, nil
}

// syncer is a sync in progress.
type syncer struct {
	ctx      context.Context
	opts     Options
	sink     Sink
	tree     *tree
	racyFrom int64 // files changed since then may change again unseen
	settings string

	// entries are the table to be: at first what was known, file by file
	// replaced by what is found. files holds for each entry the file as it is
	// now, nil where the entry is kept though its file can't be seen.
	entries []entry
	files   []*file
	changed bool // the table differs from the one at the start

	// taken are the ids of documents that are not called like their file; only
	// those can clash. Filled when the first is met.
	taken   map[string]bool
	dropped map[string]bool // documents that were put once and have no file now

	put, deleted int
	uncommitted  int // bytes of text put since the last commit
	progress     Progress
}

// plan joins the files with the table and returns the entries to look at.
func (s *syncer) plan(prev *Table) (todo []int) {
	for _, id := range prev.dropped {
		s.dropped[id] = true
	}
	reread := prev.settings != s.settings
	s.changed = reread || !slices.Equal(prev.skipped, s.tree.skipped) || !slices.Equal(prev.failed, s.tree.failed)
	old := prev.entries
	s.entries = make([]entry, 0, len(s.tree.files))
	s.files = make([]*file, 0, len(s.tree.files))
	for i := range s.tree.files {
		f := &s.tree.files[i]
		for len(old) > 0 && old[0].path < f.id {
			s.gone(&old[0])
			old = old[1:]
		}
		e := entry{path: f.id}
		if len(old) > 0 && old[0].path == f.id {
			e, old = old[0], old[1:]
		}
		if reread {
			e.forget()
		}
		if e.stat != f.stat || e.racy {
			todo = append(todo, len(s.entries))
		}
		s.entries, s.files = append(s.entries, e), append(s.files, f)
	}
	for i := range old {
		s.gone(&old[i])
	}
	return todo
}

// gone handles the entry of a file that the walk did not meet. Below a folder
// that could not be listed it may still be there.
func (s *syncer) gone(e *entry) {
	for _, n := range s.tree.failed {
		if strings.HasPrefix(e.path, n.Path) || n.Path == "/" {
			s.entries, s.files = append(s.entries, *e), append(s.files, nil)
			return
		}
	}
	s.changed = true
	for _, d := range e.documents {
		s.dropped[d.id] = true
	}
}

// table returns the state of things. Entries of files still to be read are what
// they were before, so that an interrupted sync comes back to them.
func (s *syncer) table() *Table {
	t := &Table{settings: s.settings, skipped: s.tree.skipped, failed: s.tree.failed, entries: slices.Clone(s.entries)}
	t.dropped = slices.Sorted(maps.Keys(s.dropped))
	return t
}

// readShadowed reads files again whose documents were left out because others
// had their ids, if ids have come free.
func (s *syncer) readShadowed() error {
	if len(s.dropped) == 0 {
		return nil
	}
	var todo []int
	for i := range s.entries {
		if s.entries[i].shadowed && s.files[i] != nil {
			s.entries[i].forget()
			todo = append(todo, i)
		}
	}
	return s.read(todo)
}

func (s *syncer) deleteDropped() error {
	for _, id := range slices.Sorted(maps.Keys(s.dropped)) {
		if err := s.sink.Delete(s.ctx, id); err != nil {
			return err
		}
		s.changed = true
		s.deleted++
		delete(s.dropped, id)
	}
	return nil
}
