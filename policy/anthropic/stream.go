package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
	"github.com/winnow-search/winnow/policy/reply"
)

// cutOff is why a reply stops that has reached its limit.
const cutOff = "max_tokens"

// event is a piece of a streamed reply.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Usage counts `json:"usage"`
	} `json:"message"`
	Block *said `json:"content_block"`
	Delta struct {
		said
		Arguments string `json:"partial_json"`
		Stop      string `json:"stop_reason"`
	} `json:"delta"`
	Usage json.RawMessage `json:"usage"`
}

// said is a block of a reply, or what is added to one.
type said struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`

	arguments string // the input, written out
}

type counts struct {
	Input   int `json:"input_tokens"`
	Read    int `json:"cache_read_input_tokens"`
	Written int `json:"cache_creation_input_tokens"`
	Output  int `json:"output_tokens"`
}

// received is a reply put together.
type received struct {
	blocks []*said
	stop   string
	usage  counts
}

// read puts a reply together.
func read(body io.Reader) (*received, error) {
	r := &received{}
	begun := false
	for data, err := range endpoint.Events(body) {
		if err != nil {
			return nil, fmt.Errorf("%w: %w", endpoint.ErrCut, err)
		}
		var e event
		if json.Unmarshal(data, &e) != nil {
			break
		}
		if !r.take(&e) {
			return nil, endpoint.ErrCut
		}
		switch e.Type {
		case "message_start":
			begun = true
		case "message_stop":
			return r, nil
		}
	}
	if !begun {
		return nil, endpoint.ErrForm
	}
	return nil, endpoint.ErrCut
}

// take adds an event, and reports whether it has a place here: one that reports a
// failure has not, nor has a piece of a block that never began. Kinds that are not
// known are passed over, as the provider asks its clients to.
func (r *received) take(e *event) bool {
	switch e.Type {
	case "error":
		return false
	case "message_start":
		r.usage = e.Message.Usage
	case "message_delta":
		r.stop = e.Delta.Stop
		// The counts are totals. Those that are not here stay as they were.
		return len(e.Usage) == 0 || json.Unmarshal(e.Usage, &r.usage) == nil
	case "content_block_start":
		if e.Block == nil || e.Index != len(r.blocks) {
			return false
		}
		r.blocks = append(r.blocks, e.Block)
	case "content_block_delta":
		if e.Index < 0 || e.Index >= len(r.blocks) {
			return false
		}
		b := r.blocks[e.Index]
		b.Text += e.Delta.Text
		b.Thinking += e.Delta.Thinking
		b.Signature += e.Delta.Signature
		b.arguments += e.Delta.Arguments
	}
	return true
}

// action is what a reply means. The signature of an action is the list of its
// thoughts.
func (r *received) action() winnow.Action {
	var a winnow.Action
	var signed []thought
	for _, b := range r.blocks {
		switch b.Type {
		case "thinking":
			a.Reasoning += b.Thinking
			signed = append(signed, thought{Bytes: len(b.Thinking), Signature: b.Signature})
		case "redacted_thinking":
			signed = append(signed, thought{Data: b.Data})
		case "text":
			a.Text += b.Text
		case "tool_use":
			written := b.arguments
			if written == "" {
				written = string(b.Input)
			}
			arguments, _ := reply.Arguments(written) // the agent answers what is not JSON
			a.Calls = append(a.Calls, winnow.Call{ID: b.ID, Tool: b.Name, Arguments: arguments})
		}
	}
	a.Text = strings.TrimSpace(a.Text)
	a.Signature = sign(signed)
	if r.stop == cutOff {
		a.Warnings = append(a.Warnings, "the model's reply was cut off at its limit")
	}
	if len(a.Calls) == 0 {
		a.Answer = reply.Answer(a.Text)
	}
	return a
}
