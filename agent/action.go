package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/token"
)

// maxCalls is how many calls a turn takes.
const maxCalls = 16

// recorded makes an action fit to be written down: text that JSON keeps as it
// is, and an id of its own for every call.
func recorded(a winnow.Action, turn int) *winnow.Action {
	a.Reasoning, a.Signature, a.Text = valid(a.Reasoning), valid(a.Signature), valid(a.Text)
	calls := make([]winnow.Call, len(a.Calls))
	ids := make(map[string]bool, len(calls))
	for i, c := range a.Calls {
		id := valid(c.ID)
		if id == "" || len(id) > 64 || ids[id] {
			id = fmt.Sprintf("call_%d_%d", turn, i+1)
		}
		ids[id] = true
		calls[i] = winnow.Call{ID: id, Tool: valid(c.Tool), Arguments: valid(c.Arguments)}
	}
	a.Calls = calls
	if a.Answer != nil {
		answer := *a.Answer
		answer.Selected = make([]winnow.Choice, len(a.Answer.Selected))
		for i, c := range a.Answer.Selected {
			answer.Selected[i] = winnow.Choice{ID: valid(c.ID), Justification: valid(c.Justification)}
			if l := c.Lead; l != nil {
				answer.Selected[i].Lead = &winnow.Lead{From: valid(l.From), Kind: winnow.LinkKind(valid(string(l.Kind))), Via: valid(l.Via), Back: l.Back}
			}
		}
		answer.Rest = validAll(answer.Rest)
		answer.Flags = validAll(answer.Flags)
		a.Answer = &answer
	}
	a.Warnings = validAll(a.Warnings)
	return &a
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func validAll(list []string) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = valid(s)
	}
	return out
}

// request is one call to be run: a call of the action, or one that a batch
// holds.
type request struct {
	call      int // index in the action
	tool      string
	arguments string
}

// unfold lists an action's calls with those inside batches, up to maxCalls, and
// says how many are left over.
func (l *ledger) unfold(a *winnow.Action) (requests []request, skipped int) {
	for i, c := range a.Calls {
		inner := []request{{i, strings.TrimPrefix(c.Tool, "functions."), c.Arguments}}
		if inner[0].tool == harmony.Batch && l.declares(harmony.Batch) {
			if batch := unfoldBatch(c.Arguments); len(batch) > 0 {
				inner = batch
			}
		}
		for _, r := range inner {
			if len(requests) == maxCalls {
				skipped++
				continue
			}
			r.call = i
			requests = append(requests, r)
		}
	}
	return requests, skipped
}

// unfoldBatch reads the calls of a batch: a bare list, or an object that holds
// one. Anything else is no batch, and is answered as one bad call.
func unfoldBatch(arguments string) []request {
	type inner struct {
		Tool       string          `json:"tool_name"`
		Parameters json.RawMessage `json:"parameters"`
	}
	var list []inner
	if json.Unmarshal([]byte(arguments), &list) != nil {
		var object struct {
			Calls []inner `json:"tool_calls"`
		}
		if json.Unmarshal([]byte(arguments), &object) != nil {
			return nil
		}
		list = object.Calls
	}
	requests := make([]request, len(list))
	for i, c := range list {
		name, _, _ := strings.Cut(c.Tool, "<|") // a stray special token of the model
		requests[i] = request{tool: strings.TrimPrefix(strings.TrimSpace(name), "functions."), arguments: string(c.Parameters)}
	}
	return requests
}

func (l *ledger) declares(tool string) bool {
	for i := range l.start.Tools {
		if l.start.Tools[i].Name == tool {
			return true
		}
	}
	return false
}

// visible is an action as the view has it: the calls that are run, and no more
// than the reserve was kept for. Reasoning goes first, then words, then
// arguments; each call stays, because each is answered.
func (l *ledger) visible(a *winnow.Action) winnow.Action {
	reserve := l.start.Budget.Reserve
	v := winnow.Action{Reasoning: ahead(a.Reasoning, reserve), Text: ahead(a.Text, reserve)}
	if v.Reasoning == a.Reasoning {
		v.Signature = a.Signature
	}
	requests, _ := l.unfold(a)
	if n := len(requests); n > 0 {
		v.Calls = make([]winnow.Call, requests[n-1].call+1)
	}
	for i := range v.Calls {
		v.Calls[i] = winnow.Call{ID: a.Calls[i].ID, Tool: toolName(a.Calls[i].Tool), Arguments: cutArguments(a.Calls[i].Arguments, reserve)}
	}
	over := func() int { return harmony.CountAction(&v) - reserve }
	if over() <= 0 {
		return v
	}
	v.Signature = "" // it signs what is no longer whole
	shorten(&v.Reasoning, over)
	shorten(&v.Text, over)
	for share := reserve / max(1, len(v.Calls)); over() > 0 && share > 0; share /= 2 {
		for i := range v.Calls {
			v.Calls[i].Arguments = cutArguments(a.Calls[i].Arguments, share)
			if share < 16 && !l.declares(v.Calls[i].Tool) {
				v.Calls[i].Tool = "unknown"
			}
		}
	}
	return v
}

// shorten cuts a text until nothing is over, or nothing is left of it.
func shorten(text *string, over func() int) {
	keep := token.Count(*text)
	for excess := over(); excess > 0 && *text != ""; excess = over() {
		keep = max(0, keep-excess)
		*text = token.Cut(*text, keep)
	}
}

// cutArguments keeps arguments a JSON object, which some providers insist on.
func cutArguments(arguments string, tokens int) string {
	head := ahead(arguments, tokens)
	if len(head) == len(arguments) && token.Count(head) <= tokens {
		return arguments
	}
	if tokens < 16 {
		return "{}"
	}
	b, err := json.Marshal(map[string]string{"cut": token.Cut(head, tokens/2)})
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(b)
}

// toolName makes a name that every provider takes back, from one that a model
// may have made up.
func toolName(name string) string {
	name = strings.TrimPrefix(name, "functions.")
	name = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name[:min(len(name), 64)])
	if name == "" {
		return "unknown"
	}
	return name
}
