package policytest

import (
	"encoding/json"
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

func TestARawCompletionIsHeldToHarmony(t *testing.T) {
	const question = "<|start|>user<|message|>q<|end|>"
	for _, c := range []struct {
		name, prompt, more string
		textual            bool
		want               string
	}{
		{"a question", question, "", false, ""},
		{"a call with its result", question + "<|start|>assistant to=functions.a<|channel|>commentary <|constrain|>json<|message|>{}<|call|><|start|>functions.a to=assistant<|channel|>commentary<|message|>r<|end|>", "", false, ""},
		{"a message that is not whole", question + "<|start|>assistant", "", false, "within a message"},
		{"text between messages", question + "\n" + question, "", false, "not harmony at token 5"},
		{"a special token inside", "<|start|>user<|message|>q<|channel|><|end|>", "", false, "not harmony"},
		{"an unknown field", question, `,"num_ctx":1`, false, "unknown field"},
		{"no room", question, `,"max_tokens":0`, false, "at least 1"},
		{"a cold temperature", question, `,"temperature":-1`, false, "non-negative"},
		{"ids for a server of text", question, "", true, "cannot unmarshal array"},
	} {
		t.Run(c.name, func(t *testing.T) {
			prompt, err := json.Marshal(special(c.prompt))
			if err != nil {
				t.Fatal(err)
			}
			s := &Server{Textual: c.textual}
			_, err = s.parseCompletion([]byte(`{"model":"test","prompt":` + string(prompt) + c.more + `}`))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := (&Server{}).parseCompletion([]byte(`{"model":"test","prompt":[201088]}`)); err == nil {
		t.Error("an id out of vocabulary is taken")
	}
}

func TestMessagesAreHeldToTheirOrder(t *testing.T) {
	const (
		user   = `{"role":"user","content":[{"type":"text","text":"q"}]}`
		call   = `{"role":"assistant","content":[{"type":"tool_use","id":"a","input":{}}]}`
		result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}`
	)
	for _, c := range []struct {
		name     string
		messages []string
		want     string
	}{
		{"a question", []string{user}, ""},
		{"a call with its result", []string{user, call, result}, ""},
		{"a call without one", []string{user, call, user}, "without tool_result"},
		{"a result without a call", []string{result}, "tool_result without tool_use"},
		{"the same role twice", []string{user, user, user}, "must alternate"},
		{"an assistant at the end", []string{user, call}, "2 messages"},
		{"an empty text", []string{`{"role":"user","content":[{"type":"text","text":" "}]}`}, "non-empty"},
		{"a text before a result", []string{user, call, `{"role":"user","content":[{"type":"text","text":"q"},{"type":"tool_result","tool_use_id":"a"}]}`}, "come first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseMessages([]byte(`{"model":"test","max_tokens":9,"stream":true,"messages":[` + strings.Join(c.messages, ",") + `]}`))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
