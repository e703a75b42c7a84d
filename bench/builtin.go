package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/bench/corpus"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/index"
	builtinpolicy "github.com/winnow-search/winnow/policy/builtin"
	"github.com/winnow-search/winnow/rerank"
)

// builtinSize is a collection that questions are asked of.
type builtinSize struct {
	passages  int
	name      string // in figures
	questions int
	rounds    int
}

// builtin measures what a question costs with the built-in policy, beside one
// query of the same collection: with the default model for the question, vectors
// for all passages, links and the ranker.
func builtin(ctx context.Context, quick bool, r *report) error {
	sizes, embedded := []builtinSize{{10_000, "10k", 100, 5}, {1_000_000, "1m", 60, 3}}, 1_000
	if quick {
		sizes, embedded = []builtinSize{{10_000, "10k", 40, 3}, {100_000, "100k", 20, 3}}, 200
	}
	texts, err := corpus.Open(sizes[len(sizes)-1].passages)
	if err != nil {
		return err
	}
	var passages []corpus.Passage
	for p, err := range texts.Passages(embedded) {
		if err != nil {
			return err
		}
		passages = append(passages, p)
	}
	progress("embedding %d passages", embedded)
	e, err := newJittered(ctx, passages)
	if err != nil {
		return err
	}
	weights, err := builtinpolicy.Load("", e.Name())
	if err != nil {
		return err
	}
	model := builtinpolicy.NewModel(weights)
	rows := []string{"passages\tquery ms\tquestion ms\tratio\tturns\tcalls\tms in the policy\tms in the corpus"}
	for _, size := range sizes {
		row, err := size.measure(ctx, r, texts, e, model)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	r.table("A question with the built-in policy beside one query, medians; calls of a turn run side by side, and each counts in the corpus", rows...)
	return nil
}

func (s builtinSize) measure(ctx context.Context, r *report, texts *corpus.Corpus, e *jittered, model *builtinpolicy.Model) (row string, err error) {
	cache, err := corpus.Dir()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(cache, "builtin-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	c, closeCorpus, err := s.open(ctx, dir, texts, e)
	if err != nil {
		return "", err
	}
	defer closeCorpus()
	questions, err := s.ask(texts)
	if err != nil {
		return "", err
	}
	progress("questions")
	var queries, asked, ratios, policies, inCorpus []float64
	turns, calls := 0, 0
	for round := range s.rounds + 1 {
		runtime.GC()
		var query, ask []float64
		for _, q := range questions {
			ms, err := timed(func() error {
				_, err := c.Search(ctx, winnow.Query{Text: q})
				return err
			})
			if err != nil {
				return "", err
			}
			query = append(query, ms)
			policy, stopped := &watched{Policy: model.Policy()}, &stopwatch{Corpus: c}
			var end *winnow.End
			ms, err = timed(func() error {
				t, err := agent.Do(ctx, agent.Options{Question: q, Corpus: stopped, Policy: policy})
				if err == nil {
					end = t.End()
				}
				return err
			})
			if err != nil {
				return "", err
			}
			if end.Ended != winnow.Concluded {
				return "", fmt.Errorf("a run ended as %s: %v", end.Ended, end.Warnings)
			}
			ask = append(ask, ms)
			policies, inCorpus = append(policies, policy.took.Seconds()*1e3), append(inCorpus, float64(stopped.took.Load())/1e6)
			turns, calls = turns+end.Turns, calls+end.Calls
		}
		if round == 0 {
			continue // pages of files and terms of words are read for the first time
		}
		queries, asked = append(queries, median(query)), append(asked, median(ask))
		ratios = append(ratios, median(ask)/median(query))
	}
	r.figure("builtin_vs_query_"+s.name, median(ratios))
	r.figure("builtin_ms_"+s.name, median(asked))
	r.figure("query_ms_"+s.name, median(queries))
	n := float64(len(policies))
	return fmt.Sprintf("%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f", s.passages, median(queries), median(asked), median(ratios),
		float64(turns)/n, float64(calls)/n, median(policies), median(inCorpus)), nil
}

// open indexes the passages, with a vector for each, as a corpus whose questions
// the default model embeds.
func (s builtinSize) open(ctx context.Context, dir string, texts *corpus.Corpus, e *jittered) (*local.Corpus, func(), error) {
	progress("indexing %d passages", s.passages)
	err := putAll(ctx, dir, first(texts, s.passages))
	if err != nil {
		return nil, nil, err
	}
	ix, err := index.Open(filepath.Join(dir, "winnow"))
	if err != nil {
		return nil, nil, err
	}
	defer ix.Close()
	progress("vectors")
	if err := ix.Fill(ctx, e, index.FillOptions{Batch: 4096}); err != nil {
		return nil, nil, err
	}
	ranker, err := rerank.Builtin(e.Name(), index.Features)
	if err != nil {
		return nil, nil, err
	}
	const weight = 0.75 // as collections are opened by name
	c, err := local.Open(ix, local.Options{Collection: "bench", Tiers: []local.Tier{{Embedder: e.inner, Ranker: ranker, Weight: weight}}})
	if err != nil {
		return nil, nil, err
	}
	return c, func() { c.Close() }, nil
}

// ask are questions of which every second has two clauses, about two passages: in
// parts the policy searches for each.
func (s builtinSize) ask(texts *corpus.Corpus) ([]string, error) {
	single, err := texts.Questions(s.passages, 2*s.questions)
	if err != nil {
		return nil, err
	}
	questions := make([]string, s.questions)
	for i := range questions {
		if questions[i] = single[2*i]; i%2 == 1 {
			questions[i] = single[2*i][:len(single[2*i])-1] + " and " + single[2*i+1]
		}
	}
	return questions, nil
}

// watched is a policy of which it is known how long it thought.
type watched struct {
	winnow.Policy
	took time.Duration
}

func (w *watched) Next(ctx context.Context, v *winnow.View) (winnow.Action, error) {
	defer func(from time.Time) { w.took += time.Since(from) }(time.Now())
	return w.Policy.Next(ctx, v)
}

// stopwatch is a corpus of which it is known how long it searched.
type stopwatch struct {
	winnow.Corpus
	took atomic.Int64
}

func (s *stopwatch) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	defer func(from time.Time) { s.took.Add(int64(time.Since(from))) }(time.Now())
	return s.Corpus.Search(ctx, q)
}

func (s *stopwatch) Neighbours(ctx context.Context, q winnow.LinkQuery) (*winnow.Neighbours, error) {
	defer func(from time.Time) { s.took.Add(int64(time.Since(from))) }(time.Now())
	return s.Corpus.Neighbours(ctx, q)
}
