// Package scripted is a policy that does what it is told: for tests, and for
// anyone who wants to drive the loop by hand.
package scripted

import (
	"context"
	"encoding/json"

	"github.com/winnow-search/winnow"
)

// Policy takes its actions from a script.
type Policy struct {
	next func(context.Context, *winnow.View) (winnow.Action, error)
}

var _ winnow.Policy = (*Policy)(nil)

// New returns a policy that takes the actions one after the other. It takes one
// whatever it sees, and fails when there is none left.
func New(actions ...winnow.Action) *Policy {
	return Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
		if v.Turn > len(actions) {
			return winnow.Action{}, &winnow.Error{Code: winnow.NotFound, Message: "the script has no more actions"}
		}
		return actions[v.Turn-1], nil
	})
}

// Func returns a policy that decides by a function.
func Func(next func(context.Context, *winnow.View) (winnow.Action, error)) *Policy {
	return &Policy{next}
}

func (*Policy) Name() string { return "scripted" }

func (p *Policy) Next(ctx context.Context, v *winnow.View) (winnow.Action, error) {
	return p.next(ctx, v)
}

// Calls is an action of calls.
func Calls(calls ...winnow.Call) winnow.Action { return winnow.Action{Calls: calls} }

// Call asks for a tool. Arguments are given as anything that is a JSON object.
func Call(tool string, arguments any) winnow.Call {
	b, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // a script that can't be written is a mistake in the test
	}
	return winnow.Call{Tool: tool, Arguments: string(b)}
}

// Search asks for search_corpus, the commonest call.
func Search(query string) winnow.Call {
	return Call("search_corpus", map[string]string{"query": query})
}

// Answer selects documents, best first.
func Answer(ids ...string) winnow.Action {
	a := &winnow.Answer{Selected: []winnow.Choice{}}
	for _, id := range ids {
		a.Selected = append(a.Selected, winnow.Choice{ID: id})
	}
	return winnow.Action{Answer: a}
}
