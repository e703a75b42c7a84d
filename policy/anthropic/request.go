package anthropic

import (
	"encoding/json"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/reply"
)

// request is a view as the provider reads it, with the four marks for its cache
// that it allows: behind the tools, which are the same for all questions, behind
// the prompt, which a prune does not touch, and behind the last two turns, so
// that a turn reads what the one before it has written. Notes come after the last
// mark.
func (p *Policy) request(v *winnow.View, reminder string, room int) sdk.MessageNewParams {
	r := sdk.MessageNewParams{Model: p.o.Model, MaxTokens: int64(room), Tools: tools(v.Tools)}
	text := v.Prompt
	if v.Date != "" {
		text = "Current date: " + v.Date + "\n\n" + text
	}
	prompt := sdk.NewTextBlock(text)
	prompt.OfText.CacheControl = sdk.NewCacheControlEphemeralParam()
	said := []sdk.ContentBlockParamUnion{prompt}
	for i := range v.Turns {
		t := &v.Turns[i]
		r.Messages = append(r.Messages, sdk.NewUserMessage(said...), sdk.NewAssistantMessage(blocks(&t.Action)...))
		said = results(t)
		if n := len(said); n > 0 && i >= len(v.Turns)-2 {
			said[n-1].OfToolResult.CacheControl = sdk.NewCacheControlEphemeralParam()
		}
	}
	for _, note := range []string{v.Note, reminder} {
		if note != "" {
			said = append(said, sdk.NewTextBlock(note))
		}
	}
	r.Messages = append(r.Messages, sdk.NewUserMessage(said...))
	switch {
	case !p.thinks(v, room):
		if p.o.Temperature != nil {
			r.Temperature = param.NewOpt(*p.o.Temperature)
		}
	case p.o.Thinking == Adaptive:
		r.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{}
	default:
		r.Thinking = sdk.ThinkingConfigParamOfEnabled(int64(p.o.Thinking))
	}
	return r
}

// thinks reports whether the model may think in this turn. The provider refuses
// thinking if it does not get back the thoughts behind the last calls, which may
// have been cut or elided for room.
func (p *Policy) thinks(v *winnow.View, room int) bool {
	if p.o.Thinking == 0 || p.o.Thinking >= room {
		return false
	}
	if p.o.Thinking == Adaptive || len(v.Turns) == 0 {
		return true
	}
	return len(thoughts(&v.Turns[len(v.Turns)-1].Action)) > 0
}

// blocks are an action as the model's own message.
func blocks(a *winnow.Action) []sdk.ContentBlockParamUnion {
	out := thoughts(a)
	if a.Text != "" {
		out = append(out, sdk.NewTextBlock(a.Text))
	}
	for _, c := range a.Calls {
		out = append(out, sdk.NewToolUseBlock(c.ID, json.RawMessage(reply.Object(c)), c.Tool))
	}
	return out
}

// results are the blocks that answer a turn's calls, each by its id. A batch has
// a text for each of its results.
func results(t *winnow.Turn) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	for call, c := range t.Action.Calls {
		block := &sdk.ToolResultBlockParam{ToolUseID: c.ID}
		failed := true
		for i := range t.Results {
			if r := &t.Results[i]; r.Call == call {
				block.Content = append(block.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: r.Text()}})
				failed = failed && r.Code != ""
			}
		}
		if len(block.Content) == 0 { // every call must be answered
			block.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: "Not run."}}}
		}
		if failed {
			block.IsError = param.NewOpt(true)
		}
		out = append(out, sdk.ContentBlockParamUnion{OfToolResult: block})
	}
	return out
}

func tools(of []winnow.Tool) []sdk.ToolUnionParam {
	var out []sdk.ToolUnionParam
	for i := range of {
		var schema struct {
			Properties map[string]any `json:"properties"`
			Required   []string       `json:"required"`
		}
		if err := json.Unmarshal(of[i].Schema(), &schema); err != nil {
			panic(err) // we wrote it
		}
		t := &sdk.ToolParam{Name: of[i].Name, Description: param.NewOpt(of[i].Description),
			InputSchema: sdk.ToolInputSchemaParam{Properties: schema.Properties, Required: schema.Required, ExtraFields: map[string]any{"additionalProperties": false}}}
		if i == len(of)-1 {
			t.CacheControl = sdk.NewCacheControlEphemeralParam()
		}
		out = append(out, sdk.ToolUnionParam{OfTool: t})
	}
	return out
}
