package chat

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/policy/reply"
)

// request is a view as the provider reads it. Its messages up to the last turn
// are the same bytes in every turn, apart from what was pruned, so that a
// server's prompt cache holds them.
func (p *Policy) request(v *winnow.View, reminder string, room int) (openai.ChatCompletionNewParams, []option.RequestOption) {
	d := &p.dialect
	r := openai.ChatCompletionNewParams{Model: p.o.Model, Messages: d.messages(v, reminder), Tools: d.tools(v.Tools, p.o.Strict)}
	if room > 0 {
		if d.completion {
			r.MaxCompletionTokens = param.NewOpt(int64(room))
		} else {
			r.MaxTokens = param.NewOpt(int64(room))
		}
	}
	if p.o.Temperature != nil && !d.without["temperature"] {
		r.Temperature = param.NewOpt(*p.o.Temperature)
	}
	if p.o.TopP != nil && !d.without["top_p"] {
		r.TopP = param.NewOpt(*p.o.TopP)
	}
	if v.Seed != 0 && !d.without["seed"] {
		r.Seed = param.NewOpt(int64(v.Seed & (1<<31 - 1))) // some servers keep it in 32 bits
	}
	if !d.without["stream_options"] {
		r.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	options := []option.RequestOption{option.WithHeader("Accept", "text/event-stream"), option.WithJSONSet("stream", true)}
	for _, name := range slices.Sorted(maps.Keys(p.o.Body)) {
		options = append(options, option.WithJSONSet(name, p.o.Body[name]))
	}
	return r, options
}

// messages are the prompt, and of each turn what the model said and one message
// for each call it made.
func (d *dialect) messages(v *winnow.View, reminder string) []openai.ChatCompletionMessageParamUnion {
	prompt := v.Prompt
	if v.Date != "" {
		// Not a system message: some models' templates refuse one.
		prompt = "Current date: " + v.Date + "\n\n" + prompt
	}
	out := []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)}
	for i := range v.Turns {
		t := &v.Turns[i]
		out = append(out, d.said(&t.Action))
		for call := range t.Action.Calls {
			out = append(out, openai.ToolMessage(result(t, call), t.Action.Calls[call].ID))
		}
	}
	for _, note := range []string{v.Note, reminder} {
		if note == "" {
			continue
		}
		if last := out[len(out)-1].OfTool; last != nil && d.folded {
			last.Content.OfString = param.NewOpt(last.Content.OfString.Value + "\n\n" + note)
			continue
		}
		out = append(out, openai.UserMessage(note))
	}
	return out
}

// said is an action as the model's own message.
func (d *dialect) said(a *winnow.Action) openai.ChatCompletionMessageParamUnion {
	m := &openai.ChatCompletionAssistantMessageParam{}
	if a.Text != "" || len(a.Calls) == 0 {
		m.Content.OfString = param.NewOpt(a.Text)
	}
	if a.Reasoning != "" && d.reasoning != "" {
		m.SetExtraFields(map[string]any{d.reasoning: a.Reasoning})
	}
	for _, c := range a.Calls {
		m.ToolCalls = append(m.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
			ID:       c.ID,
			Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Tool, Arguments: reply.Object(c)},
		}})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: m}
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
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(list); err != nil {
		panic(err) // strings always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// tools are declared by their schemas, in the same bytes every time.
func (d *dialect) tools(tools []winnow.Tool, strict bool) []openai.ChatCompletionToolUnionParam {
	var out []openai.ChatCompletionToolUnionParam
	for i := range tools {
		t := &tools[i]
		f := shared.FunctionDefinitionParam{Name: t.Name, Description: param.NewOpt(t.Description), Parameters: parameters(t)}
		if strict && !d.without["strict"] && closed(t) {
			f.Strict = param.NewOpt(true)
		}
		out = append(out, openai.ChatCompletionFunctionTool(f))
	}
	return out
}

func parameters(t *winnow.Tool) shared.FunctionParameters {
	var schema shared.FunctionParameters
	if err := json.Unmarshal(t.Schema(), &schema); err != nil {
		panic(err) // we wrote it
	}
	if schema["properties"] == nil {
		schema["properties"] = map[string]any{} // templates walk over it
	}
	return schema
}

// closed reports whether a tool's schema is one that strict mode takes: nothing
// optional, and no object with keys of its own.
func closed(t *winnow.Tool) bool {
	return !slices.ContainsFunc(t.Parameters, func(p winnow.Parameter) bool {
		return p.Optional || p.Type == winnow.TypeObject || p.Type == winnow.TypeCalls
	})
}
