// Package agent is the loop: it shows a policy a view, runs the calls that the
// policy asks for, and goes on until the policy answers.
//
// The context is small and bounded, and the policy edits it. What is shown can
// be pruned and restored, and the trajectory keeps all of it: the view is only a
// function of the trajectory. The budget is an invariant here, not advice:
// before every inference the view and the room for a reply fit, counted exactly,
// whatever the policy does and whatever the texts say. A run always ends with a
// ranking; where the policy leaves none, the loop makes one and says so.
//
// What was traded away: calls of one turn do not see each other's results, since
// they run side by side and must come out the same however they are timed.
package agent

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/winnow-search/winnow"
)

// Options of a run. Question, Corpus and Policy are needed; the zero of every
// other field is a good choice.
type Options struct {
	Question string
	Corpus   winnow.Corpus
	Policy   winnow.Policy
	// Profile is Winnow or Context1; empty means Winnow.
	Profile string
	// Prompt replaces the profile's; "{question}" in it stands for the question.
	Prompt string
	// Budget bounds the view; what is 0 is taken from the profile.
	Budget winnow.Budget
	// MaxTurns ends a run; 0 means 64.
	MaxTurns int
	// Timeout ends a run; 0 means none.
	Timeout time.Duration
	// CallTimeout is what a turn's calls may take; 0 means a minute.
	CallTimeout time.Duration
	// Scope binds every call of the run.
	Scope winnow.Scope
	// Explain records with every hit its place in each leg and the terms that
	// matched.
	Explain bool
	// Omit are tools of the profile that the policy has to do without, and Repeat
	// lets searches return what was shown before: an evaluation takes them away to
	// see what they are worth.
	Omit   []string
	Repeat bool
	// Date is told to the policy; empty says nothing of it.
	Date string
	// Model is recorded.
	Model string
	// Collections are the names of what Corpus joins. Of several, what they hold
	// is told apart as [winnow.Start.Name] says.
	Collections []string
	Seed        uint64
}

var errTimeout = errors.New("the run's time is up")

// Run runs the policy on the question and yields what happens as it happens. The
// last event is the end, and there is exactly one; an error instead of a first
// event means that the run could not begin. If ctx ends, so does the run, with
// the best ranking there is by then.
//
// The events are the trajectory. What they point to is shared with the run: it
// may be kept, and not changed.
func Run(ctx context.Context, o Options) iter.Seq2[winnow.Event, error] {
	return func(yield func(winnow.Event, error) bool) {
		r, err := newRun(o, func(e winnow.Event) bool { return yield(e, nil) })
		if err != nil {
			yield(winnow.Event{}, err)
			return
		}
		if o.Timeout > 0 {
			var stop context.CancelFunc
			ctx, stop = context.WithTimeoutCause(ctx, o.Timeout, errTimeout)
			defer stop()
		}
		r.loop(ctx)
	}
}

// Do runs to the end and returns the trajectory.
func Do(ctx context.Context, o Options) (*winnow.Trajectory, error) {
	t := &winnow.Trajectory{}
	for e, err := range Run(ctx, o) {
		if err != nil {
			return nil, err
		}
		t.Events = append(t.Events, e)
	}
	return t, nil
}
