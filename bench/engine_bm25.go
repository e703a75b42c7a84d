package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	topK = 50
	// turn is the number of questions that one engine answers before it is the
	// other's turn, so that what else the machine does hits both.
	turn = 10
	// threads is the number of concurrent callers in the measurement of
	// throughput.
	threads = 2
)

// search answers a question with ids, best first.
type search func(question string) ([]string, error)

// bm25 asks both the same questions.
func (e *engineRun) bm25(ctx context.Context) error {
	questions, err := e.corpus.Questions(e.size.compared, e.size.questions)
	if err != nil {
		return err
	}
	snap, closeSnap, err := openWinnow(e.built)
	if err != nil {
		return err
	}
	defer closeSnap()
	progress("merging bleve")
	peer, err := openBleve(ctx, e.built)
	if err != nil {
		return err
	}
	defer peer.Close()
	engines := [2]search{
		func(q string) ([]string, error) { return searchWinnow(ctx, snap, q, topK) },
		func(q string) ([]string, error) { return searchBleve(peer, q, topK) },
	}
	progress("questions")
	overlap, err := agreement(engines, questions) // also warms both up
	if err != nil {
		return err
	}
	var p50, p95, qps [2][]float64
	var faster, more []float64
	for range e.size.rounds {
		runtime.GC()
		times, err := latencies(ctx, engines, questions)
		if err != nil {
			return err
		}
		for i := range engines {
			p50[i] = append(p50[i], median(times[i]))
			p95[i] = append(p95[i], quantile(times[i], 0.95))
			n, err := throughput(engines[i], questions)
			if err != nil {
				return err
			}
			qps[i] = append(qps[i], n)
		}
		faster = append(faster, median(times[1])/median(times[0]))
		more = append(more, last(qps[0])/last(qps[1]))
	}
	row := func(name string, i int) string {
		return fmt.Sprintf("%s\t%.2f\t%.2f\t%.0f", name, median(p50[i]), median(p95[i]), median(qps[i]))
	}
	e.table(fmt.Sprintf("BM25, %d passages, %d questions of 6–10 terms, top %d, ids and scores", e.size.compared, len(questions), topK),
		fmt.Sprintf("\tp50 ms\tp95 ms\tquestions/s, %d threads", threads),
		row("winnow", 0), row("bleve", 1),
		fmt.Sprintf("of the best ten of each, in both\t%.0f%%", 100*overlap))
	e.figure("bm25_vs_bleve_p50", median(faster))
	e.figure("bm25_vs_bleve_qps", median(more))
	return nil
}

func last(values []float64) float64 { return values[len(values)-1] }

// agreement is the share of the best ten that both return. It is not all of them:
// bleve drops more stop words, multiplies by the share of terms that match, and
// takes the number of different terms in the index for that of all terms when it
// averages lengths. Far fewer would mean that the two do not do the same work.
func agreement(engines [2]search, questions []string) (float64, error) {
	common, total := 0, 0
	for _, q := range questions {
		var best [2][]string
		for i, find := range engines {
			ids, err := find(q)
			if err != nil {
				return 0, err
			}
			best[i] = ids[:min(10, len(ids))]
		}
		for _, id := range best[0] {
			if slices.Contains(best[1], id) {
				common++
			}
		}
		total += max(len(best[0]), len(best[1]))
	}
	return float64(common) / float64(total), nil
}

// latencies asks every question once, one at a time, in turns, and returns the
// milliseconds of each.
func latencies(ctx context.Context, engines [2]search, questions []string) (times [2][]float64, err error) {
	for some := range slices.Chunk(questions, turn) {
		for i, find := range engines {
			for _, q := range some {
				ms, err := timed(func() error {
					_, err := find(q)
					return err
				})
				if err != nil {
					return times, err
				}
				times[i] = append(times[i], ms)
			}
		}
		if err := ctx.Err(); err != nil {
			return times, err
		}
	}
	return times, nil
}

// throughput is the number of answers per second to concurrent callers.
func throughput(find search, questions []string) (perSecond float64, err error) {
	const span = 500 * time.Millisecond
	var asked atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, threads)
	start := time.Now()
	for t := range threads {
		wg.Go(func() {
			for time.Since(start) < span && errs[t] == nil {
				_, errs[t] = find(questions[int(asked.Add(1))%len(questions)])
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return 0, err
		}
	}
	return float64(asked.Load()) / time.Since(start).Seconds(), nil
}
