package harmony

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/winnow-search/winnow/token"
)

// request is the body of a request. Whatever a server defaults to is said:
// completions stop at 16 tokens where nothing else is asked for.
type request struct {
	Model       string     `json:"model"`
	Prompt      any        `json:"prompt"` // []token.ID or string
	MaxTokens   int        `json:"max_tokens"`
	Temperature float64    `json:"temperature"`
	TopP        float64    `json:"top_p"`
	Seed        int64      `json:"seed"`
	Stop        []token.ID `json:"stop_token_ids"`
	ReturnIDs   bool       `json:"return_token_ids"`
	SkipSpecial bool       `json:"skip_special_tokens"`
}

// completion is a server's reply.
type completion struct {
	Choices []struct {
		Text   string     `json:"text"`
		IDs    []token.ID `json:"token_ids"`
		Finish string     `json:"finish_reason"`
		// Reason is the stop token at which vLLM stopped, which it leaves out of
		// the text. Other servers have other things here.
		Reason json.RawMessage `json:"stop_reason"`
	} `json:"choices"`
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Details    *struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

func (c *completion) cached() int {
	if c.Usage.Details == nil {
		return 0
	}
	return c.Usage.Details.Cached
}

// complete asks for a completion, by ids as long as the server takes them.
func (p *Policy) complete(ctx context.Context, ids []token.ID, room int, seed int64) (*completion, error) {
	r := request{Model: p.o.Model, Prompt: ids, MaxTokens: room, Temperature: 1, TopP: p.o.TopP, Seed: seed, Stop: stops, ReturnIDs: true}
	if p.o.Temperature != nil {
		r.Temperature = *p.o.Temperature
	}
	if !p.asText.Load() {
		c, failed := p.post(ctx, r)
		if failed == nil {
			return c, nil
		}
		if !failed.prompt {
			return nil, failed.err
		}
	}
	r.Prompt = asText(ids)
	c, failed := p.post(ctx, r)
	if failed != nil {
		return nil, failed.err
	}
	p.asText.Store(true)
	return c, nil
}

// decode reads a reply's body.
func decode(body []byte) (*completion, error) {
	var c completion
	if err := json.Unmarshal(body, &c); err != nil {
		if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
			return nil, errPage
		}
		return nil, fmt.Errorf("it is not the JSON of a completion: %w", err)
	}
	if len(c.Choices) == 0 {
		return nil, errors.New("it holds no completion")
	}
	return &c, nil
}

var errPage = errors.New("it is a web page")

// errNoSpecials is a server that writes special tokens as nothing: what is left
// can't be told apart.
var errNoSpecials = errors.New("its special tokens are missing")

// segments are the reply's, from its ids if the server sends them.
func (c *completion) segments() ([]segment, error) {
	choice := &c.Choices[0]
	out := fromIDs(choice.IDs)
	if len(choice.IDs) == 0 {
		if out = fromText(choice.Text); len(out) == 1 && out[0].special == 0 {
			return nil, errNoSpecials
		}
	}
	var stop token.ID
	if json.Unmarshal(choice.Reason, &stop) == nil && (stop == token.Call || stop == token.Return) {
		out = append(out, segment{special: stop})
	}
	return out, nil
}
