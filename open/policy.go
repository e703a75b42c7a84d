package open

import (
	"fmt"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/policy/query"
)

// PolicySettings are a policy as flags or the configuration describe it. The
// zero value is the default policy with the profile it does best with.
type PolicySettings struct {
	// Policy is the kind: query, or the name of a policy in the configuration.
	Policy string `yaml:"policy"`
	// Profile of tools and limits; "" is the policy's own.
	Profile string `yaml:"profile"`
	// Budget bounds the view, in tokens; 0 is the profile's.
	Budget int `yaml:"budget"`
}

// Searcher is who answers questions: a policy with the profile, the prompt and
// the budget that it is run with. Commands, the server and the evaluation get it
// here, and to all of them a policy in code and a model are the same.
type Searcher struct {
	// Name is what the user called it, Model the model's name, if there is one.
	Name  string
	Model string

	options agent.Options
	policy  func() (winnow.Policy, error)
}

// PolicyQuery is the policy that searches once.
const PolicyQuery = "query"

// Searcher is the one that the settings describe, completed from the
// configuration.
func (c *Config) Searcher(p PolicySettings) (*Searcher, error) {
	s := &Searcher{Name: PolicyQuery}
	s.options.Profile, s.options.Budget.Tokens = p.Profile, p.Budget
	switch p.Policy {
	case "", PolicyQuery:
		s.policy = func() (winnow.Policy, error) { return query.Policy{}, nil }
	default:
		return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("there is no policy %q", p.Policy), Hint: "--policy query"}
	}
	return s, nil
}

// Options are those of a run over a corpus: question, scope, seed and limits are
// the caller's to set. Every run has a policy of its own.
func (s *Searcher) Options(o *Opened) (agent.Options, error) {
	options := s.options
	policy, err := s.policy()
	options.Policy, options.Model = policy, s.Model
	options.Corpus, options.Collections = o.Corpus, o.Collections
	return options, err
}
