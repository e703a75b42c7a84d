package open

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/policy/anthropic"
	builtinpolicy "github.com/winnow-search/winnow/policy/builtin"
	"github.com/winnow-search/winnow/policy/chat"
	"github.com/winnow-search/winnow/policy/harmony"
	"github.com/winnow-search/winnow/policy/query"
)

// The kinds of policies.
const (
	// PolicyBuiltin is a multi-hop search agent in code.
	PolicyBuiltin = "builtin"
	// PolicyQuery searches once, PolicyBM25 once by words alone.
	PolicyQuery = "query"
	PolicyBM25  = "bm25"
	// The others ask a model.
	PolicyChat      = "chat"
	PolicyHarmony   = "harmony"
	PolicyAnthropic = "anthropic"
)

// defaultPolicy is used where there is neither a policy nor a model.
const defaultPolicy = PolicyBuiltin

// policies are the kinds with the settings that each takes: one that would do
// nothing is refused.
var policies = map[string][]string{
	PolicyBuiltin:   {"profile", "budget"},
	PolicyQuery:     {"profile", "budget"},
	PolicyBM25:      {"profile", "budget"},
	PolicyChat:      {"model", "base_url", "key_env", "headers", "profile", "prompt", "budget", "temperature", "thinking", "timeout", "price"},
	PolicyHarmony:   {"model", "base_url", "key_env", "profile", "prompt", "budget", "temperature", "timeout", "price"},
	PolicyAnthropic: {"model", "base_url", "key_env", "profile", "prompt", "budget", "temperature", "thinking", "timeout", "price"},
}

// Policies are the kinds there are, by name.
func Policies() []string { return slices.Sorted(maps.Keys(policies)) }

// build gives the searcher its policy. This is the one place where kinds are
// made.
func (s *Searcher) build(p *PolicySettings) error {
	switch p.Policy {
	case PolicyBuiltin:
		models := &builtinModels{}
		s.policy = models.policy
	case PolicyQuery:
		s.policy = func(*Opened) (winnow.Policy, error) { return query.Policy{}, nil }
	case PolicyBM25:
		s.policy = func(*Opened) (winnow.Policy, error) { return query.Policy{}, nil }
		s.corpus = func(c winnow.Corpus) winnow.Corpus { return wordsOnly{c} }
	case PolicyChat:
		return s.chat(p)
	case PolicyHarmony:
		return s.harmony(p)
	case PolicyAnthropic:
		return s.anthropic(p)
	}
	return nil
}

// The variables that the providers' own tools read.
const (
	openAIKey    = "OPENAI_API_KEY"
	openAIURL    = "OPENAI_BASE_URL"
	anthropicKey = "ANTHROPIC_API_KEY"
	anthropicURL = "ANTHROPIC_BASE_URL"
)

func (s *Searcher) chat(p *PolicySettings) error {
	key, err := keyFrom(p.KeyEnv, openAIKey)
	if err != nil {
		return err
	}
	o := chat.Options{BaseURL: cmp.Or(p.BaseURL, os.Getenv(openAIURL)), Model: p.Model, Key: key, Temperature: p.Temperature, Price: p.Price, Timeout: p.Timeout,
		Headers: map[string]string{}}
	for name, value := range p.Headers {
		o.Headers[name] = string(value)
	}
	if p.Thinking != "" {
		if !slices.Contains([]string{"low", "medium", "high"}, p.Thinking) {
			return &winnow.Error{Code: winnow.BadInput, Message: strconv.Quote(p.Thinking) + " is no measure of thinking for chat", Hint: "low, medium or high"}
		}
		o.Body = map[string]any{"reasoning_effort": p.Thinking}
	}
	s.options.Profile = cmp.Or(s.options.Profile, profileOf(p.Model))
	s.policy = func(*Opened) (winnow.Policy, error) { return chat.New(o) }
	return nil
}

func (s *Searcher) harmony(p *PolicySettings) error {
	key, err := keyFrom(p.KeyEnv, openAIKey)
	if err != nil {
		return err
	}
	o := harmony.Options{BaseURL: cmp.Or(p.BaseURL, os.Getenv(openAIURL)), Model: p.Model, Key: key, Temperature: p.Temperature, Price: p.Price, Timeout: p.Timeout}
	s.options.Profile = cmp.Or(s.options.Profile, agent.Context1)
	s.policy = func(*Opened) (winnow.Policy, error) { return harmony.New(o) }
	return nil
}

func (s *Searcher) anthropic(p *PolicySettings) error {
	key, err := keyFrom(p.KeyEnv, anthropicKey)
	if err != nil {
		return err
	}
	o := anthropic.Options{BaseURL: cmp.Or(p.BaseURL, os.Getenv(anthropicURL)), Model: p.Model, Key: key, Temperature: p.Temperature, Price: p.Price, Timeout: p.Timeout}
	switch p.Thinking {
	case "":
	case "adaptive":
		o.Thinking = anthropic.Adaptive
	default:
		if o.Thinking, err = strconv.Atoi(p.Thinking); err != nil || o.Thinking < 0 {
			return &winnow.Error{Code: winnow.BadInput, Message: strconv.Quote(p.Thinking) + " is no measure of thinking for anthropic", Hint: "adaptive, or a number of tokens from 1024"}
		}
	}
	s.policy = func(*Opened) (winnow.Policy, error) { return anthropic.New(o) }
	return nil
}

// readPrompt reads the file that replaces a profile's prompt.
func readPrompt(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err == nil && strings.TrimSpace(string(text)) == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return "", &winnow.Error{Code: winnow.BadInput, Message: "the prompt can't be used", Hint: "a text file in which {question} stands for the question", Err: err}
	}
	return string(text), nil
}

// wordsOnly is a corpus that is searched by words alone, in the order of BM25.
type wordsOnly struct{ winnow.Corpus }

func (w wordsOnly) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	q.Legs, q.Rerank = []winnow.Leg{winnow.LegBM25}, off
	return w.Corpus.Search(ctx, q)
}

// profileOf is the profile that a model was trained on.
func profileOf(model string) string {
	if strings.Contains(strings.ToLower(model), agent.Context1) {
		return agent.Context1
	}
	return agent.Winnow
}

// builtinModels are the models of the built-in policy, one for each vector space,
// loaded when they are first needed and shared by all runs.
type builtinModels struct {
	mu     sync.Mutex
	models map[string]*builtinpolicy.Model
}

func (b *builtinModels) policy(o *Opened) (winnow.Policy, error) {
	space, trained := "", ""
	if o != nil {
		space, trained = o.Space(), o.home.Weights()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if m := b.models[space]; m != nil {
		return m.Policy(), nil
	}
	w, err := builtinpolicy.Load(trained, space)
	if err != nil {
		return nil, err
	}
	m := builtinpolicy.NewModel(w)
	if o != nil { // else it is not known which weights will be wanted
		if b.models == nil {
			b.models = map[string]*builtinpolicy.Model{}
		}
		b.models[space] = m
	}
	return m.Policy(), nil
}
