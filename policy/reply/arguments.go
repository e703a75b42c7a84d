package reply

import (
	"encoding/json"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
)

// Arguments returns the arguments of a call as JSON. Where a model's JSON is
// broken in one of the usual ways, it is mended; where nothing helps, it is
// returned as it is and ok is false. An argument that was cut off in the middle
// is never completed: half a query is another query.
func Arguments(raw string) (arguments string, ok bool) {
	text := strings.TrimSpace(raw)
	if text == "" {
		return "{}", true
	}
	if isJSON(text) {
		return text, true
	}
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil { // encoded twice
		text = strings.TrimSpace(inner)
	}
	if m := fence.FindStringSubmatch(text); m != nil {
		text = strings.TrimSpace(m[1])
	}
	if isJSON(text) {
		return text, true
	}
	start := strings.IndexAny(text, "{[")
	if start < 0 {
		return raw, false
	}
	var whole json.RawMessage
	if json.NewDecoder(strings.NewReader(text[start:])).Decode(&whole) == nil { // words around it
		return string(whole), true
	}
	m := mender{in: text[start:]}
	if m.value() && isJSON(m.out.String()) {
		return m.out.String(), true
	}
	return raw, false
}

// isJSON reports whether a text is a JSON object or list.
func isJSON(text string) bool {
	return text != "" && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text))
}

// Object is a call's arguments as a JSON object, for the history that goes back
// to a provider. Servers parse the arguments of earlier calls for the model's
// template and refuse the whole request if they are anything else.
func Object(c winnow.Call) string {
	arguments, ok := Arguments(c.Arguments)
	if ok && arguments[0] == '{' {
		return arguments
	}
	var wrapped any = map[string]string{"malformed": c.Arguments}
	if ok && c.Tool == harmony.Batch {
		wrapped = map[string]json.RawMessage{"tool_calls": json.RawMessage(arguments)}
	}
	b, err := json.Marshal(wrapped)
	if err != nil {
		panic(err) // a string, or what was checked to be JSON
	}
	return string(b)
}
