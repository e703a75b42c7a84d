package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/reply"
)

// thought is one of the blocks in which thoughts come: signed, or hidden in Data.
// The text of a signed one stands in the action's reasoning, behind that of the
// blocks before it.
type thought struct {
	Bytes     int    `json:"bytes,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"`
}

// action is what a reply means. The signature of an action is the list of its
// thoughts.
func action(m *sdk.Message) winnow.Action {
	var a winnow.Action
	var signed []thought
	for i := range m.Content {
		switch b := &m.Content[i]; b.Type {
		case "thinking":
			a.Reasoning += b.Thinking
			signed = append(signed, thought{Bytes: len(b.Thinking), Signature: b.Signature})
		case "redacted_thinking":
			signed = append(signed, thought{Data: b.Data})
		case "text":
			a.Text += b.Text
		case "tool_use":
			arguments, _ := reply.Arguments(string(b.Input)) // the agent answers what is not JSON
			a.Calls = append(a.Calls, winnow.Call{ID: b.ID, Tool: b.Name, Arguments: arguments})
		}
	}
	a.Text = strings.TrimSpace(a.Text)
	if len(signed) > 0 {
		b, err := json.Marshal(signed)
		if err != nil {
			panic(err) // strings and numbers
		}
		a.Signature = string(b)
	}
	if m.StopReason == sdk.StopReasonMaxTokens {
		a.Warnings = append(a.Warnings, "the model's reply was cut off at its limit")
	}
	if len(a.Calls) == 0 {
		a.Answer = reply.Answer(a.Text)
	}
	return a
}

// thoughts are an action's as they came. Those without their signatures, or no
// longer whole, can't go back, and are left out.
func thoughts(a *winnow.Action) []sdk.ContentBlockParamUnion {
	var signed []thought
	if json.Unmarshal([]byte(a.Signature), &signed) != nil {
		return nil
	}
	var out []sdk.ContentBlockParamUnion
	rest := a.Reasoning
	for _, t := range signed {
		if t.Bytes < 0 || t.Bytes > len(rest) {
			return nil
		}
		if t.Data != "" {
			out = append(out, sdk.NewRedactedThinkingBlock(t.Data))
			continue
		}
		out = append(out, sdk.NewThinkingBlock(t.Signature, rest[:t.Bytes]))
		rest = rest[t.Bytes:]
	}
	if rest != "" {
		return nil
	}
	return out
}
