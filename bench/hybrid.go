package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/bench/corpus"
	"github.com/winnow-search/winnow/embed/minilm"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/segment"
	"github.com/winnow-search/winnow/index/vector"
	"github.com/winnow-search/winnow/rerank"
)

// hybridExcluded is the number of ids each query excludes: what an agent has
// seen after some turns.
const hybridExcluded = 200

// hybrid measures the load that training an agent puts on the engine: words,
// vectors and fusion with exclusions, beside bleve with words alone, and the
// same with links and the ranker.
func hybrid(ctx context.Context, quick bool, r *report) error {
	n, embedded, rounds := 100_000, 2_000, 5
	if quick {
		n, embedded, rounds = 50_000, 300, 3
	}
	texts, err := corpus.Open(n)
	if err != nil {
		return err
	}
	cache, err := corpus.Dir()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(cache, "hybrid-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var passages []corpus.Passage
	for p, err := range texts.Passages(n) {
		if err != nil {
			return err
		}
		passages = append(passages, p)
	}
	questions, err := texts.Questions(n, 200)
	if err != nil {
		return err
	}
	progress("embedding %d passages", embedded)
	e, err := newJittered(ctx, passages[:embedded])
	if err != nil {
		return err
	}
	vectors, err := e.inner.Embed(ctx, questions)
	if err != nil {
		return err
	}
	of := map[string]winnow.Vector{}
	for i, q := range questions {
		of[q] = vectors[i][0]
	}
	progress("indexing %d passages", n)
	put := func(add func(corpus.Passage) error) error {
		for _, p := range passages {
			if err := add(p); err != nil {
				return err
			}
		}
		return nil
	}
	if err := putAll(ctx, dir, put); err != nil {
		return err
	}
	if err := buildBleve(ctx, dir, passages); err != nil {
		return err
	}
	progress("vectors")
	ix, err := index.Open(filepath.Join(dir, "winnow"))
	if err != nil {
		return err
	}
	if err := ix.Fill(ctx, e, index.FillOptions{}); err != nil {
		return err
	}
	ix.Close()
	snap, closeSnap, err := openWinnow(dir)
	if err != nil {
		return err
	}
	defer closeSnap()
	peer, err := openBleve(ctx, dir)
	if err != nil {
		return err
	}
	defer peer.Close()
	column, closeColumn, err := exactColumn(ctx, filepath.Join(dir, "exact"), e, passages)
	if err != nil {
		return err
	}
	defer closeColumn()
	ranker, err := rerank.Builtin(e.Name(), index.Features)
	if err != nil {
		return err
	}
	if ranker == nil {
		return fmt.Errorf("there is no ranker for %s", e.Name())
	}
	top := func(legs []winnow.Leg, ranker index.Ranker) search {
		return func(q string) ([]string, error) {
			_, err := snap.Top(ctx, index.Request{Space: e.Name(), Vector: of[q], Ranker: ranker, Query: winnow.Query{Text: q, K: topK, Legs: legs,
				Scope: winnow.Scope{ExcludeChunks: excluded(q, passages)}}})
			return nil, err
		}
	}
	runs := []struct {
		name, figure string
		find         search
	}{
		{"bleve, words alone", "", func(q string) ([]string, error) { return searchBleve(peer, q, topK) }},
		{"winnow, words and vectors", "hybrid_qps", top([]winnow.Leg{winnow.LegBM25, winnow.LegDense}, nil)},
		{"winnow, with links and ranker", "ranked_qps", top(nil, ranker)},
		{"plain int8 scan, vectors alone", "int8_scan_qps", func(q string) ([]string, error) {
			best := bm25.Top{K: topK}
			return nil, vector.SearchExact(vector.NewQuery(of[q]), []vector.Part{{Column: column}}, &best)
		}},
	}
	qps := make([][]float64, len(runs))
	var ratios []float64
	progress("questions")
	for range rounds {
		runtime.GC()
		for i, run := range runs {
			v, err := throughput(run.find, questions)
			if err != nil {
				return fmt.Errorf("%s: %w", run.name, err)
			}
			qps[i] = append(qps[i], v)
		}
		ratios = append(ratios, last(qps[1])/last(qps[0]))
	}
	rows := []string{"\tquestions/s"}
	for i, run := range runs {
		rows = append(rows, fmt.Sprintf("%s\t%.0f", run.name, median(qps[i])))
		if run.figure != "" {
			r.figure(run.figure, median(qps[i]))
		}
	}
	r.table(fmt.Sprintf("Hybrid search, %d passages, %d threads, top %d, query vectors given, %d ids excluded", n, threads, topK, hybridExcluded), rows...)
	r.figure("hybrid_vs_bleve_qps", median(ratios))
	return nil
}

// excluded are ids that a question leaves out, always the same.
func excluded(q string, passages []corpus.Passage) []string {
	h := fnv.New64a()
	h.Write([]byte(q))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	ids := make([]string, hybridExcluded)
	for i := range ids {
		ids[i] = winnow.ChunkID(passages[r.IntN(len(passages))].ID, 0)
	}
	return ids
}

// jittered gives every text a vector near a real one: MiniLM's of some passages,
// moved by half the difference of two others. Random vectors would have no
// neighbours.
type jittered struct {
	inner *minilm.Model
	real  []winnow.Vector
}

func newJittered(ctx context.Context, passages []corpus.Passage) (*jittered, error) {
	m, err := minilm.New(minilm.Options{})
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.Title + ". " + p.Text
	}
	vs, err := m.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	j := &jittered{inner: m}
	for _, v := range vs {
		j.real = append(j.real, v[0])
	}
	return j, nil
}

func (j *jittered) Name() string { return j.inner.Name() }
func (j *jittered) Dim() int     { return j.inner.Dim() }
func (j *jittered) Embed(_ context.Context, texts []string) ([][]winnow.Vector, error) {
	out := make([][]winnow.Vector, len(texts))
	for i, text := range texts {
		out[i] = []winnow.Vector{j.vector(text)}
	}
	return out, nil
}

func (j *jittered) vector(text string) winnow.Vector {
	h := fnv.New64a()
	h.Write([]byte(text))
	r := rand.New(rand.NewPCG(h.Sum64(), 2))
	pick := func() winnow.Vector { return j.real[r.IntN(len(j.real))] }
	v, a, b := append(winnow.Vector{}, pick()...), pick(), pick()
	sum := 0.0
	for i := range v {
		v[i] += 0.5 * (a[i] - b[i])
		sum += float64(v[i] * v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// exactColumn is all vectors in one column, for the plain scan.
func exactColumn(ctx context.Context, path string, e *jittered, passages []corpus.Passage) (*vector.Column, func(), error) {
	b, err := vector.NewBuilder(e.Name(), e.Dim())
	if err != nil {
		return nil, nil, err
	}
	for i, p := range passages {
		if err := b.Add(uint32(i), e.vector(strings.Clone(p.Text))); err != nil {
			return nil, nil, err
		}
	}
	w, err := segment.Create(path)
	if err != nil {
		return nil, nil, err
	}
	if err := b.Write(w); err != nil {
		w.Abort()
		return nil, nil, err
	}
	if err := w.Finish(); err != nil {
		return nil, nil, err
	}
	f, err := segment.Open(path)
	if err != nil {
		return nil, nil, err
	}
	c, err := vector.Open(f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return c, func() { f.Close() }, ctx.Err()
}
