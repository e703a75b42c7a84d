package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/winnow-search/winnow"
)

// maxString bounds a string argument. Nobody means a longer one, and what goes
// to a corpus should not be able to hold it up.
const maxString = 8 << 10

// arguments are a call's, checked against the tool's parameters.
type arguments map[string]json.RawMessage

// parse checks the arguments of a call. What is wrong is said with what would be
// right, so that the policy can mend its call.
func parse(t *winnow.Tool, raw string) (arguments, error) {
	if strings.TrimSpace(raw) == "" {
		raw = "{}"
	}
	var given arguments
	if err := json.Unmarshal([]byte(raw), &given); err != nil || given == nil {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: t.Name + " was called with arguments that are not a JSON object", Hint: usageOf(t)}
	}
	known := map[string]bool{}
	for _, p := range t.Parameters {
		known[p.Name] = true
		value, ok := given[p.Name]
		if !ok || string(value) == "null" {
			if !p.Optional {
				return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%s needs %q", t.Name, p.Name), Hint: usageOf(t)}
			}
			delete(given, p.Name)
			continue
		}
		if err := check(t, p, value); err != nil {
			return nil, err
		}
	}
	if key, ok := firstUnknown(given, known); ok {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%s has no parameter %q", t.Name, label(key, 64)), Hint: usageOf(t)}
	}
	return given, nil
}

// firstUnknown is the least of the unknown keys: maps have no order, and the
// reply must not depend on chance.
func firstUnknown(given arguments, known map[string]bool) (first string, ok bool) {
	for key := range given {
		if !known[key] && (!ok || key < first) {
			first, ok = key, true
		}
	}
	return first, ok
}

func check(t *winnow.Tool, p winnow.Parameter, value json.RawMessage) error {
	wrong := func(want string) error {
		return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%q of %s must be %s", p.Name, t.Name, want), Hint: usageOf(t)}
	}
	switch p.Type {
	case winnow.TypeString:
		var s string
		if json.Unmarshal(value, &s) != nil {
			return wrong("a string")
		}
		if strings.TrimSpace(s) == "" && !p.Optional {
			return wrong("a string that is not empty")
		}
		if len(s) > maxString {
			return wrong(fmt.Sprintf("at most %d bytes long", maxString))
		}
	case winnow.TypeStrings:
		var list []string
		var one string
		if json.Unmarshal(value, &list) != nil && json.Unmarshal(value, &one) != nil {
			return wrong("a list of strings")
		}
	case winnow.TypeObject:
		if !bytes.HasPrefix(bytes.TrimSpace(value), []byte("{")) {
			return wrong("a JSON object")
		}
	}
	return nil
}

func (a arguments) string(name string) (s string) {
	_ = json.Unmarshal(a[name], &s) // checked by parse; absent is empty
	return s
}

// strings reads a list; a single string is a list of one.
func (a arguments) strings(name string) (list []string) {
	if json.Unmarshal(a[name], &list) == nil {
		return list
	}
	return []string{a.string(name)}
}

// usageOf shows how a tool is called.
func usageOf(t *winnow.Tool) string {
	var fields []string
	for _, p := range t.Parameters {
		example := `"…"`
		switch p.Type {
		case winnow.TypeStrings:
			example = `["…"]`
		case winnow.TypeObject:
			example = `{…}`
		case winnow.TypeCalls:
			example = `[{"tool_name": "…", "parameters": {…}}]`
		}
		optional := ""
		if p.Optional {
			optional = " (optional)"
		}
		fields = append(fields, fmt.Sprintf("%q: %s%s", p.Name, example, optional))
	}
	return t.Name + " with {" + strings.Join(fields, ", ") + "}"
}
