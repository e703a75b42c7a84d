package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
	"github.com/winnow-search/winnow/policy/reply"
)

// chunk is a piece of a streamed reply, or a whole reply of a server that does
// not stream.
type chunk struct {
	Choices []struct {
		Index   int     `json:"index"`
		Delta   *piece  `json:"delta"`
		Message *piece  `json:"message"`
		Finish  *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *counts         `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type piece struct {
	Content          words      `json:"content"`
	ReasoningContent words      `json:"reasoning_content"`
	Reasoning        words      `json:"reasoning"`
	Calls            []fragment `json:"tool_calls"`
}

// fragment is a part of a call.
type fragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments words  `json:"arguments"`
	} `json:"function"`
}

type counts struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// words are text that most servers send as a string, some as a list of parts,
// and some, for arguments, as the object itself.
type words string

func (w *words) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil { // null too
		*w = words(text)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(b, &parts) == nil {
		for _, p := range parts {
			*w += words(p.Text)
		}
		return nil
	}
	*w = words(b)
	return nil
}

// received is a reply put together.
type received struct {
	content, reasoning strings.Builder
	field              string // that the reasoning came in
	calls              []*call
	finish             string
	usage              counts
}

type call struct {
	index     int
	id, name  string
	arguments strings.Builder
}

// inStream is a failure that a server reports after its 200.
type inStream struct{ said string }

func (e *inStream) Error() string { return e.said }

// read puts a reply together.
func read(resp *http.Response) (*received, error) {
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "text/event-stream" {
		return readWhole(resp.Body)
	}
	r := &received{}
	for data, err := range endpoint.Events(resp.Body) {
		if err != nil {
			return nil, fmt.Errorf("%w: %w", endpoint.ErrCut, err)
		}
		if data = bytes.TrimSpace(data); string(data) == "[DONE]" {
			return r, nil
		}
		if err := r.take(data); err != nil {
			return nil, err
		}
	}
	if r.finish == "" {
		return nil, endpoint.ErrCut
	}
	return r, nil
}

// readWhole reads the reply of a server that does not stream.
func readWhole(body io.Reader) (*received, error) {
	b, err := endpoint.Whole(body)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("<")) {
		return nil, endpoint.ErrPage
	}
	r := &received{}
	if err := r.take(b); err != nil {
		return nil, err
	}
	return r, nil
}

// take adds a chunk.
func (r *received) take(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return endpoint.ErrForm
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return &inStream{endpoint.Sentence(data)}
	}
	if c.Choices == nil && c.Usage == nil {
		return endpoint.ErrForm
	}
	if c.Usage != nil {
		r.usage = *c.Usage
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one was asked for
		}
		for _, p := range []*piece{choice.Delta, choice.Message} {
			if p != nil {
				r.add(p)
			}
		}
		if choice.Finish != nil && *choice.Finish != "" {
			r.finish = *choice.Finish
		}
	}
	return nil
}

func (r *received) add(p *piece) {
	r.content.WriteString(string(p.Content))
	// Servers in transition send both fields with the same text.
	switch {
	case p.ReasoningContent != "":
		r.field = "reasoning_content"
		r.reasoning.WriteString(string(p.ReasoningContent))
	case p.Reasoning != "":
		r.field = "reasoning"
		r.reasoning.WriteString(string(p.Reasoning))
	}
	for i := range p.Calls {
		r.fragment(&p.Calls[i])
	}
}

// fragment adds a part of a call to the call of its index. Some servers send
// each call whole under the same index, or under none: there a new id begins a
// new call.
func (r *received) fragment(f *fragment) {
	var c *call
	for _, of := range r.calls {
		if f.Index != nil && of.index == *f.Index {
			c = of // the last one of that index
		}
	}
	if f.Index == nil && f.ID == "" && f.Function.Name == "" && len(r.calls) > 0 {
		c = r.calls[len(r.calls)-1]
	}
	if c == nil || f.ID != "" && c.id != "" && f.ID != c.id {
		c = &call{index: len(r.calls)}
		if f.Index != nil {
			c.index = *f.Index
		}
		r.calls = append(r.calls, c)
	}
	if c.id == "" {
		c.id = f.ID
	}
	if c.name == "" {
		c.name = f.Function.Name
	}
	c.arguments.WriteString(string(f.Function.Arguments))
}

// action is what a reply means.
func (r *received) action(v *winnow.View) winnow.Action {
	thought, said := reply.Think(r.content.String())
	a := winnow.Action{Reasoning: r.reasoning.String(), Text: strings.TrimSpace(said)}
	if a.Reasoning == "" {
		a.Reasoning = thought
	}
	for _, c := range r.calls {
		written := c.arguments.String()
		arguments, ok := reply.Arguments(written)
		if ok && strings.TrimSpace(written) != "" && arguments != strings.TrimSpace(written) {
			a.Warnings = append(a.Warnings, "the arguments of "+c.name+" were not JSON and were mended")
		}
		a.Calls = append(a.Calls, winnow.Call{ID: c.id, Tool: c.name, Arguments: arguments})
	}
	if len(a.Calls) == 0 {
		if a.Calls, a.Text = reply.Calls(a.Text, v.Tools); len(a.Calls) > 0 {
			a.Warnings = append(a.Warnings, "the server left calls in the model's words")
		}
	}
	if r.finish == "length" {
		a.Warnings = append(a.Warnings, "the model's reply was cut off at its limit")
	}
	if len(a.Calls) == 0 {
		a.Answer = reply.Answer(a.Text)
	}
	return a
}
