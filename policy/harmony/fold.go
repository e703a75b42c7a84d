package harmony

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/token"
)

// render writes a view as a prompt. A profile with native parallel calls declares
// no batch, and gpt-oss, which stops at its first call, could then make only one
// in a turn. So the batch is declared here, and past turns of several calls are
// shown as the batches that they were. The view was counted without that: where
// it would take more than half of the room for a reply, the view stays as it is.
func render(v *winnow.View) []token.ID {
	if slices.ContainsFunc(v.Tools, func(t winnow.Tool) bool { return t.Name == harmony.Batch }) {
		return harmony.Render(v)
	}
	folded := *v
	folded.Tools = append(slices.Clip(v.Tools), winnow.Tool{Name: harmony.Batch, Description: "Run several tool calls at the same time.",
		Parameters: []winnow.Parameter{{Name: "tool_calls", Type: winnow.TypeCalls, Description: "The calls."}}})
	folded.Turns = slices.Clone(v.Turns)
	for i := range folded.Turns {
		folded.Turns[i] = fold(&v.Turns[i])
	}
	ids := harmony.Render(&folded)
	if v.Budget.Tokens > 0 && len(ids)+v.Budget.Reserve/2 > v.Budget.Tokens {
		return harmony.Render(v)
	}
	return ids
}

// fold makes one batch of a turn's calls, if there are several and all are JSON
// objects: what is not was sent as a call of its own.
func fold(t *winnow.Turn) winnow.Turn {
	if len(t.Action.Calls) < 2 {
		return *t
	}
	var list []string
	for _, c := range t.Action.Calls {
		name, err := json.Marshal(c.Tool)
		if err != nil || !json.Valid([]byte(c.Arguments)) {
			return *t
		}
		list = append(list, `{"tool_name": `+string(name)+`, "parameters": `+c.Arguments+"}")
	}
	out := *t
	out.Action.Calls = []winnow.Call{{ID: t.Action.Calls[0].ID, Tool: harmony.Batch, Arguments: "[" + strings.Join(list, ", ") + "]"}}
	out.Results = slices.Clone(t.Results)
	for i := range out.Results {
		out.Results[i].Call = 0
	}
	return out
}
