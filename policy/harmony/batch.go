package harmony

import (
	"encoding/json"

	"github.com/winnow-search/winnow/policy/reply"
)

// inner is a call inside a batch, by the words of the Context-1 harness or by
// those that models bring along from other ones.
type inner struct {
	Tool       string          `json:"tool_name"`
	Parameters json.RawMessage `json:"parameters"`
	Recipient  string          `json:"recipient_name"`
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
}

// batch reads the calls of a batch: a bare list, or an object that holds one.
func batch(arguments string) []inner {
	var list []inner
	if json.Unmarshal([]byte(arguments), &list) == nil {
		return list
	}
	var object struct {
		Calls []inner `json:"tool_calls"`
		Uses  []inner `json:"tool_uses"`
	}
	if json.Unmarshal([]byte(arguments), &object) != nil {
		return nil
	}
	return append(object.Calls, object.Uses...)
}

func (c *inner) name() string {
	for _, n := range []string{c.Tool, c.Recipient, c.Name} {
		if n != "" {
			return n
		}
	}
	return ""
}

// arguments are the call's, unpacked if they were written as a string.
func (c *inner) arguments() string {
	given := c.Parameters
	if given == nil {
		given = c.Arguments
	}
	if len(given) == 0 || string(given) == "null" {
		return ""
	}
	unpacked, _ := reply.Arguments(string(given)) // what is no object stays, and is answered
	return unpacked
}

// foreign reports whether the call is in other words than the harness reads.
func (c *inner) foreign() bool { return c.Tool == "" || c.Parameters == nil }
