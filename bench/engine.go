package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/bench/corpus"
	"github.com/winnow-search/winnow/index"
)

// engineSize says how much the engine's benchmark measures.
type engineSize struct {
	compared  int   // passages in the comparison with bleve and the scan
	growth    []int // passages in the table of growth, of corpus.Sizes
	growthOf  string
	builds    int
	questions int
	rounds    int
}

func engineSizeOf(quick bool) engineSize {
	if quick {
		return engineSize{compared: 50_000, growth: []int{10_000, 50_000}, growthOf: "open_50k_vs_10k",
			builds: 1, questions: 100, rounds: 3}
	}
	return engineSize{compared: 100_000, growth: []int{10_000, 100_000, 1_000_000}, growthOf: "open_1m_vs_100k",
		builds: 3, questions: 200, rounds: 9}
}

// engine measures the embedded engine: against bleve what both do, and against a
// scan what bleve does not do.
func engine(ctx context.Context, quick bool, r *report) error {
	size := engineSizeOf(quick)
	largest := size.growth[len(size.growth)-1]
	progress("corpus of %d passages", largest)
	texts, err := corpus.Open(largest)
	if err != nil {
		return err
	}
	cache, err := corpus.Dir()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(cache, "engine-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e := &engineRun{report: r, size: size, corpus: texts, dir: dir}
	for _, part := range []func(context.Context) error{e.build, e.bm25, e.grep, e.growth} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// engineRun is what the parts of one run share.
type engineRun struct {
	*report
	size   engineSize
	corpus *corpus.Corpus
	dir    string
	// Of the comparison.
	passages []corpus.Passage
	built    string // folder with both indexes
}

// document is a passage as winnow holds it: one chunk.
func document(p corpus.Passage) *winnow.Document {
	return &winnow.Document{ID: p.ID, Title: p.Title,
		Chunks: []winnow.Chunk{{Text: p.Text, Lines: [2]int{1, 1}, Tokens: len(p.Text) / 4}}}
}

// putAll indexes passages in dir and returns when all of them are on disk and
// merged.
func putAll(ctx context.Context, dir string, put func(func(corpus.Passage) error) error) error {
	ix, err := index.Create(filepath.Join(dir, "winnow"), index.Settings{})
	if err != nil {
		return err
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		return err
	}
	defer w.Close()
	if err := put(func(p corpus.Passage) error { return w.Put(ctx, document(p)) }); err != nil {
		return err
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	return w.Close()
}

// first puts the first n passages of a corpus.
func first(texts *corpus.Corpus, n int) func(add func(corpus.Passage) error) error {
	return func(add func(corpus.Passage) error) error {
		for p, err := range texts.Passages(n) {
			if err != nil {
				return err
			}
			if err := add(p); err != nil {
				return err
			}
		}
		return nil
	}
}

func openWinnow(dir string) (*index.Snapshot, func(), error) {
	ix, err := index.Open(filepath.Join(dir, "winnow"))
	if err != nil {
		return nil, nil, err
	}
	snap, err := ix.Snapshot()
	if err != nil {
		ix.Close()
		return nil, nil, err
	}
	return snap, func() { snap.Close(); ix.Close() }, nil
}

// searchWinnow returns the ids of the k best passages; the scores are in the
// same answer.
func searchWinnow(ctx context.Context, snap *index.Snapshot, question string, k int) ([]string, error) {
	hits, err := snap.Top(ctx, index.Request{Query: winnow.Query{Text: question, K: k, Legs: []winnow.Leg{winnow.LegBM25}}})
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = strings.TrimSuffix(h.ID, "_0") // a passage is one chunk
	}
	return ids, nil
}
