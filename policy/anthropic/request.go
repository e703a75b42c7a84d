package anthropic

import (
	"encoding/json"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/reply"
)

// request is the body of a request.
type request struct {
	Model       string    `json:"model"`
	MaxTokens   int       `json:"max_tokens"`
	Stream      bool      `json:"stream"`
	Temperature *float64  `json:"temperature,omitempty"`
	Thinking    thinking  `json:"thinking,omitzero"`
	Tools       []tool    `json:"tools,omitempty"`
	Messages    []message `json:"messages"`
}

type thinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens,omitempty"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       mark            `json:"cache_control,omitzero"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a part of a message, of one of five types.
type block struct {
	Type string `json:"type"`
	// text
	Text *string `json:"text,omitempty"`
	// thinking, which may have no words, and redacted_thinking
	Thinking  *string `json:"thinking,omitempty"`
	Signature string  `json:"signature,omitempty"`
	Data      string  `json:"data,omitempty"`
	// tool_use
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	// tool_result
	Answers string  `json:"tool_use_id,omitempty"`
	Failed  bool    `json:"is_error,omitempty"`
	Content []block `json:"content,omitempty"`

	Cache mark `json:"cache_control,omitzero"`
}

// mark asks the provider to cache the request up to here.
type mark struct {
	Type string `json:"type"`
}

const ephemeral = "ephemeral"

func text(words string) block { return block{Type: "text", Text: &words} }

// request is a view as the provider reads it, with the four marks for its cache
// that it allows: behind the tools, which are the same for all questions, behind
// the prompt, which a prune does not touch, and behind the last two turns, so
// that a turn reads what the one before it has written. Notes come after the last
// mark.
func (p *Policy) request(v *winnow.View, reminder string, room int) request {
	r := request{Model: p.o.Model, MaxTokens: room, Stream: true, Tools: tools(v.Tools)}
	prompt := v.Prompt
	if v.Date != "" {
		prompt = "Current date: " + v.Date + "\n\n" + prompt
	}
	said := []block{text(prompt)}
	said[0].Cache.Type = ephemeral
	for i := range v.Turns {
		t := &v.Turns[i]
		r.Messages = append(r.Messages, message{"user", said}, message{"assistant", blocks(&t.Action)})
		said = results(t)
		if n := len(said); n > 0 && i >= len(v.Turns)-2 {
			said[n-1].Cache.Type = ephemeral
		}
	}
	for _, note := range []string{v.Note, reminder} {
		if note != "" {
			said = append(said, text(note))
		}
	}
	r.Messages = append(r.Messages, message{"user", said})
	switch {
	case !p.thinks(v, room):
		r.Temperature = p.o.Temperature
	case p.o.Thinking == Adaptive:
		r.Thinking = thinking{Type: "adaptive"}
	default:
		r.Thinking = thinking{Type: "enabled", Budget: p.o.Thinking}
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
func blocks(a *winnow.Action) []block {
	out := thoughts(a)
	if a.Text != "" {
		out = append(out, text(a.Text))
	}
	for _, c := range a.Calls {
		out = append(out, block{Type: "tool_use", ID: c.ID, Name: c.Tool, Input: json.RawMessage(reply.Object(c))})
	}
	return out
}

// results are the blocks that answer a turn's calls, each by its id. A batch has
// a text for each of its results.
func results(t *winnow.Turn) []block {
	var out []block
	for call, c := range t.Action.Calls {
		b := block{Type: "tool_result", Answers: c.ID, Failed: true}
		for i := range t.Results {
			if r := &t.Results[i]; r.Call == call {
				b.Content = append(b.Content, text(r.Text()))
				b.Failed = b.Failed && r.Code != ""
			}
		}
		if len(b.Content) == 0 { // every call must be answered
			b.Content = []block{text("Not run.")}
		}
		out = append(out, b)
	}
	return out
}

func tools(of []winnow.Tool) []tool {
	out := make([]tool, len(of))
	for i := range of {
		out[i] = tool{Name: of[i].Name, Description: of[i].Description, Schema: of[i].Schema()}
		if i == len(of)-1 {
			out[i].Cache.Type = ephemeral
		}
	}
	return out
}
