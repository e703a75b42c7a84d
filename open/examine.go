package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/token"
)

// Finding is one thing that was looked at.
type Finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Says string `json:"says"`
	// Hint is what helps where it is not OK.
	Hint string `json:"hint,omitempty"`
}

func well(what, format string, args ...any) Finding {
	return Finding{What: what, OK: true, Says: fmt.Sprintf(format, args...)}
}

func ill(what string, err error) Finding {
	f := Finding{What: what, Says: err.Error()}
	var e *winnow.Error
	if errors.As(err, &e) {
		f.Hint = e.Hint
	}
	return f
}

// Examine finds out whether the searcher's model can be used, thing by thing: the
// server, the model's name, its context, and with one real call whether it calls
// tools and, for harmony, whether the server takes token ids. It ends at the
// first thing without which the others make no sense.
func (s *Searcher) Examine(ctx context.Context) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		policy, err := s.policy(nil)
		if err != nil {
			yield(ill("policy", err))
			return
		}
		if !yield(well("policy", "%s, of the kind %s, profile %s", s.Name, s.Kind, cmp.Or(s.options.Profile, "winnow"))) || !s.Asks() {
			return
		}
		window, ok := s.examineServer(ctx, policy, yield)
		if ok {
			s.examineCall(ctx, policy, window, yield)
		}
	}
}

// lister is a policy whose server says what it serves.
type lister interface {
	Models(context.Context) ([]endpoint.Model, error)
}

// examineServer looks at what the server says of itself. The context is 0 where
// it does not say.
func (s *Searcher) examineServer(ctx context.Context, policy winnow.Policy, yield func(Finding) bool) (window int, ok bool) {
	models, err := policy.(lister).Models(ctx)
	switch {
	case winnow.CodeOf(err) == winnow.NotFound:
		return 0, yield(well("server", "it answers, and does not list its models"))
	case err != nil:
		yield(ill("server", err))
		return 0, false
	case !yield(well("server", "it answers and serves %s", endpoint.Names(models))):
		return 0, false
	}
	// The same questions as before a run, so that both say the same.
	if err := policy.(checker).Check(ctx, s.Budget()); err != nil {
		what := "model"
		if winnow.CodeOf(err) == winnow.TooMuch {
			what = "context"
		}
		yield(ill(what, err))
		return 0, false
	}
	if !yield(well("model", "%s is served", s.Model)) {
		return 0, false
	}
	if m := endpoint.Served(models, s.Model); m != nil {
		window = m.Context
	}
	if window > 0 {
		return window, yield(well("context", "%d tokens, enough for a budget of %d, replies included", window, s.Budget().Tokens))
	}
	return 0, yield(well("context", "the server does not say how large it is"))
}

// padding is how many tokens are sent to a server that does not say its context:
// more than what the commonest of them cuts prompts to without a word.
const padding = 6000

// examineCall makes one real call.
func (s *Searcher) examineCall(ctx context.Context, policy winnow.Policy, window int, yield func(Finding) bool) {
	v := &winnow.View{
		Profile: s.options.Profile, Question: "winnow", Turn: 1, Budget: winnow.Budget{Tokens: s.Budget().Tokens, Reserve: 2048},
		Prompt: "This is a test of the connection. Call the tool search_corpus once, with the query \"winnow\", and say nothing else.",
		Tools: []winnow.Tool{{Name: "search_corpus", Description: "Search the corpus.",
			Parameters: []winnow.Parameter{{Name: "query", Type: winnow.TypeString, Description: "What to search for."}}}},
	}
	if room := v.Budget.Tokens - 2*v.Budget.Reserve; window == 0 && room > padding {
		line := "These words only fill the context, so that one that is too small shows. "
		v.Prompt = strings.Repeat(line, padding/token.Count(line)) + "\n\n" + v.Prompt
	}
	v.Tokens = harmony.Count(v)
	start := time.Now()
	a, err := policy.Next(ctx, v)
	if err != nil {
		yield(ill("call", err))
		return
	}
	if !yield(well("call", "%d tokens were answered with %d in %s", a.Usage.Prompt, a.Usage.Completion, time.Since(start).Round(time.Millisecond))) {
		return
	}
	if len(a.Calls) == 0 {
		yield(Finding{What: "tool calling", Says: fmt.Sprintf("%s was asked to call a tool and did not", s.Model),
			Hint: "a model that calls tools, with the parser that the server has for it; --policy harmony for gpt-oss and Context-1"})
	} else if !yield(well("tool calling", "it called %s", a.Calls[0].Tool)) {
		return
	}
	if p, ok := policy.(interface{ TakesIDs() bool }); ok && p.TakesIDs() {
		yield(well("token ids", "the server takes prompts as token ids"))
	} else if ok {
		yield(well("token ids", "the server takes none; prompts go to it as text, in which documents that spell a special token are changed"))
	}
}
