package open

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/endpoint"
)

// PolicySettings are a policy as flags or the configuration describe it. The
// zero value is the default policy with the profile it does best with.
type PolicySettings struct {
	// Policy is the kind, one of [Policies], or the name of a policy in the
	// configuration. A model without a policy is one for chat.
	Policy string `yaml:"policy,omitempty"`
	// Model is its name on the server at BaseURL, whose key is in the environment
	// variable KeyEnv. Headers are for gateways that want more than a key.
	Model   string            `yaml:"model,omitempty"`
	BaseURL string            `yaml:"base_url,omitempty"`
	KeyEnv  string            `yaml:"key_env,omitempty"`
	Headers map[string]Secret `yaml:"headers,omitempty"`
	// Profile of tools and limits; "" is the policy's own.
	Profile string `yaml:"profile,omitempty"`
	// Prompt is the path of a file that replaces the profile's.
	Prompt string `yaml:"prompt,omitempty"`
	// Budget bounds the view, in tokens; 0 is the profile's.
	Budget int `yaml:"budget,omitempty"`
	// Temperature of sampling; nil is the server's choice, or the weights' own.
	Temperature *float64 `yaml:"temperature,omitempty"`
	// Thinking is how much a model thinks before it speaks: low, medium or high
	// for chat, adaptive or a number of tokens for anthropic.
	Thinking string `yaml:"thinking,omitempty"`
	// Timeout is how long a server may be silent.
	Timeout time.Duration `yaml:"timeout,omitempty"`
	// Price is what the model costs.
	Price endpoint.Price `yaml:"price,omitempty"`
}

// Secret is a text that is used and never shown.
type Secret string

func (Secret) String() string { return "(hidden)" }

// MarshalYAML hides the text from whatever prints a configuration.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

// Searcher is who answers questions: a policy with the profile, the prompt and
// the budget that it is run with. Commands, the server and the evaluation get it
// here, and to all of them a policy in code and a model are the same.
type Searcher struct {
	// Name is what the user called it, Model the model's name, if there is one.
	Name  string
	Model string
	// Kind is the one of [Policies] that it is.
	Kind string

	options  agent.Options
	policy   func(*Opened) (winnow.Policy, error) // for what is open, nil to try
	corpus   func(winnow.Corpus) winnow.Corpus
	patience time.Duration // of a check
}

// Searcher is the one that the settings describe, completed from the
// configuration. It makes no call to a server; [Searcher.Check] does.
func (c *Config) Searcher(p PolicySettings) (*Searcher, error) {
	name, p, err := c.complete(p)
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	s := &Searcher{Name: name, Model: p.Model, Kind: p.Policy, patience: patience, corpus: func(c winnow.Corpus) winnow.Corpus { return c }}
	s.options.Profile, s.options.Budget.Tokens = p.Profile, p.Budget
	if s.options.Prompt, err = readPrompt(p.Prompt); err != nil {
		return nil, err
	}
	if err := s.build(&p); err != nil {
		return nil, err
	}
	// What can't be made is said now, and not when the corpus is open.
	_, err = s.policy(nil)
	return s, err
}

// check refuses values that no kind of policy can use.
func (p *PolicySettings) check() error {
	bad := func(hint, format string, args ...any) error {
		return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf(format, args...), Hint: hint}
	}
	switch t := p.Temperature; {
	case p.Profile != "" && p.Profile != agent.Winnow && p.Profile != agent.Context1:
		return bad("--profile winnow or --profile context-1", "there is no profile %q", p.Profile)
	case p.Budget < 0:
		return bad("--budget 32768", "a budget can't be negative")
	case p.Timeout != 0 && p.Timeout < time.Second:
		return bad("90s or 5m", "a timeout of %s is too short for any model", p.Timeout)
	case t != nil && !(*t >= 0 && *t <= 2):
		return bad("--temperature 1", "a temperature of %v is not between 0 and 2", *t)
	}
	return nil
}

// complete resolves a name and fills in what is left open: from the settings
// outside of any policy, unless these are about another one, and from the policy
// of that name. One of the configuration that was asked for by name is complete
// in itself: an address outside of it must not get its key.
func (c *Config) complete(p PolicySettings) (name string, _ PolicySettings, err error) {
	own := c.PolicySettings
	name = cmp.Or(p.Policy, own.Policy)
	named, isNamed := c.Policies[name]
	kind := name
	if isNamed {
		kind = named.Policy
	}
	if kind == "" {
		kind = defaultPolicy
		if cmp.Or(p.Model, named.Model, own.Model) != "" {
			kind = PolicyChat
		}
	}
	takes, ok := policies[kind]
	if !ok {
		return "", p, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("there is no policy %q", kind), Hint: c.suggestPolicy(kind)}
	}
	for _, key := range over(p, named).said() {
		if !slices.Contains(takes, key) {
			return "", p, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("the policy %s takes no %s", cmp.Or(name, kind), key),
				Hint: "leave it out, or use another policy: this one is of the kind " + kind}
		}
	}
	if p.Policy == "" || own.Policy == name || own.Policy == "" && !isNamed {
		p = over(p, own.only(takes))
	}
	p = over(p, named)
	p.Policy = kind
	return cmp.Or(name, kind), p, nil
}

// suggestPolicy says which policy was probably meant.
func (c *Config) suggestPolicy(name string) string {
	known := map[string]bool{}
	for kind := range policies {
		known[kind] = true
	}
	for name := range c.Policies {
		known[name] = true
	}
	hint := suggest(name, known)
	if known[hint] {
		return "--policy " + hint
	}
	return hint
}

// over is what p says, and where it says nothing, what below does.
func over(p, below PolicySettings) PolicySettings {
	to, from := reflect.ValueOf(&p).Elem(), reflect.ValueOf(below)
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return p
}

// only leaves the keys that a kind takes.
func (p PolicySettings) only(keys []string) PolicySettings {
	v := reflect.ValueOf(&p).Elem()
	for i := range v.NumField() {
		if !slices.Contains(keys, keyOf(v.Type().Field(i))) {
			v.Field(i).SetZero()
		}
	}
	return p
}

// said are the keys that hold a value, but for the policy itself.
func (p PolicySettings) said() (keys []string) {
	v := reflect.ValueOf(p)
	for i := range v.NumField() {
		if key := keyOf(v.Type().Field(i)); !v.Field(i).IsZero() && key != "policy" {
			keys = append(keys, key)
		}
	}
	return keys
}

// Options are those of a run over a corpus: question, scope, seed and limits are
// the caller's to set. Every run has a policy of its own.
func (s *Searcher) Options(o *Opened) (agent.Options, error) {
	options := s.options
	policy, err := s.policy(o)
	if err != nil {
		return options, err
	}
	if policy.Name() != s.Name {
		policy = renamed{policy, s.Name}
	}
	options.Policy, options.Model = policy, s.Model
	options.Corpus, options.Collections = s.corpus(o.Corpus), o.Collections
	if s.Asks() {
		options.Date = time.Now().Format(time.DateOnly) // no more, so that a prompt is the same all day
	}
	return options, nil
}

// renamed is a policy under the name that the user knows it by.
type renamed struct {
	winnow.Policy
	name string
}

func (r renamed) Name() string { return r.name }

// checker is a policy that can find out cheaply whether it will be answered.
type checker interface {
	Check(context.Context, winnow.Budget) error
}

// Check is the cheap part of finding out whether a run can succeed: the server
// answers, takes the key, serves the model, and its context holds the budget. It
// makes no inference, and for policies in code it does nothing.
func (s *Searcher) Check(ctx context.Context) error {
	policy, err := s.policy(nil)
	if err != nil {
		return err
	}
	c, ok := policy.(checker)
	if !ok {
		return nil
	}
	patient, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	err = c.Check(patient, s.Budget())
	if err != nil && patient.Err() != nil && ctx.Err() == nil {
		return &winnow.Error{Code: winnow.Unavailable, Message: fmt.Sprintf("the model's server is silent, it did not even list its models within %s", s.patience),
			Hint: "see whether it is overloaded, or give another address with --base-url"}
	}
	return err
}

// patience is how long a list of models may take: nothing is computed for it.
const patience = 30 * time.Second

// defaultBudget is that of both profiles.
const defaultBudget = 32768

// Budget is what the view is bounded to.
func (s *Searcher) Budget() winnow.Budget {
	return winnow.Budget{Tokens: cmp.Or(s.options.Budget.Tokens, defaultBudget)}
}

// Asks reports whether it asks a model behind a server.
func (s *Searcher) Asks() bool { return s.Model != "" }
