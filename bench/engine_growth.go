package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/winnow-search/winnow/bench/corpus"
)

type buildAnswer struct {
	Seconds float64
	PeakMB  int
}

type openAnswer struct {
	Milliseconds float64
	Hits         int
}

type searchAnswer struct {
	P50, P95 float64
	MB       int
}

// growth builds indexes of rising size and shows what grows with them.
func (e *engineRun) growth(ctx context.Context) error {
	e.passages = nil // their memory is not needed any more
	sizes := e.size.growth
	type index struct {
		buildAnswer
		searchAnswer
		dir   string
		bytes int64
		opens []float64
	}
	grown := make([]index, len(sizes))
	for i, n := range sizes {
		progress("growth, %d passages", n)
		g := &grown[i]
		g.dir = filepath.Join(e.dir, fmt.Sprintf("grown-%d", n))
		if err := e.step(ctx, "build", &g.buildAnswer, g.dir, n); err != nil {
			return err
		}
		if err := e.step(ctx, "search", &g.searchAnswer, g.dir, n); err != nil {
			return err
		}
		var err error
		if g.bytes, err = diskBytes(g.dir); err != nil {
			return err
		}
	}
	var ratios []float64
	for range e.size.rounds {
		for i, n := range sizes {
			var a openAnswer
			if err := e.step(ctx, "open", &a, grown[i].dir, n); err != nil {
				return err
			}
			if a.Hits != 10 {
				return fmt.Errorf("the rare word of %d passages is in %d chunks, not 10", n, a.Hits)
			}
			grown[i].opens = append(grown[i].opens, a.Milliseconds)
		}
		ratios = append(ratios, last(grown[len(sizes)-1].opens)/last(grown[len(sizes)-2].opens))
	}
	rows := []string{"passages\tbuild s\tMB on disk\topen + query ms\tp50 ms\tp95 ms\tpeak MB, build\tMB, reader"}
	for i, n := range sizes {
		g := &grown[i]
		rows = append(rows, fmt.Sprintf("%d\t%.1f\t%d\t%.1f\t%.2f\t%.2f\t%d\t%d",
			n, g.Seconds, g.bytes>>20, median(g.opens), g.P50, g.P95, g.PeakMB, g.MB))
	}
	e.table("Growth, each step in a process of its own", rows...)
	e.figure(e.size.growthOf, median(ratios))
	return nil
}

func (e *engineRun) step(ctx context.Context, name string, answer any, dir string, n int) error {
	largest := e.size.growth[len(e.size.growth)-1]
	return runStep(ctx, "engine", name, answer, dir, strconv.Itoa(n), strconv.Itoa(largest), strconv.Itoa(e.size.questions))
}

// stepArgs are the arguments of each step: the folder, the number of passages,
// the corpus they are the first of, and the number of questions.
type stepArgs struct {
	dir                string
	n, size, questions int
}

func parseStep(args []string) (a stepArgs, err error) {
	if len(args) != 4 {
		return a, fmt.Errorf("a step takes four arguments, not %d", len(args))
	}
	a.dir = args[0]
	for i, to := range []*int{&a.n, &a.size, &a.questions} {
		if *to, err = strconv.Atoi(args[i+1]); err != nil {
			return a, err
		}
	}
	return a, nil
}

// buildStep indexes the passages as they are read from disk.
func buildStep(ctx context.Context, args []string) (any, error) {
	a, err := parseStep(args)
	if err != nil {
		return nil, err
	}
	texts, err := corpus.Open(a.size)
	if err != nil {
		return nil, err
	}
	ms, err := timed(func() error {
		return putAll(ctx, a.dir, first(texts, a.n))
	})
	_, peak := residentMB()
	return buildAnswer{ms / 1e3, peak}, err
}

// openStep is the first thing a fresh process does: open, ask for a word that is
// in ten chunks.
func openStep(ctx context.Context, args []string) (any, error) {
	a, err := parseStep(args)
	if err != nil {
		return nil, err
	}
	var answer openAnswer
	answer.Milliseconds, err = timed(func() error {
		snap, closeSnap, err := openWinnow(a.dir)
		if err != nil {
			return err
		}
		defer closeSnap()
		ids, err := searchWinnow(ctx, snap, corpus.Rare(a.n), topK)
		answer.Hits = len(ids)
		return err
	})
	return answer, err
}

// searchStep asks every question twice and times the second.
func searchStep(ctx context.Context, args []string) (any, error) {
	a, err := parseStep(args)
	if err != nil {
		return nil, err
	}
	texts, err := corpus.Open(a.size)
	if err != nil {
		return nil, err
	}
	questions, err := texts.Questions(a.n, a.questions)
	if err != nil {
		return nil, err
	}
	snap, closeSnap, err := openWinnow(a.dir)
	if err != nil {
		return nil, err
	}
	defer closeSnap()
	var times []float64
	for round := range 2 {
		for _, q := range questions {
			ms, err := timed(func() error {
				_, err := searchWinnow(ctx, snap, q, topK)
				return err
			})
			if err != nil {
				return nil, err
			}
			if round > 0 {
				times = append(times, ms)
			}
		}
	}
	now, _ := residentMB()
	return searchAnswer{median(times), quantile(times, 0.95), now}, nil
}
