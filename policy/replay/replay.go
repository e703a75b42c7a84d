// Package replay does again what a recorded run did.
//
// There are two ways to see a run again. [Events] tells it as it was recorded,
// and needs no corpus, since a trajectory holds every text that was shown.
// [Policy] takes the recorded actions in a new run: over the same generation it
// makes the same trajectory, byte for byte, and over another it shows what the
// corpus has changed.
package replay

import (
	"context"
	"fmt"
	"iter"

	"github.com/winnow-search/winnow"
)

// Policy takes the actions of a trajectory, whatever it sees.
type Policy struct {
	name    string
	actions []*winnow.Action
	failure *winnow.Error
}

var _ winnow.Policy = (*Policy)(nil)

// New returns a policy that repeats a trajectory.
func New(t *winnow.Trajectory) (*Policy, error) {
	if t.Start() == nil {
		return nil, &winnow.Error{Code: winnow.Corrupt, Message: "the trajectory does not begin with a start event", Hint: "a file written with --trace"}
	}
	p := &Policy{name: t.Start().Policy}
	for i := range t.Events {
		if a := t.Events[i].Action; a != nil {
			p.actions = append(p.actions, a)
		}
	}
	if end := t.End(); end != nil {
		p.failure = end.Failure
	}
	return p, nil
}

// Name is that of the policy that was recorded, so that trajectories compare.
func (p *Policy) Name() string { return p.name }

// Next repeats the action of the turn. Where the recorded policy failed, this
// one fails with the same words.
func (p *Policy) Next(_ context.Context, v *winnow.View) (winnow.Action, error) {
	if v.Turn <= len(p.actions) {
		return *p.actions[v.Turn-1], nil
	}
	if p.failure != nil {
		return winnow.Action{}, p.failure
	}
	return winnow.Action{}, &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("the recorded run has no turn %d", v.Turn)}
}

// Events yields a recorded run as it happened. A record that was cut off ends
// with an error instead of its end.
func Events(t *winnow.Trajectory) iter.Seq2[winnow.Event, error] {
	return func(yield func(winnow.Event, error) bool) {
		for _, e := range t.Events {
			if !yield(e, nil) {
				return
			}
		}
		if t.End() == nil {
			yield(winnow.Event{}, &winnow.Error{Code: winnow.Corrupt, Message: "the recorded run was cut off before its end"})
		}
	}
}
