// Package anthropic is the policy that asks a Claude model over the Messages API.
//
// It is not the chat policy with another address, because the two things that
// matter most in a long run are only here: prefixes are cached where the request
// marks them, and thoughts are signed and must go back as they came. There is one
// server behind this API, so replies are read as it documents them, with no
// regard for dialects.
package anthropic

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
	"github.com/winnow-search/winnow/policy/reply"
)

// Adaptive leaves it to the model how much it thinks.
const Adaptive = -1

// Options of the policy. Model and key are needed.
type Options struct {
	// BaseURL is the address of the API without its version; empty means
	// Anthropic's.
	BaseURL string
	Model   string
	// Key is in no error and in nothing stored, and never read from the
	// environment.
	Key string
	// Temperature is the server's choice where it is nil. It is not sent with
	// thinking, which does not go with it.
	Temperature *float64
	// Thinking is how many tokens of a reply may be thoughts, at least 1,024 and
	// less than the budget's reserve; 0 means none, and see Adaptive.
	Thinking int
	// Price is what the model costs; the zero value means that nobody knows.
	Price endpoint.Price
	// Timeout is how long the server may be silent; 0 means 2 minutes.
	Timeout time.Duration
	// Attempts bounds how often a request is sent if the server is overloaded or
	// the connection breaks; 0 means 4.
	Attempts int
}

// Policy asks a model what to do next.
type Policy struct {
	o      Options
	server endpoint.Client
}

var _ winnow.Policy = (*Policy)(nil)

// New returns a policy. It does not call the server.
func New(o Options) (*Policy, error) {
	if o.BaseURL == "" {
		o.BaseURL = "https://api.anthropic.com"
	}
	base, err := url.Parse(strings.TrimSpace(o.BaseURL))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the model's address is not an http or https URL without a password in it", Hint: "https://api.anthropic.com"}
	}
	base.Path = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), "/v1")
	base.RawQuery, base.Fragment = "", ""
	if o.Model == "" {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the anthropic policy needs the name of a model", Hint: "--model NAME"}
	}
	if o.Key = strings.TrimSpace(o.Key); o.Key == "" {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the anthropic policy needs a key", Hint: "set ANTHROPIC_API_KEY, or the variable that the policy names"}
	}
	if o.Thinking != 0 && o.Thinking != Adaptive && o.Thinking < 1024 {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%d tokens are too few to think", o.Thinking), Hint: "at least 1024, or 0 for no thinking"}
	}
	if o.Timeout <= 0 {
		o.Timeout = 2 * time.Minute
	}
	if o.Attempts <= 0 {
		o.Attempts = 4
	}
	header := http.Header{"X-Api-Key": {o.Key}, "Anthropic-Version": {"2023-06-01"}}
	return &Policy{o, endpoint.Client{Base: base, Header: header, Silence: o.Timeout}}, nil
}

func (p *Policy) Name() string { return "anthropic" }

// Next asks the model for its next action.
func (p *Policy) Next(ctx context.Context, v *winnow.View) (winnow.Action, error) {
	return reply.Settle(v, func(reminder string, room int) (said reply.Said, err error) {
		m, err := p.send(ctx, p.request(v, reminder, room), v.Budget.Tokens)
		if err != nil {
			return said, err
		}
		said = reply.Said{Action: m.action(), Cut: m.stop == cutOff}
		said.Action.Usage = p.usage(m.usage)
		return said, nil
	})
}

func (p *Policy) usage(c counts) winnow.Usage {
	u := winnow.Usage{Prompt: c.Input + c.Read + c.Written, Completion: c.Output, Cached: c.Read}
	price := p.o.Price
	if price.Cached == 0 {
		price.Cached = price.Prompt / 10 // as the provider has it
	}
	if u.CostUSD = price.Cost(u.Prompt, u.Cached, u.Completion); u.CostUSD != nil {
		*u.CostUSD += float64(c.Written) * price.Prompt / 4 / 1e6 // writing to the cache costs a quarter more
	}
	return u
}
