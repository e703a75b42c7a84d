package open

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/ingest"
)

// UpdateOptions of [Collection.Update].
type UpdateOptions struct {
	// Roots are paths to add to those the collection has.
	Roots []string
	// Language of a new index; "" is English. One that is there keeps its own.
	Language string
	// Rebuild makes a new index beside the serving one, and replaces it when it
	// is whole.
	Rebuild bool
	// Models fill the fast tier of what was written; nil leaves text alone.
	Models *Models
	// MaxFiles refuses larger trees; 0 means no bound.
	MaxFiles int
	// Progress is told how many of the files that have to be read are. It may be
	// nil.
	Progress func(done, total int)
}

// Update is what an update did.
type Update struct {
	// Put and Deleted count documents.
	Put     int
	Deleted int
	Took    time.Duration

	table *ingest.Table
}

// Report is what is known of the collection's files.
func (u *Update) Report() ingest.Report { return u.table.Report() }

// Update brings the collection up to date with its files, making it if it is
// not there. It fails with [winnow.Locked] if there is something to do and
// another process is doing it; files that have not changed take no lock, so that
// any number of searches can look.
func (c *Collection) Update(ctx context.Context, o UpdateOptions) (*Update, error) {
	start := time.Now()
	if c.Exists() && !c.Outdated() && !o.Rebuild && len(o.Roots) == 0 {
		table, err := c.probe(ctx, o.MaxFiles)
		if err == nil && table != nil {
			return &Update{Took: time.Since(start), table: table}, nil
		}
		if err != nil && !errors.Is(err, errChanged) {
			return nil, err
		}
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil { // the documents may be private
		return nil, err
	}
	unlock, err := lock(c.dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := c.load(); err != nil { // it may have changed until we had the lock
		return nil, err
	}
	if c.Outdated() && !o.Rebuild {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: c.Name + " was indexed by an older winnow", Hint: "--rebuild"}
	}
	more, err := c.addRoots(o.Roots)
	if err != nil {
		return nil, err
	}
	c.sweep()
	first := !c.Exists()
	u, err := c.write(ctx, more, o)
	if err != nil {
		c.sweep()
		if info, e := c.Info(); first && (e != nil || info.Documents == 0) {
			os.RemoveAll(c.dir) // nothing came of it
		}
		return nil, err
	}
	u.Took = time.Since(start)
	return u, nil
}

// write writes what changed into the serving index, or everything into a new
// one.
func (c *Collection) write(ctx context.Context, more bool, o UpdateOptions) (*Update, error) {
	b, err := c.build(!c.Exists() || o.Rebuild, o.Language)
	if err != nil {
		return nil, err
	}
	defer b.ix.Close()
	u, err := b.sync(ctx, o)
	if err != nil {
		return nil, err
	}
	if b.empty() {
		return nil, nothing(c.Name, u.Report())
	}
	if o.Models != nil && o.Models.fast != nil {
		if err := b.ix.Fill(ctx, o.Models.fast, index.FillOptions{}); err != nil {
			return nil, err
		}
	}
	if more || b.name != c.record.Index {
		return u, b.serve()
	}
	return u, nil
}

// addRoots takes paths into the record and reports whether there are more now.
func (c *Collection) addRoots(paths []string) (more bool, err error) {
	for _, p := range paths {
		real, err := realPath(p)
		if err != nil {
			return false, err
		}
		if !slices.Contains(c.record.Roots, real) {
			c.record.Roots = append(c.record.Roots, real)
			more = true
		}
	}
	if len(c.record.Roots) == 0 {
		return false, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("the collection %q has no folder to be filled from", c.Name),
			Hint: "winnow index --collection " + c.Name + " PATH"}
	}
	return more, nil
}

// indexPrefix begins the names of index folders.
const indexPrefix = "index-"

// sweep removes what a rebuild that was killed has left. Only the holder of the
// lock may know that nobody is writing there.
func (c *Collection) sweep() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return // the next update will
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), indexPrefix) && e.Name() != c.record.Index {
			os.RemoveAll(filepath.Join(c.dir, e.Name()))
		}
	}
}

// build is an index that is being written: the serving one, or another beside
// it.
type build struct {
	c    *Collection
	name string
	ix   *index.Index
}

func (c *Collection) build(fresh bool, language string) (*build, error) {
	b := &build{c: c, name: c.record.Index}
	var err error
	if !fresh {
		b.ix, err = c.openIndex()
		return b, err
	}
	b.name = fmt.Sprintf("%s%x", indexPrefix, time.Now().UnixNano())
	if b.ix, err = index.Create(filepath.Join(c.dir, b.name), index.Settings{Language: language}); err != nil {
		return nil, err
	}
	if c.Exists() {
		return b, nil
	}
	// The first index serves while it grows.
	return b, b.serve()
}

// serve makes the index the one that is searched, and removes the other.
func (b *build) serve() error {
	c := b.c
	if b.name != c.record.Index {
		c.record.Index, c.record.Made, c.record.Created = b.name, currentVersions(), time.Now().UTC()
	}
	if err := c.save(); err != nil {
		return err
	}
	c.sweep()
	return nil
}

func (b *build) empty() bool {
	s, err := b.ix.Snapshot()
	if err != nil {
		return false
	}
	defer s.Close()
	return s.Info().Documents == 0
}

// sync writes what changed in the files.
func (b *build) sync(ctx context.Context, o UpdateOptions) (u *Update, err error) {
	s, err := b.ix.Snapshot()
	if err != nil {
		return nil, err
	}
	table, err := tableOf(s)
	sink := &sink{ix: b.ix, name: b.c.Name, documents: s.Info().Documents}
	s.Close()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sink.close()) }()
	options := ingest.Options{Roots: b.c.record.Roots, MaxFiles: o.MaxFiles}
	if o.Progress != nil {
		options.Progress = func(p ingest.Progress) { o.Progress(p.Files, p.TotalFiles) }
	}
	r, err := ingest.Sync(ctx, options, table, sink)
	if err != nil {
		return nil, err
	}
	return &Update{Put: r.Put, Deleted: r.Deleted, table: r.Table}, nil
}

// nothing is the error of a place that holds no document, with the reasons.
func nothing(name string, r ingest.Report) error {
	reasons := map[string]int{}
	for _, n := range slices.Concat(r.Skipped, r.Failed) {
		reasons[n.Reason]++
	}
	message := "there is nothing to search in " + name
	if len(reasons) > 0 {
		var parts []string
		for reason, n := range reasons {
			parts = append(parts, fmt.Sprintf("%d × %s", n, reason))
		}
		slices.Sort(parts)
		message += ": " + strings.Join(parts, ", ")
	}
	return &winnow.Error{Code: winnow.NotFound, Message: message, Hint: "name a folder with text in it"}
}

// Watch updates the collection at once and each time its files change, until
// the context ends. After each update it calls updated, which decides whether
// an error ends the watch by returning it.
func (c *Collection) Watch(ctx context.Context, o UpdateOptions, updated func(*Update, error) error) error {
	return ingest.Watch(ctx, ingest.Options{Roots: c.record.Roots, MaxFiles: o.MaxFiles}, func(ctx context.Context) error {
		return updated(c.Update(ctx, o))
	})
}
