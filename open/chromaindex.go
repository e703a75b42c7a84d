package open

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/embed/cache"
	"github.com/winnow-search/winnow/embed/minilm"
	"github.com/winnow-search/winnow/index/segment"
	"github.com/winnow-search/winnow/ingest"
)

// IndexChroma writes paths into the collection at an address, which is made if
// it is not there: what changed since the last time, and what is gone. Which
// files were written is kept here; another machine writes everything again, to
// the same records.
func (h Home) IndexChroma(ctx context.Context, address string, paths []string, config *Config, progress func(done, total int)) (_ *Update, err error) {
	start := time.Now()
	a, err := chroma.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	roots := make([]string, len(paths))
	for i, p := range paths {
		if roots[i], err = realPath(p); err != nil {
			return nil, err
		}
	}
	models, err := h.Models(config)
	if err != nil {
		return nil, err
	}
	if models.best == nil {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "Chroma stores no record without a vector, and no embedder is set", Hint: "--embedder builtin, or the address of a server"}
	}
	client, err := config.Chroma.client(a)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	c, err := client.Make(ctx, map[string]any{"winnow_embedder": models.best.Name()}, functionOf(models.best))
	if err != nil {
		return nil, err
	}
	if c.Dimension > 0 {
		if err := c.Check(ctx, models.best, config.Chroma.Layout); err != nil {
			return nil, err
		}
	}
	dir := h.companionDir(a)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	unlock, err := lock(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	cached, err := cache.New(models.best, models.vectors)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cached.Close()) }()
	w := chroma.NewWriter(c, cached)
	sink := &chromaSink{Writer: w, name: a.String(), path: filepath.Join(dir, tableName(c.ID, roots))}
	table, err := sink.load()
	if err != nil {
		return nil, err
	}
	options := ingest.Options{Roots: roots}
	if progress != nil {
		options.Progress = func(p ingest.Progress) { progress(p.Files, p.TotalFiles) }
	}
	r, err := ingest.Sync(ctx, options, table, sink)
	if err != nil {
		return nil, err
	}
	if report := r.Table.Report(); report.Documents == 0 {
		return nil, nothing(sink.name, report)
	}
	return &Update{Put: r.Put, Deleted: r.Deleted, Took: time.Since(start), table: r.Table}, nil
}

// functionOf names the embedder to other clients of the collection, where they
// have it: MiniLM is Chroma's default.
func functionOf(e winnow.Embedder) chroma.Function {
	if e.Name() == minilm.Name {
		return chroma.Function{Type: "known", Name: "default", Config: map[string]any{}}
	}
	return chroma.Function{Type: "unknown"}
}

// tableName is that of the table of files written from some roots into a
// collection: one that is made again has another id and gets everything.
func tableName(collection string, roots []string) string {
	key, err := json.Marshal(append([]string{collection}, roots...))
	if err != nil {
		panic(err) // strings always marshal
	}
	sum := sha256.Sum256(key)
	return "written-" + hex.EncodeToString(sum[:8])
}

// chromaSink writes into a collection, and the table of what was written beside
// the companion. The table is written last, so a kill repeats work and loses
// none.
type chromaSink struct {
	*chroma.Writer
	name      string
	path      string
	documents int // at the start
	put       int
	deleted   int
}

// load reads the table of the last time, nil if there is none.
func (s *chromaSink) load() (*ingest.Table, error) {
	data, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := &ingest.Table{}
	if err := t.UnmarshalBinary(data); err != nil {
		return nil, &winnow.Error{Code: winnow.Corrupt, Message: "the table of files that were written to " + s.name + " is damaged",
			Hint: "remove " + s.path + " and everything is written again", Err: err}
	}
	s.documents = t.Report().Documents
	return t, nil
}

func (s *chromaSink) Put(ctx context.Context, d *winnow.Document) error {
	s.put++
	return s.Writer.Put(ctx, d)
}

// Delete refuses to empty a collection: a disk that is not mounted looks like a
// folder from which everything was deleted.
func (s *chromaSink) Delete(ctx context.Context, id string) error {
	if s.deleted++; s.put == 0 && s.deleted >= s.documents {
		return &winnow.Error{Code: winnow.NotFound,
			Message: fmt.Sprintf("there is nothing left to write to %s, and its %d documents are kept", s.name, s.documents),
			Hint:    "delete the collection on the server if they are meant to be gone"}
	}
	return s.Writer.Delete(ctx, id)
}

func (s *chromaSink) Commit(ctx context.Context, t *ingest.Table) error {
	if err := s.Writer.Commit(ctx); err != nil {
		return err
	}
	data, err := t.MarshalBinary()
	if err != nil {
		return err
	}
	return segment.WriteFile(s.path, data)
}
