// Package chat is the policy that asks a model behind an OpenAI-compatible chat
// completions endpoint: vLLM, SGLang, Ollama, llama.cpp, Docker Model Runner,
// OpenAI, gateways.
//
// Replies are read tolerantly, because no two servers agree on where reasoning
// stands, what a call's index means, or whether they stream at all. What a server
// refuses (a parameter, the note's role) is left out from then on instead of
// being an option that people have to find. What was traded away is everything
// that only one provider has.
//
// Calls and their results go in the provider's own form, so the server's parser
// has to work for the model. Where it does not, as for gpt-oss on some servers,
// the harmony policy speaks to the model without it.
package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
	"github.com/winnow-search/winnow/policy/reply"
)

// Options of the policy. Only the model is needed.
type Options struct {
	// BaseURL is the address of the API, such as http://localhost:8000/v1; empty
	// means OpenAI's. To one without a path "/v1" is added.
	BaseURL string
	// Model is the model's name as the server knows it.
	Model string
	// Key is sent as the bearer token. It is in no error and in nothing stored,
	// and never read from the environment.
	Key string
	// Headers are sent with every request, for gateways that want more than a key.
	Headers map[string]string
	// Temperature and TopP are the server's choice where they are nil.
	Temperature, TopP *float64
	// Strict asks the server to hold the model to the tools' schemas, where a
	// schema allows it.
	Strict bool
	// Body holds further fields of the request's top level, such as
	// reasoning_effort or chat_template_kwargs.
	Body map[string]any
	// Price is what the model costs; the zero value means that nobody knows.
	Price endpoint.Price
	// Timeout is how long the server may be silent; 0 means 5 minutes, as a long
	// prompt is read for minutes where there is no GPU. How long a reply may take
	// in all is bounded by its max_tokens and by the run's deadline.
	Timeout time.Duration
	// Attempts bounds how often a request is sent if the server is overloaded or
	// the connection breaks; 0 means 4.
	Attempts int
}

// Policy asks a model what to do next.
type Policy struct {
	o       Options
	server  endpoint.Client
	dialect dialect
	// sleep waits between attempts.
	sleep func(context.Context, time.Duration) error
}

var _ winnow.Policy = (*Policy)(nil)

// New returns a policy. It does not call the server; [Policy.Check] does.
func New(o Options) (*Policy, error) {
	base, err := endpoint.Base(cmp.Or(o.BaseURL, "https://api.openai.com/v1"))
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the chat policy needs the name of a model", Hint: "--model NAME"}
	}
	o.Key = strings.TrimSpace(o.Key)
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Minute
	}
	if o.Attempts <= 0 {
		o.Attempts = 4
	}
	if _, err := json.Marshal(o.Body); err != nil {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "a field of the request's body can't be written as JSON", Hint: "numbers, text, lists and maps with names as keys", Err: err}
	}
	header := http.Header{}
	if o.Key != "" {
		header.Set("Authorization", "Bearer "+o.Key)
	}
	for name, value := range o.Headers {
		header.Set(name, value)
	}
	server := endpoint.Client{Base: base, Header: header, Silence: o.Timeout}
	return &Policy{o: o, server: server, dialect: newDialect(), sleep: endpoint.Sleep}, nil
}

func (p *Policy) Name() string { return "chat" }

// Next asks the model for its next action.
func (p *Policy) Next(ctx context.Context, v *winnow.View) (winnow.Action, error) {
	return reply.Settle(v, func(reminder string, room int) (said reply.Said, err error) {
		r, err := p.send(ctx, v, reminder, room)
		if err != nil {
			return said, err
		}
		said = reply.Said{Action: r.action(v), Cut: r.finish == "length"}
		said.Action.Usage = p.usage(r.usage)
		if cut := promptCut(v, said.Action.Usage.Prompt); cut != nil {
			return said, cut
		}
		return said, nil
	})
}
