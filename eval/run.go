package eval

import (
	"context"
	"sync"
	"time"

	"github.com/winnow-search/winnow"
)

// Answer has a policy answer one task. An error is a failure of that question:
// it counts as 0, is listed, and the run goes on. With it, Outcome still says
// what kind of policy failed (RankingOnly) and what it had cost.
type Answer func(context.Context, Task) (Outcome, error)

// Options of a run.
type Options struct {
	// Policy and Model are names for the report.
	Policy string
	Model  string
	// Concurrency is how many questions are under way at once; 0 means 1, which
	// measures latency best.
	Concurrency int
	// Limit asks only the first so many questions, so that two runs with the same
	// limit can be compared; 0 means all.
	Limit int
	// Seed is that of the intervals.
	Seed uint64
	// Progress is called after each question, never concurrently, in the order
	// in which they end.
	Progress func(Progress)
}

// Progress says how far a run is.
type Progress struct {
	Done    int
	Total   int
	Failed  int
	Elapsed time.Duration
	// Left is the time that the rest takes at the pace so far.
	Left time.Duration
	// Last is the question that has just ended.
	Last Result
}

// Run asks every task and reports. Results are in the order of the tasks,
// whatever the concurrency. If the context ends, so does the run, with its
// error; what was finished has been passed to Progress.
func Run(ctx context.Context, d *Dataset, answer Answer, o Options) (*Report, error) {
	tasks := d.Tasks
	if o.Limit > 0 && o.Limit < len(tasks) {
		tasks = tasks[:o.Limit]
	}
	if len(tasks) == 0 {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "there are no questions to ask in " + d.Name}
	}
	results := make([]Result, len(tasks))
	progress := Progress{Total: len(tasks)}
	start := time.Now()
	next := make(chan int)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range min(max(1, o.Concurrency), len(tasks)) {
		workers.Go(func() {
			for i := range next {
				outcome := timed(ctx, answer, tasks[i])
				if ctx.Err() != nil {
					continue // cut short, so neither an answer nor a failure
				}
				results[i] = NewResult(&tasks[i], outcome)
				mu.Lock()
				progress.add(results[i], time.Since(start))
				if o.Progress != nil {
					o.Progress(progress)
				}
				mu.Unlock()
			}
		})
	}
feed:
	for i := range tasks {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	r := Summarise(results, o.Seed)
	r.Dataset, r.Policy, r.Model = d.Name, o.Policy, o.Model
	r.Problems = append(r.Problems, d.Problems...)
	return r, nil
}

func timed(ctx context.Context, answer Answer, t Task) Outcome {
	start := time.Now()
	outcome, err := answer(ctx, t)
	outcome.LatencyMS = float64(time.Since(start)) / float64(time.Millisecond)
	if err != nil {
		outcome.Error = err.Error()
	}
	return outcome
}

func (p *Progress) add(r Result, elapsed time.Duration) {
	p.Done++
	if r.Outcome.Error != "" {
		p.Failed++
	}
	p.Elapsed = elapsed
	p.Left = elapsed / time.Duration(p.Done) * time.Duration(p.Total-p.Done)
	p.Last = r
}
