package eval

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/winnow-search/winnow"
)

// Answer has a policy answer one task. An error is a failure of that question:
// it counts as 0, is listed, and the run goes on, unless it is a [Halt]. With it,
// Outcome still says what kind of policy failed (RankingOnly) and what it had
// cost.
type Answer func(context.Context, Task) (Outcome, error)

// Halt is an error of Answer that every other question would meet too: a server
// that is gone, a key that is refused. The run stops, and the question does not
// count as asked.
type Halt struct{ Err error }

func (h *Halt) Error() string { return h.Err.Error() }
func (h *Halt) Unwrap() error { return h.Err }

// Stopped is a run that ended before its questions did. What was finished has
// been kept, and a run with it in Finished goes on from there.
type Stopped struct {
	Done, Total int
	Err         error
}

func (s *Stopped) Error() string {
	return fmt.Sprintf("the run stopped after %d of %d questions: %s", s.Done, s.Total, s.Err)
}
func (s *Stopped) Unwrap() error { return s.Err }

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
	// Finished are results of an earlier part of the same run, by question. They
	// are reported and not asked again.
	Finished map[string]Result
	// Before is asked before each question is begun, with the number of those
	// under way; an error stops the run once these are finished.
	Before func(underWay int) error
	// Keep is given each result as its question ends, never concurrently; an
	// error stops the run.
	Keep func(*Result) error
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

// Asked are the tasks of a data set that a run with a limit asks.
func (d *Dataset) Asked(limit int) []Task {
	if limit > 0 && limit < len(d.Tasks) {
		return d.Tasks[:limit]
	}
	return d.Tasks
}

// Run asks every task and reports. Results are in the order of the tasks,
// whatever the concurrency. If the context ends, so does the run, with its
// error; if something stops it, the error is a *[Stopped].
func Run(ctx context.Context, d *Dataset, answer Answer, o Options) (*Report, error) {
	tasks := d.Asked(o.Limit)
	if len(tasks) == 0 {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "there are no questions to ask in " + d.Name}
	}
	r := &running{answer: answer, options: o, results: make([]Result, len(tasks)), progress: Progress{Total: len(tasks)}, start: time.Now()}
	var open []int
	for i := range tasks {
		if done, ok := o.Finished[tasks[i].ID]; ok {
			r.results[i] = done
			r.before++
			continue
		}
		open = append(open, i)
	}
	r.progress.Done = r.before
	if err := r.ask(ctx, tasks, open); err != nil {
		return nil, err
	}
	report := Summarise(r.results, o.Seed)
	report.Dataset, report.Policy, report.Model = d.Name, o.Policy, o.Model
	report.Problems = append(report.Problems, d.Problems...)
	return report, nil
}

// running is a run under way.
type running struct {
	answer  Answer
	options Options
	results []Result
	start   time.Time
	before  int // questions that were finished before it began

	mu       sync.Mutex
	progress Progress
	underWay int
}

// ask has workers answer the tasks that are open.
func (r *running) ask(parent context.Context, tasks []Task, open []int) error {
	ctx, stop := context.WithCancelCause(parent)
	defer stop(nil)
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(max(1, r.options.Concurrency), len(open)) {
		workers.Go(func() {
			for i := range next {
				outcome, halt := timed(ctx, r.answer, tasks[i])
				if halt != nil {
					stop(halt)
				}
				if ctx.Err() != nil {
					r.leave()
					continue // cut short, so neither an answer nor a failure
				}
				r.results[i] = NewResult(&tasks[i], outcome)
				if err := r.finish(&r.results[i]); err != nil {
					stop(err)
				}
			}
		})
	}
	var early error
feed:
	for _, i := range open {
		if early = r.enter(); early != nil {
			break
		}
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	workers.Wait()
	if parent.Err() != nil {
		return context.Cause(parent)
	}
	if err := context.Cause(ctx); err != nil {
		early = err
	}
	if early != nil {
		return &Stopped{Done: r.progress.Done, Total: r.progress.Total, Err: early}
	}
	return nil
}

// enter counts a question in, unless the run is to stop before it.
func (r *running) enter() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.options.Before != nil {
		if err := r.options.Before(r.underWay); err != nil {
			return err
		}
	}
	r.underWay++
	return nil
}

func (r *running) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.underWay--
}

// finish keeps a result and tells of it.
func (r *running) finish(q *Result) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.underWay--
	if r.options.Keep != nil {
		if err := r.options.Keep(q); err != nil {
			return err
		}
	}
	r.progress.add(*q, time.Since(r.start), r.before)
	if r.options.Progress != nil {
		r.options.Progress(r.progress)
	}
	return nil
}

func timed(ctx context.Context, answer Answer, t Task) (Outcome, *Halt) {
	start := time.Now()
	outcome, err := answer(ctx, t)
	if !outcome.Untimed {
		outcome.LatencyMS = float64(time.Since(start)) / float64(time.Millisecond)
	}
	if halt, is := err.(*Halt); is {
		return outcome, halt
	}
	if err != nil {
		outcome.Error = err.Error()
	}
	return outcome, nil
}

func (p *Progress) add(r Result, elapsed time.Duration, before int) {
	p.Done++
	if r.Outcome.Error != "" {
		p.Failed++
	}
	p.Elapsed = elapsed
	p.Left = elapsed / time.Duration(p.Done-before) * time.Duration(p.Total-p.Done)
	p.Last = r
}
