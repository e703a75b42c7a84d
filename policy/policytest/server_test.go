package policytest

import (
	"strings"
	"testing"
)

func TestWhatStrictServersRefuseIsRefused(t *testing.T) {
	const user = `{"role":"user","content":"q"}`
	call := func(id, arguments string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"search","arguments":"` + arguments + `"}}`
	}
	said := func(calls ...string) string {
		return `{"role":"assistant","tool_calls":[` + strings.Join(calls, ",") + `]}`
	}
	answer := func(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"r"}` }
	for _, c := range []struct {
		name     string
		messages []string
		more     string
		want     string
	}{
		{"a question", []string{user}, "", ""},
		{"a call with its result", []string{user, said(call("a", "{}")), answer("a")}, "", ""},
		{"results in another order", []string{user, said(call("a", "{}"), call("b", "{}")), answer("b"), answer("a"), user}, "", ""},
		{"a call without a result", []string{user, said(call("a", "{}"), call("b", "{}")), answer("a"), user}, "", "must be followed"},
		{"a last call without a result", []string{user, said(call("a", "{}"))}, "", "must end"},
		{"a result of no call", []string{user, said(call("a", "{}")), answer("b")}, "", "is that of no call"},
		{"a result twice", []string{user, said(call("a", "{}")), answer("a"), answer("a")}, "", "is that of no call"},
		{"an id twice", []string{user, said(call("a", "{}"), call("a", "{}")), answer("a")}, "", "twice"},
		{"arguments that are not JSON", []string{user, said(call("a", "{")), answer("a")}, "", "not a JSON object"},
		{"arguments that are a list", []string{user, said(call("a", "[]")), answer("a")}, "", "not a JSON object"},
		{"an assistant at the end", []string{user, `{"role":"assistant","content":"x"}`}, "", "must end"},
		{"a system message in the middle", []string{user, `{"role":"system","content":"x"}`}, "", "must be the first"},
		{"an unknown field", []string{user}, `,"num_ctx":1`, "unknown field"},
		{"no room for a reply", []string{user}, `,"max_tokens":0`, "at least 1"},
		{"usage without a stream", []string{user}, `,"stream_options":{"include_usage":true}`, "only allowed when streaming"},
		{"a schema without properties", []string{user}, `,"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}]`, "no schema"},
		{"an optional parameter in strict mode", []string{user},
			`,"tools":[{"type":"function","function":{"name":"a","strict":true,"parameters":{"type":"object","properties":{"q":{}},"additionalProperties":false}}}]`, "strict"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse([]byte(`{"model":"test","messages":[` + strings.Join(c.messages, ",") + `]` + c.more + `}`))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
