package winnow

import "context"

// Policy decides what a run does next. It is asked once a turn, never
// concurrently, and sees nothing but the view; what it answers is recorded as it
// is. A policy in code, a small model and a large one are the same to the loop.
//
// An error ends the run with the best ranking there is by then, so a policy
// returns one only when it has tried what it can.
type Policy interface {
	// Name is recorded in the trajectory.
	Name() string
	Next(context.Context, *View) (Action, error)
}
