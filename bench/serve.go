package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-search/winnow/bench/corpus"
)

// serveSize is how much the server is asked.
type serveSize struct {
	passages, clients, runs int
}

// serveWarm is the share of runs after which memory is first looked at: by then
// every pool and cache has its size.
const serveWarm = 10

// serving puts many clients at once before a server in a process of its own,
// each of which asks again as soon as it has its answer.
func serving(ctx context.Context, quick bool, r *report) error {
	size := serveSize{passages: 10_000, clients: 200, runs: 10_000}
	if quick {
		size.runs = 600
	}
	texts, err := corpus.Open(size.passages)
	if err != nil {
		return err
	}
	questions, err := texts.Questions(size.passages, 1000)
	if err != nil {
		return err
	}
	s, err := startServer(ctx, texts, size.passages)
	if err != nil {
		return err
	}
	defer s.stop()

	progress("one client")
	var alone []float64
	for i := range 60 {
		a, err := s.ask(ctx, i, questions[i])
		if err != nil {
			return err
		}
		if i >= 10 { // the first ones load models and map files
			alone = append(alone, a.done)
		}
	}
	single := median(alone)

	progress("%d clients, %d runs", size.clients, size.runs)
	load, err := s.load(ctx, size, questions)
	if err != nil {
		return err
	}
	cores := runtime.NumCPU()
	fair := float64(size.clients) / float64(cores) * single
	p95 := quantile(load.done, 0.95)
	r.table(fmt.Sprintf("%d runs over %d passages, policy %s", size.runs, size.passages, s.policy),
		"\tclients\tms to headers, p95\tms to done, median\tp95\truns/s\terrors",
		fmt.Sprintf("alone\t1\t\t%.1f\t%.1f\t%.1f\t", single, quantile(alone, 0.95), 1000/single),
		fmt.Sprintf("at once\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%d", size.clients, quantile(load.headers, 0.95), median(load.done), p95, load.perSecond, load.errors))
	r.table("memory of the server", fmt.Sprintf("after %d runs\t%d MB", size.runs/serveWarm, load.warmMB), fmt.Sprintf("after %d runs\t%d MB", size.runs, load.endMB))
	if load.first != nil {
		r.table("the first error", load.first.Error())
	}
	r.figure("serve_single_ms", single)
	r.figure("serve_runs_per_s", load.perSecond)
	r.figure("serve_errors", float64(load.errors))
	r.figure("serve_headers_p95_ms", quantile(load.headers, 0.95))
	r.figure("serve_done_p95_ratio", p95/fair)
	r.figure("serve_rss_growth", float64(load.endMB)/float64(max(1, load.warmMB)))
	return nil
}

// served is what came of many runs. Times are in milliseconds.
type served struct {
	headers, done []float64
	perSecond     float64
	errors        int
	first         error
	warmMB, endMB int
}

// load has all clients ask until the runs are through.
func (s *server) load(ctx context.Context, size serveSize, questions []string) (*served, error) {
	out := &served{}
	var mu sync.Mutex
	var next, finished atomic.Int64
	var group sync.WaitGroup
	began := time.Now()
	for range size.clients {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= size.runs {
					return
				}
				a, err := s.ask(ctx, i, questions[i%len(questions)])
				mu.Lock()
				if err != nil {
					out.errors++
					if out.first == nil {
						out.first = err
					}
				} else {
					out.headers, out.done = append(out.headers, a.headers), append(out.done, a.done)
				}
				if n := int(finished.Add(1)); n == size.runs/serveWarm {
					out.warmMB = s.residentMB()
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	out.perSecond = float64(size.runs) / time.Since(began).Seconds()
	out.endMB = s.residentMB()
	if len(out.done) == 0 {
		return nil, fmt.Errorf("no run succeeded: %w", out.first)
	}
	return out, ctx.Err()
}

// writeCorpus writes the passages as a file that winnow indexes.
func writeCorpus(path string, texts *corpus.Corpus, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	e := json.NewEncoder(f)
	for p, err := range texts.Passages(n) {
		if err != nil {
			return err
		}
		if err := e.Encode(map[string]string{"id": p.ID, "title": p.Title, "text": p.Text}); err != nil {
			return err
		}
	}
	return f.Close()
}

// scratch is a folder for one run of a benchmark.
func scratch(name string) (string, error) {
	cache, err := corpus.Dir()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(cache, name+"-*")
	return filepath.Clean(dir), err
}
