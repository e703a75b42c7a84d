// Package harmony is the policy that drives gpt-oss models and the published
// Context-1 weights over plain completions, with prompts of token ids.
//
// Chat servers parse harmony with varying luck: they lose calls that the model
// puts on another channel, drop reasoning from the history, and fail whole
// replies over a stray marker. Here the prompt is rendered and the reply parsed
// on our side, so that a model sees what it was trained on and what it says is
// heard, whichever server runs it. The price is that a server must take raw
// completions; one that takes no ids gets text instead, in which the text of a
// document that spells a special token has to be changed.
package harmony

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
	"github.com/winnow-search/winnow/token"
)

// Options configure a policy.
type Options struct {
	// BaseURL is where the API begins, as in http://localhost:8000/v1. To one
	// without a path "/v1" is added.
	BaseURL string
	// Model is the model's name on the server.
	Model string
	// Key is sent as a bearer token. Empty sends none.
	Key string
	// Temperature and TopP are those of sampling; nil and 0 mean what the weights
	// were trained with, 1.0 and 0.9.
	Temperature *float64
	TopP        float64
	// Price is what the model costs; the zero value means that nobody knows.
	Price endpoint.Price
	// Text sends prompts as text from the start. Without it a policy finds out by
	// itself whether the server takes ids.
	Text bool
	// Attempts is how often a request is sent before it has failed. 0 means 4.
	Attempts int
	// Timeout bounds one attempt, which is a whole reply. 0 means five minutes.
	Timeout time.Duration
	// Client sends the requests. Nil means a client that follows no redirects:
	// prompts and key stay with the server they were meant for.
	Client *http.Client
}

// Policy asks a model. It is safe for concurrent use, as rollouts share it.
type Policy struct {
	o      Options
	base   *url.URL
	asText atomic.Bool // the server takes no ids
	sleep  func(context.Context, time.Duration) error
}

var _ winnow.Policy = (*Policy)(nil)

// New returns a policy. The server is not asked before the first turn.
func New(o Options) (*Policy, error) {
	if o.BaseURL == "" {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the harmony policy needs the address of a server", Hint: "--base-url http://localhost:8000/v1"}
	}
	base, err := endpoint.Base(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the harmony policy needs the name of a model", Hint: "--model NAME"}
	}
	o.TopP = cmp.Or(o.TopP, 0.9)
	o.Attempts = cmp.Or(max(0, o.Attempts), 4)
	o.Timeout = cmp.Or(max(0, o.Timeout), 5*time.Minute)
	if o.Client == nil {
		o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	p := &Policy{o: o, base: base, sleep: endpoint.Sleep}
	p.asText.Store(o.Text)
	return p, nil
}

// TakesIDs reports whether prompts go to the server as token ids, as far as it is
// known: a server is asked with ids first.
func (p *Policy) TakesIDs() bool { return !p.asText.Load() }

// Name implements [winnow.Policy].
func (*Policy) Name() string { return "harmony" }

const (
	// defaultReserve is for views that keep none.
	defaultReserve = 4096

	cutOff     = "Your last reply was cut off before it called a tool or answered. Think briefly, then call one tool or write the documents."
	unreadable = "Your last reply neither called a tool nor answered. Call a tool on the commentary channel, or write the documents on the final channel."
)

// Next implements [winnow.Policy]. A reply that neither calls nor answers is
// asked for once more, with a word on what was wrong. If that brings nothing
// either, the chunks that the reasoning names are the answer.
func (p *Policy) Next(ctx context.Context, v *winnow.View) (winnow.Action, error) {
	seed := int64(v.Seed & math.MaxInt64) // servers read it as signed
	first, failed := p.infer(ctx, v, seed)
	if failed != nil {
		return winnow.Action{}, failed
	}
	if first.ok {
		return first.action, nil
	}
	again := *v
	again.Note = first.fault()
	if v.Note != "" {
		again.Note = v.Note + "\n\n" + again.Note
	}
	second, failed := p.infer(ctx, &again, seed^1)
	if failed != nil {
		return winnow.Action{}, failed
	}
	second.action.Usage = first.action.Usage.Add(second.action.Usage)
	second.action.Warnings = append(second.action.Warnings, "a reply could not be used and was asked for again")
	if second.ok {
		return second.action, nil
	}
	for _, r := range []*inference{second, first} {
		if r.action.Answer = reasoned(r.action.Reasoning, v); r.action.Answer != nil {
			r.action.Usage, r.action.Warnings = second.action.Usage, second.action.Warnings
			return r.action, nil
		}
	}
	return winnow.Action{}, &winnow.Error{Code: winnow.Unavailable,
		Message: "the model " + p.o.Model + " twice neither called a tool nor answered",
		Hint:    "a model that speaks harmony, such as Context-1 or gpt-oss, or the chat policy for any other"}
}

// inference is what came of one inference.
type inference struct {
	action winnow.Action
	ok     bool // it calls or answers
	cut    bool // the server stopped it for its length
}

// fault says to the model what was wrong with its reply.
func (r *inference) fault() string {
	if r.cut {
		return cutOff
	}
	return unreadable
}

// infer asks for one reply to a view.
func (p *Policy) infer(ctx context.Context, v *winnow.View, seed int64) (*inference, error) {
	ids := render(v)
	room := cmp.Or(max(0, v.Budget.Reserve), defaultReserve)
	if v.Budget.Tokens > 0 {
		// A note on a bad reply takes its room from the reply: the budget holds.
		room = max(1, min(room, v.Budget.Tokens-len(ids)))
	}
	c, err := p.complete(ctx, ids, room, seed)
	if err != nil {
		return nil, err
	}
	if read := c.Usage.Prompt + c.cached(); c.Usage.Prompt > 0 && read < len(ids)-len(ids)/10 {
		return nil, &winnow.Error{Code: winnow.TooMuch,
			Message: fmt.Sprintf("the server read %d tokens of a prompt of %d: it cut the rest off", c.Usage.Prompt, len(ids)),
			Hint:    endpoint.WindowHint(v.Budget.Tokens)}
	}
	segments, err := c.segments()
	if err != nil {
		return nil, p.unusable(err)
	}
	r := &inference{cut: c.Choices[0].Finish == "length"}
	r.action, r.ok = actionOf(parse(segments), v)
	r.action.Usage = winnow.Usage{Prompt: c.Usage.Prompt, Completion: c.Usage.Completion, Cached: c.cached()}
	r.action.Usage.CostUSD = p.o.Price.Cost(c.Usage.Prompt, min(c.cached(), c.Usage.Prompt), c.Usage.Completion)
	if r.cut {
		r.action.Warnings = append(r.action.Warnings, "a reply was cut off at its greatest length")
	}
	if p.asText.Load() && !p.o.Text {
		r.action.Warnings = append(r.action.Warnings, "the server takes no token ids, and prompts went to it as text")
	}
	return r, nil
}

// stops end a reply: the answer is complete, or a call is.
var stops = []token.ID{token.Return, token.Call}
