package eval

import (
	"context"
	"iter"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
)

// Agent answers tasks by running a policy.
type Agent struct {
	// Options are those of a run, with a policy of its own each time.
	Options func() (agent.Options, error)
	// Rollouts are how many runs a question gets, their rankings fused; 0 means 1.
	// Rollout i has Seed + i.
	Rollouts int
	Seed     uint64
	// Scope binds every search of every run.
	Scope winnow.Scope
	// Record is given the trajectory of each question that ended; nil records
	// nothing.
	Record func(*Task, *winnow.Trajectory) error
}

// Answer is an [Answer].
func (a *Agent) Answer(ctx context.Context, t Task) (Outcome, error) {
	events, err := a.events(ctx, &t)
	if err != nil {
		return Outcome{}, &Halt{err}
	}
	trajectory := &winnow.Trajectory{}
	for e, err := range events {
		if err != nil { // this question could not even begin
			return Outcome{}, err
		}
		trajectory.Events = append(trajectory.Events, e)
	}
	o := OutcomeOf(trajectory)
	failure := trajectory.End().Failure
	if failure != nil && concernsAll(failure.Code) {
		return o, &Halt{failure}
	}
	if a.Record != nil && ctx.Err() == nil {
		if err := a.Record(&t, trajectory); err != nil {
			return o, &Halt{err}
		}
	}
	if failure != nil {
		return o, failure
	}
	return o, nil
}

// concernsAll tells the failures of a policy that have nothing to do with the
// question: nobody answers, or the key, the address, the model are wrong.
func concernsAll(c winnow.Code) bool {
	return c == winnow.Unavailable || c == winnow.BadInput || c == winnow.NotFound
}

func (a *Agent) events(ctx context.Context, t *Task) (iter.Seq2[winnow.Event, error], error) {
	all := make([]agent.Options, max(1, a.Rollouts))
	for i := range all {
		o, err := a.Options()
		if err != nil {
			return nil, err
		}
		o.Question, o.Seed, o.Scope = t.Question, a.Seed+uint64(i), ScopeOf(a.Scope, t)
		all[i] = o
	}
	if len(all) == 1 {
		return agent.Run(ctx, all[0]), nil
	}
	return agent.Rollouts(ctx, len(all), func(i int) agent.Options { return all[i] }), nil
}

// ScopeOf is a scope without the document that the question was made from.
func ScopeOf(s winnow.Scope, t *Task) winnow.Scope {
	if t.SelfID != "" {
		s.ExcludeDocuments = append(append([]string{}, s.ExcludeDocuments...), t.SelfID)
	}
	return s
}

// OutcomeOf is what came of a run that has ended, or of several rollouts with
// their fusion at the end: shown and pruned are those of all of them together.
func OutcomeOf(t *winnow.Trajectory) Outcome {
	end := t.End()
	o := Outcome{
		Turns: end.Turns, Calls: end.Calls, PeakView: end.PeakView, Ended: end.Ended, Forced: end.Forced,
		Tokens: end.Usage.Prompt + end.Usage.Completion, CostUSD: end.Usage.CostUSD,
		Warnings: end.Warnings, Ranking: make([]Ranked, len(end.Ranking)),
	}
	name := t.Start().Name
	for i, d := range end.Ranking {
		r := Ranked{Document: name(d.Collection, d.Document), Title: d.Title, Selected: d.Selected}
		for _, id := range d.Chunks {
			r.Chunks = append(r.Chunks, name(d.Collection, id))
		}
		o.Ranking[i] = r
	}
	ref := func(h *winnow.Hit) Ref { return Ref{name(h.Collection, h.Document), name(h.Collection, h.ID)} }
	shown := map[string]*winnow.Hit{}
	for _, h := range t.Shown() {
		shown[name(h.Collection, h.ID)] = h
		o.Shown = append(o.Shown, ref(h))
	}
	for _, h := range t.Pruned() {
		o.Pruned = append(o.Pruned, ref(h))
	}
	keepPassages(o.Ranking, func(chunk string) *winnow.Hit { return shown[chunk] })
	for i := range t.Events {
		if e := &t.Events[i]; e.Action != nil && e.Rollout <= 1 {
			o.Views = append(o.Views, e.View)
		}
	}
	return o
}
