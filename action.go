package winnow

// Action is what a policy does in a turn: calls, or the answer that ends the
// run. Where it has both, the calls are run and the answer is not final.
type Action struct {
	// Reasoning is what the policy thought. It stays in the view until the room
	// is needed.
	Reasoning string `json:"reasoning,omitempty"`
	// Signature belongs to the reasoning for providers that sign it, and must go
	// back to them unchanged.
	Signature string `json:"signature,omitempty"`
	// Text is what a model said aloud beside its calls, or its final words.
	Text   string  `json:"text,omitempty"`
	Calls  []Call  `json:"calls,omitempty"`
	Answer *Answer `json:"answer,omitempty"`
	Usage  Usage   `json:"usage,omitzero"`
	// Warnings say what the policy had to mend or leave out.
	Warnings []string `json:"warnings,omitempty"`
}

// Call asks for one tool.
type Call struct {
	// ID is the provider's; the agent gives one where there is none.
	ID   string `json:"id"`
	Tool string `json:"tool"`
	// Arguments are JSON as the policy wrote it, well formed or not.
	Arguments string `json:"arguments"`
}

// Answer is a policy's conclusion. Ids are those of documents, of chunks or
// handles; only what was shown counts.
type Answer struct {
	// Selected are the documents that support the question's answer, best first.
	Selected []Choice `json:"selected"`
	// Rest orders what was shown and not selected, where the policy has an
	// opinion on it.
	Rest []string `json:"rest,omitempty"`
	// Confidence is between 0 and 1; nil where the policy has none.
	Confidence *float64 `json:"confidence,omitempty"`
	// Flags say how the answer was come by, where that is out of the ordinary.
	Flags []string `json:"flags,omitempty"`
}

// Choice is a document with the reason for choosing it.
type Choice struct {
	ID            string `json:"id"`
	Justification string `json:"justification,omitempty"`
	// Lead is what led to it, where the policy can say; From is an id such as ID.
	Lead *Lead `json:"lead,omitempty"`
}

// Usage is what a provider reports of an inference. All zero where nothing is
// known.
type Usage struct {
	// Prompt counts all tokens of the prompt, those read from a cache included.
	Prompt     int `json:"prompt,omitempty"`
	Completion int `json:"completion,omitempty"`
	Cached     int `json:"cached,omitempty"`
	// CostUSD is nil where no price is known.
	CostUSD *float64 `json:"cost_usd,omitempty"`
}

// Add returns the sum of two usages. A cost is known if either is.
func (u Usage) Add(v Usage) Usage {
	sum := Usage{Prompt: u.Prompt + v.Prompt, Completion: u.Completion + v.Completion, Cached: u.Cached + v.Cached}
	for _, c := range []*float64{u.CostUSD, v.CostUSD} {
		if c == nil {
			continue
		}
		if sum.CostUSD == nil {
			sum.CostUSD = new(float64)
		}
		*sum.CostUSD += *c
	}
	return sum
}
