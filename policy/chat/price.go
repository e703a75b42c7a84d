package chat

import (
	"fmt"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/token"
)

// Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	Prompt     float64
	Completion float64
	// Cached is the price of prompt tokens read from a cache; 0 means that they
	// cost as much as others.
	Cached float64
}

func (p *Policy) usage(c counts) winnow.Usage {
	u := winnow.Usage{Prompt: c.Prompt, Completion: c.Completion, Cached: min(c.Details.Cached, c.Prompt)}
	if price := p.o.Price; price != (Price{}) {
		if price.Cached == 0 {
			price.Cached = price.Prompt
		}
		cost := (float64(u.Prompt-u.Cached)*price.Prompt + float64(u.Cached)*price.Cached + float64(u.Completion)*price.Completion) / 1e6
		u.CostUSD = &cost
	}
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
		Hint:    windowHint(v.Budget.Tokens)}
}

func windowHint(tokens int) string {
	return fmt.Sprintf("a context of at least %d tokens on the server (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; vLLM: --max-model-len; SGLang: --context-length; llama.cpp: --ctx-size), or a smaller --budget", tokens)
}
