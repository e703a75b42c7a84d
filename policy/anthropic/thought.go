package anthropic

import (
	"encoding/json"

	"github.com/winnow-search/winnow"
)

// thought is one of the blocks in which thoughts come: signed, or hidden in Data.
// The text of a signed one stands in the action's reasoning, behind that of the
// blocks before it.
type thought struct {
	Bytes     int    `json:"bytes,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"`
}

// sign makes an action's signature of its thoughts.
func sign(thoughts []thought) string {
	if len(thoughts) == 0 {
		return ""
	}
	b, err := json.Marshal(thoughts)
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(b)
}

// thoughts are an action's as they came. Those without their signatures, or no
// longer whole, can't go back, and are left out.
func thoughts(a *winnow.Action) []block {
	var signed []thought
	if json.Unmarshal([]byte(a.Signature), &signed) != nil {
		return nil
	}
	var out []block
	rest := a.Reasoning
	for _, t := range signed {
		if t.Bytes < 0 || t.Bytes > len(rest) {
			return nil
		}
		if t.Data != "" {
			out = append(out, block{Type: "redacted_thinking", Data: t.Data})
			continue
		}
		thinking := rest[:t.Bytes]
		out = append(out, block{Type: "thinking", Thinking: &thinking, Signature: t.Signature})
		rest = rest[t.Bytes:]
	}
	if rest != "" {
		return nil
	}
	return out
}
