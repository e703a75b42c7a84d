package chat

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/policy/reply"
)

// message is one of a conversation.
type message struct {
	Role    string  `json:"role"`
	Content *string `json:"content,omitempty"`
	// Reasoning stands in one of two fields, by the server's dialect.
	ReasoningContent string `json:"reasoning_content,omitempty"`
	Reasoning        string `json:"reasoning,omitempty"`
	Calls            []made `json:"tool_calls,omitempty"`
	Answers          string `json:"tool_call_id,omitempty"`
}

// made is a call that the model has made.
type made struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// tool is the declaration of one.
type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      bool            `json:"strict,omitempty"`
	} `json:"function"`
}

// request is a view as the provider reads it. Its messages up to the last turn
// are the same bytes in every turn, apart from what was pruned, so that a
// server's prompt cache holds them.
func (p *Policy) request(v *winnow.View, reminder string, room int) map[string]any {
	d := &p.dialect
	r := map[string]any{"model": p.o.Model, "messages": d.messages(v, reminder), "stream": true}
	switch {
	case room > 0 && d.completion:
		r["max_completion_tokens"] = room
	case room > 0:
		r["max_tokens"] = room
	}
	if v.Seed != 0 && !d.without["seed"] {
		r["seed"] = v.Seed & (1<<31 - 1) // some servers keep it in 32 bits
	}
	if p.o.Temperature != nil && !d.without["temperature"] {
		r["temperature"] = *p.o.Temperature
	}
	if p.o.TopP != nil && !d.without["top_p"] {
		r["top_p"] = *p.o.TopP
	}
	if !d.without["stream_options"] {
		r["stream_options"] = map[string]bool{"include_usage": true}
	}
	if len(v.Tools) > 0 {
		r["tools"] = d.tools(v.Tools, p.o.Strict)
	}
	maps.Copy(r, p.o.Body)
	return r
}

// messages are the prompt, and of each turn what the model said and one message
// for each call it made.
func (d *dialect) messages(v *winnow.View, reminder string) []message {
	prompt := v.Prompt
	if v.Date != "" {
		// Not a system message: some models' templates refuse one.
		prompt = "Current date: " + v.Date + "\n\n" + prompt
	}
	out := []message{{Role: "user", Content: &prompt}}
	for i := range v.Turns {
		t := &v.Turns[i]
		out = append(out, d.said(&t.Action))
		for call := range t.Action.Calls {
			answer := result(t, call)
			out = append(out, message{Role: "tool", Content: &answer, Answers: t.Action.Calls[call].ID})
		}
	}
	for _, note := range []string{v.Note, reminder} {
		if note == "" {
			continue
		}
		if last := &out[len(out)-1]; last.Role == "tool" && d.folded {
			*last.Content += "\n\n" + note
			continue
		}
		out = append(out, message{Role: "user", Content: &note})
	}
	return out
}

// said is an action as the model's own message.
func (d *dialect) said(a *winnow.Action) message {
	m := message{Role: "assistant"}
	if a.Text != "" || len(a.Calls) == 0 {
		m.Content = &a.Text
	}
	switch d.reasoning {
	case "reasoning_content":
		m.ReasoningContent = a.Reasoning
	case "reasoning":
		m.Reasoning = a.Reasoning
	}
	for _, c := range a.Calls {
		call := made{ID: c.ID, Type: "function"}
		call.Function.Name, call.Function.Arguments = c.Tool, reply.Object(c)
		m.Calls = append(m.Calls, call)
	}
	return m
}

// result is what answers a call. A batch has several results, which are told
// apart by their place in a list.
func result(t *winnow.Turn, call int) string {
	type inner struct {
		Type    string   `json:"type"`
		Name    string   `json:"name"`
		Content []string `json:"content"`
	}
	var list []inner
	for i := range t.Results {
		if r := &t.Results[i]; r.Call == call {
			list = append(list, inner{"tool_result", r.Tool, []string{r.Text()}})
		}
	}
	switch {
	case len(list) == 0: // every call must be answered
		return "Not run."
	case t.Action.Calls[call].Tool != harmony.Batch:
		return list[0].Content[0]
	}
	b, err := endpoint.JSON(list)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(b)
}

// tools are declared by their schemas, in the same bytes every time.
func (d *dialect) tools(tools []winnow.Tool, strict bool) []tool {
	out := make([]tool, len(tools))
	for i := range tools {
		of, f := &tools[i], &out[i].Function
		out[i].Type = "function"
		f.Name, f.Description, f.Parameters = of.Name, of.Description, of.Schema()
		f.Strict = strict && !d.without["strict"] && closed(of)
	}
	return out
}

// closed reports whether a tool's schema is one that strict mode takes: nothing
// optional, and no object with keys of its own.
func closed(t *winnow.Tool) bool {
	return !slices.ContainsFunc(t.Parameters, func(p winnow.Parameter) bool {
		return p.Optional || p.Type == winnow.TypeObject || p.Type == winnow.TypeCalls
	})
}
