package reply

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/winnow-search/winnow"
)

var callTag = regexp.MustCompile(`(?s)<tool_call>(.*?)(?:</tool_call>|$)`)

// Calls finds calls of the given tools that a server has left in a model's
// words, written as many models are trained to: JSON between tool_call tags. It
// returns the words without them.
func Calls(text string, tools []winnow.Tool) (calls []winnow.Call, said string) {
	said = callTag.ReplaceAllStringFunc(text, func(tag string) string {
		written, ok := Arguments(callTag.FindStringSubmatch(tag)[1])
		var call struct {
			Name       string          `json:"name"`
			Arguments  json.RawMessage `json:"arguments"`
			Parameters json.RawMessage `json:"parameters"`
		}
		if !ok || json.Unmarshal([]byte(written), &call) != nil {
			return tag
		}
		if call.Arguments == nil {
			call.Arguments = call.Parameters
		}
		for i := range tools {
			if tools[i].Name == call.Name {
				arguments, _ := Arguments(string(call.Arguments)) // the agent answers what is not JSON
				calls = append(calls, winnow.Call{Tool: call.Name, Arguments: arguments})
				return ""
			}
		}
		return tag
	})
	return calls, strings.TrimSpace(said)
}
