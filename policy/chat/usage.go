package chat

import (
	"fmt"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
	"github.com/winnow-search/winnow/token"
)

func (p *Policy) usage(c counts) winnow.Usage {
	u := winnow.Usage{Prompt: c.Prompt, Completion: c.Completion, Cached: min(c.Details.Cached, c.Prompt)}
	u.CostUSD = p.o.Price.Cost(u.Prompt, u.Cached, u.Completion)
	return u
}

// promptCut tells when a server has dropped a part of the prompt without a word.
// Templates drop old reasoning and tokenizers differ, so only the prompt and the
// results count, and a quarter less is let pass.
func promptCut(v *winnow.View, prompt int) *winnow.Error {
	if prompt == 0 || prompt >= v.Tokens {
		return nil
	}
	sent := token.Count(v.Prompt)
	for i := range v.Turns {
		for j := range v.Turns[i].Results {
			sent += token.Count(v.Turns[i].Results[j].Text())
		}
	}
	if prompt*4 >= sent*3 {
		return nil
	}
	return &winnow.Error{Code: winnow.TooMuch,
		Message: fmt.Sprintf("the server read %d tokens of a prompt of about %d: it cut the rest off without a word", prompt, sent),
		Hint:    endpoint.WindowHint(v.Budget.Tokens)}
}
