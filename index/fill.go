package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/segment"
	"github.com/winnow-search/winnow/index/vector"
)

const (
	// fillBatch is the number of chunks embedded by one call.
	fillBatch = 64
	// fillCommit is how long vectors are collected before they are made
	// visible. What is not committed is not lost if the embedder caches.
	fillCommit = 30 * time.Second
)

// FillOptions are those of [Index.Fill].
type FillOptions struct {
	// Progress is told how many chunks have vectors, of how many.
	Progress func(done, total int)
	// Batch is the number of chunks in one call of the source; 0 means 64.
	Batch int
}

// Source has the vectors of chunks: it computes them from the text, or they are
// stored elsewhere.
type Source interface {
	Name() string // of the space
	Dim() int     // 0 as long as it is not known
	// Vectors returns those of each chunk, of which it is given the ids, the
	// title, the heading and the text.
	Vectors(ctx context.Context, chunks []winnow.Chunk) ([][]winnow.Vector, error)
}

// Fill computes the vectors that are missing in the embedder's space, segment
// by segment, and commits them as they come. It may run beside readers and
// writers; a cancelled Fill keeps what it has committed.
func (ix *Index) Fill(ctx context.Context, e winnow.Embedder, o FillOptions) error {
	return ix.FillFrom(ctx, computed{e}, o)
}

// computed are the vectors of an embedder.
type computed struct{ winnow.Embedder }

func (c computed) Vectors(ctx context.Context, chunks []winnow.Chunk) ([][]winnow.Vector, error) {
	texts := make([]string, len(chunks))
	for i := range chunks {
		texts[i] = EmbedText(chunks[i].Title, chunks[i].Heading, chunks[i].Text)
	}
	return c.Embed(ctx, texts)
}

// FillFrom is Fill with vectors of any source.
func (ix *Index) FillFrom(ctx context.Context, e Source, o FillOptions) error {
	if o.Batch <= 0 {
		o.Batch = fillBatch
	}
	for {
		done, err := ix.fillSegment(ctx, e, o)
		if done || err != nil {
			return diskError(err)
		}
	}
}

// fillSegment completes the first segment that lacks vectors; it reports true if
// there is none.
func (ix *Index) fillSegment(ctx context.Context, e Source, o FillOptions) (done bool, err error) {
	snap, err := ix.Snapshot()
	if err != nil {
		return false, err
	}
	defer snap.Close()
	before, total := 0, 0
	var next *live
	for _, s := range snap.segments {
		// A remote model's dimension is 0 until its first reply.
		if c := s.columns[e.Name()]; c != nil && e.Dim() != 0 && c.Dim() != e.Dim() {
			return false, &winnow.Error{Code: winnow.BadInput,
				Message: fmt.Sprintf("the collection holds vectors of %s with %d dimensions, and the embedder gives %d", e.Name(), c.Dim(), e.Dim()),
				Hint:    "index again with --rebuild, or use the embedder it was made with"}
		}
		covered := s.info.Columns[e.Name()].Covered
		before += covered
		total += s.info.Chunks
		if next == nil && covered < s.info.Chunks {
			next = s
		}
	}
	if o.Progress != nil {
		o.Progress(before, total)
	}
	if next == nil {
		return true, nil
	}
	before -= next.info.Columns[e.Name()].Covered
	f := filling{ix: ix, e: e, s: next, batch: o.Batch, started: time.Now(), progress: func(n int) {
		if o.Progress != nil {
			o.Progress(before+n, total)
		}
	}}
	return false, f.run(ctx)
}

// filling is the completion of one segment's column.
type filling struct {
	ix       *Index
	e        Source
	s        *live
	batch    int
	vectors  [][]winnow.Vector // of each chunk
	covered  int
	started  time.Time
	progress func(done int)
}

func (f *filling) run(ctx context.Context) error {
	n := f.s.chunkCount()
	f.vectors = make([][]winnow.Vector, n)
	have := make([]bool, n)
	if c := f.s.columns[f.e.Name()]; c != nil {
		for ord := range n {
			vs, err := c.Vectors(uint32(ord))
			if err != nil {
				return err
			}
			if vs != nil {
				f.vectors[ord], have[ord] = vs, true
				f.covered++
			}
		}
	}
	var ords []int
	var chunks []winnow.Chunk
	embed := func() error {
		if len(ords) == 0 {
			return nil
		}
		vs, err := f.e.Vectors(ctx, chunks)
		if err != nil {
			return err
		}
		if len(vs) != len(ords) {
			return fmt.Errorf("the embedder %s returned vectors for %d chunks of %d", f.e.Name(), len(vs), len(ords))
		}
		for i, ord := range ords {
			f.vectors[ord] = vs[i]
		}
		f.covered += len(ords)
		f.progress(f.covered)
		ords, chunks = ords[:0], chunks[:0]
		if time.Since(f.started) > fillCommit {
			f.started = time.Now()
			return f.commit(ctx)
		}
		return nil
	}
	for ord := range n {
		if have[ord] {
			continue
		}
		c, err := f.s.sourceChunk(uint32(ord))
		if err != nil {
			return err
		}
		ords, chunks = append(ords, ord), append(chunks, c)
		if len(ords) == f.batch {
			if err := embed(); err != nil {
				return errors.Join(err, f.commit(context.WithoutCancel(ctx)))
			}
		}
	}
	if err := embed(); err != nil {
		return errors.Join(err, f.commit(context.WithoutCancel(ctx)))
	}
	f.covered = n
	return f.commit(ctx)
}

// sourceChunk is a chunk as far as a source needs it.
func (s *live) sourceChunk(ord uint32) (c winnow.Chunk, err error) {
	err = s.chunks.Record(int(ord), func(b []byte) (err error) {
		c, err = decodeChunk(b)
		return err
	})
	if err != nil {
		return c, err
	}
	d := s.owner.Int(int(ord))
	if c.Title, err = s.title(d); err != nil {
		return c, err
	}
	c.Document, err = s.id(d)
	c.Ordinal = int(ord - s.first.At(d))
	c.ID = winnow.ChunkID(c.Document, c.Ordinal)
	return c, err
}

// EmbedText joins what is embedded of a chunk: its title and heading lead, as
// they do for a reader.
func EmbedText(title, heading, text string) string {
	if text == "" {
		return ""
	}
	if heading != "" && heading != title {
		if title != "" {
			title += ". "
		}
		title += heading
	}
	if title == "" {
		return text
	}
	return title + ". " + text
}

// commit writes the column as far as it is and names it in the manifest, if the
// segment is still there.
func (f *filling) commit(ctx context.Context) error {
	b, err := vector.NewBuilder(f.e.Name(), f.e.Dim())
	if err != nil {
		return err
	}
	for ord, vs := range f.vectors {
		if len(vs) > 0 {
			if err := b.Add(uint32(ord), vs...); err != nil {
				return err
			}
		}
	}
	name := pendingName(0)
	path := filepath.Join(f.ix.dir, name)
	w, err := segment.Create(path)
	if err != nil {
		return err
	}
	if err := b.Write(w); err != nil {
		w.Abort()
		return err
	}
	if err := w.Finish(); err != nil {
		return err
	}
	defer os.Remove(path)
	unlock, err := lock(ctx, f.ix.dir)
	if err != nil {
		return err
	}
	defer unlock()
	m, err := readManifest(f.ix.dir)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(m.Segments, func(s segmentInfo) bool { return s.File == f.s.info.File })
	if i < 0 { // merged away meanwhile; the caller starts again with what is there
		return nil
	}
	info := &m.Segments[i]
	columns := map[string]columnInfo{}
	for space, c := range info.Columns {
		columns[space] = c
	}
	c := columnInfo{File: m.nextFile("column"), Covered: f.covered}
	columns[f.e.Name()] = c
	info.Columns = columns
	if err := link(f.ix.dir, name, c.File); err != nil {
		return err
	}
	if err := segment.SyncDir(f.ix.dir); err != nil {
		return err
	}
	if err := m.write(f.ix.dir); err != nil {
		return err
	}
	sweep(f.ix.dir, m)
	return nil
}
