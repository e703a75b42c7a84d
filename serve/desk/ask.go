package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/runs"
	"github.com/winnow-search/winnow/wire"
)

// The bounds of a request.
const (
	maxQuestion = 32 << 10 // bytes; more leaves no room in any budget
	maxRollouts = 16
	maxTexts    = 1 << 20 // tokens of an answer
)

// Ask takes a question in. What is wrong with the request is said at once, and
// so is a queue without room; everything else happens to the run. The run ends,
// with the best ranking there is by then, when ctx does.
func (d *Desk) Ask(ctx context.Context, q *wire.AskRequest) (*Run, error) {
	d.draining.RLock()
	defer d.draining.RUnlock()
	if d.ctx.Err() != nil {
		return nil, draining()
	}
	o, err := d.take(q)
	if err != nil {
		return nil, err
	}
	t, err := d.queue.join()
	if err != nil {
		d.counts.refused.Add(1)
		return nil, err
	}
	r := &Run{ID: runs.NewID(q.Question), queue: d.queue, ticket: t, asked: time.Now(), changed: make(chan struct{})}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(d.ctx, cancel)
	d.work.Go(func() {
		defer cancel()
		defer stop()
		r.finish(d.turn(ctx, r, o))
		d.trim()
	})
	return r, nil
}

// order is a request with what it stands for here.
type order struct {
	*wire.AskRequest
	scope    winnow.Scope
	searcher Searcher
	names    []string // of collections
}

// take says what is wrong with a request, or what it stands for.
func (d *Desk) take(q *wire.AskRequest) (o *order, err error) {
	if err := checkAsk(q); err != nil {
		return nil, err
	}
	o = &order{AskRequest: q}
	if o.scope, err = d.scope(&q.In); err != nil {
		return nil, err
	}
	if o.searcher, err = d.choose(q); err != nil {
		return nil, err
	}
	o.names, err = d.shelf.resolve(q.Collections)
	return o, err
}

// turn waits for the run's turn and takes it.
func (d *Desk) turn(ctx context.Context, r *Run, o *order) (answer wire.Ask, err error) {
	if err := d.queue.wait(ctx, r.ticket); err != nil {
		return answer, d.gone(err)
	}
	began := time.Now()
	defer func() { d.queue.leave(time.Since(began)) }()
	if err := cmp.Or(ctx.Err(), d.ctx.Err()); err != nil { // its turn came with its end
		return answer, d.gone(err)
	}
	answer, err = d.run(ctx, r, o)
	d.counts.ended(answer.Ended, time.Since(began))
	return answer, err
}

// gone is why a run ended before it began.
func (d *Desk) gone(err error) error {
	if d.ctx.Err() != nil {
		return draining()
	}
	return err
}

func checkAsk(q *wire.AskRequest) error {
	if q.Question = strings.TrimSpace(q.Question); q.Question == "" {
		return bad(`question: "what you want to know"`, "the question is empty")
	}
	if len(q.Question) > maxQuestion {
		return bad("a question of a few sentences", "the question is longer than %d bytes", maxQuestion)
	}
	if q.Rollouts < 0 || q.Rollouts > maxRollouts {
		return bad("rollouts: 4", "rollouts wants a number from 1 to %d", maxRollouts)
	}
	if q.Budget < 0 {
		return bad("budget: 32768", "a budget can't be negative")
	}
	if !(q.Deadline >= 0 && q.Deadline < 1e6) {
		return bad("deadline_s: 45", "a deadline can't be negative")
	}
	return checkTokens(q.MaxTokens)
}

func bad(hint, format string, args ...any) error {
	return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// choose is who answers. A request may name a policy of the configuration, or
// one that needs no server; everything that costs money or holds a key is for
// whoever started the server to choose.
func (d *Desk) choose(q *wire.AskRequest) (Searcher, error) {
	if (q.Policy == "" || q.Policy == d.name) && q.Budget == 0 {
		return d.searcher, nil
	}
	p := d.options.Policy
	if q.Policy != "" && q.Policy != d.name {
		if known := d.Policies(); !slices.Contains(known, q.Policy) {
			return nil, bad(strings.Join(known, ", "), "there is no policy %q here", q.Policy)
		}
		p = open.PolicySettings{Policy: q.Policy}
	}
	if q.Budget != 0 {
		p.Budget = q.Budget
	}
	return d.options.Config.Searcher(p)
}

// waitForIndex is how long a run waits for a folder that is indexed for the
// first time.
const waitForIndex = 2 * time.Minute

// run answers the question. A panic ends this run and no other.
func (d *Desk) run(ctx context.Context, r *Run, q *order) (answer wire.Ask, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			if d.options.Panicked != nil {
				d.options.Panicked(r.ID, reason, debug.Stack())
			}
			d.counts.panics.Add(1)
			answer, err = wire.Ask{}, errors.New("the run failed for a reason of its own; the server's log says which")
		}
	}()
	end := time.Now().Add(d.options.MaxTime)
	if q.Deadline > 0 { // which counts from the question, the wait for its turn included
		if at := r.asked.Add(time.Duration(q.Deadline * float64(time.Second))); at.Before(end) {
			end = at
		}
	}
	o, err := d.shelf.open(ctx, q.names, min(time.Until(end), waitForIndex))
	if err != nil {
		return answer, err
	}
	defer o.Close()
	base, err := q.searcher.Options(o)
	if err != nil {
		return answer, err
	}
	base.Question, base.Scope, base.Explain, base.Timeout = q.Question, q.scope, q.Explain, max(time.Millisecond, time.Until(end))
	record := d.options.Runs.Record(r.ID)
	defer record.Close()
	for e, err := range events(ctx, base, q.AskRequest) {
		if err != nil {
			return answer, err
		}
		record.Write(&e) // a run goes on without its record
		r.add(e)
	}
	id, warnings := r.ID, append([]string{}, o.Warnings...)
	if err := record.Close(); err != nil {
		id, warnings = "", append(warnings, "the run could not be recorded")
	}
	places := wire.Places(&r.trajectory)
	answer = wire.AskOf(id, &r.trajectory, places, append(warnings, r.trajectory.End().Warnings...))
	fitRanking(&answer, q.MaxTokens)
	return answer, nil
}

// events runs the policy once, or as often as rollouts are wanted.
func events(ctx context.Context, base agent.Options, q *wire.AskRequest) iter.Seq2[winnow.Event, error] {
	of := func(i int) agent.Options {
		o := base
		o.Seed = q.Seed + uint64(i)
		return o
	}
	if q.Rollouts <= 1 {
		return agent.Run(ctx, of(0))
	}
	return agent.Rollouts(ctx, q.Rollouts, of)
}

// trimEvery is how often the folder of runs is brought back within its bounds:
// that looks at every record, and a server under load makes hundreds a second.
const trimEvery = 5 * time.Second

func (d *Desk) trim() {
	if !d.trimming.TryLock() {
		return
	}
	defer d.trimming.Unlock()
	if time.Since(d.trimmed) > trimEvery {
		d.options.Runs.Trim()
		d.trimmed = time.Now()
	}
}
