package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/bench/corpus"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/policy/scripted"
)

// rolloutTurns is how many turns of two searches each rollout takes: enough to
// fill a view.
const rolloutTurns = 8

// rollouts runs many scripted rollouts at once over one collection on disk. All
// of them meet in their last turn, where each holds the most: there the heap is
// measured.
func rollouts(ctx context.Context, r *report, size agentSize, texts *corpus.Corpus) error {
	cache, err := corpus.Dir()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(cache, "agent-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	progress("indexing %d passages", size.passages)
	err = putAll(ctx, dir, first(texts, size.passages))
	if err != nil {
		return err
	}
	questions, err := texts.Questions(size.passages, 1000)
	if err != nil {
		return err
	}
	ix, err := index.Open(filepath.Join(dir, "winnow"))
	if err != nil {
		return err
	}
	defer ix.Close()
	opened, err := local.Open(ix, local.Options{Collection: "bench"})
	if err != nil {
		return err
	}
	defer opened.Close()
	c := &counted{Corpus: opened}

	progress("%d rollouts", size.rollouts)
	var arrived sync.WaitGroup
	arrived.Add(size.rollouts)
	release := make(chan struct{})
	of := func(i int) agent.Options {
		last := sync.OnceFunc(arrived.Done)
		policy := scripted.Func(func(ctx context.Context, v *winnow.View) (winnow.Action, error) {
			if v.Turn <= rolloutTurns {
				at := (i + 2*v.Turn) % (len(questions) - 1)
				return searching(v, questions[at], questions[at+1]), nil
			}
			last()
			select {
			case <-release:
			case <-ctx.Done():
				return winnow.Action{}, ctx.Err()
			}
			var names []string
			v.Chunks(func(p *winnow.Part) { names = append(names, p.Name()) })
			return scripted.Answer(names[:min(5, len(names))]...), nil
		})
		return agent.Options{Question: questions[i%len(questions)], Corpus: c, Policy: policy, Seed: uint64(i), CallTimeout: 10 * time.Minute}
	}
	before := heap()
	var held, measuring float64
	measured := make(chan struct{})
	start := time.Now()
	go func() {
		defer close(measured)
		defer close(release)
		arrived.Wait()
		pause := time.Now()
		held = heap() - before
		measuring = time.Since(pause).Seconds()
	}()
	errors, view := 0, 0
	for e, err := range agent.Rollouts(ctx, size.rollouts, of) {
		if err != nil {
			return err
		}
		switch {
		case e.Rollout == 0: // the fusion
		case e.Observation != nil:
			for _, result := range e.Observation.Results {
				if result.Code != "" {
					errors++
				}
			}
		case e.End != nil:
			view = max(view, e.End.PeakView)
			if e.End.Ended != winnow.Concluded {
				errors++
			}
		}
	}
	<-measured
	took := time.Since(start).Seconds() - measuring
	each := held / float64(size.rollouts) / 1024
	r.table(fmt.Sprintf("%d rollouts at once, %d turns each, %d passages", size.rollouts, rolloutTurns+1, size.passages),
		"rollouts/s\tsearches/s\theap each, KiB\tlargest view\terrors",
		fmt.Sprintf("%.1f\t%.0f\t%.0f\t%d\t%d", float64(size.rollouts)/took, float64(c.searches.Load())/took, each, view, errors))
	r.figure("rollouts_per_s", float64(size.rollouts)/took)
	r.figure("searches_per_s", float64(c.searches.Load())/took)
	r.figure("rollout_heap_kib", each)
	r.figure("rollout_errors", float64(errors))
	return nil
}

// counted counts the searches of a corpus.
type counted struct {
	winnow.Corpus
	searches atomic.Int64
}

func (c *counted) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	c.searches.Add(1)
	return c.Corpus.Search(ctx, q)
}

// heap is what is alive on the heap, in bytes.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
