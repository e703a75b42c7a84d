package winnow

// View is all that a policy sees before it acts: a pure function of the
// trajectory so far. It is structure. Chunks in it are spans with ids, and no
// text of a document can change where they begin or end. A view is read, not
// changed: its parts are shared between turns.
type View struct {
	Profile  string `json:"profile"`
	Question string `json:"question"`
	// Date is today as the policy is told, or empty.
	Date string `json:"date,omitempty"`
	// Prompt is the first message: the instruction with the question in it.
	Prompt string `json:"prompt"`
	Tools  []Tool `json:"tools"`
	// Turn is the number of the turn to be decided, from 1.
	Turn  int    `json:"turn"`
	Turns []Turn `json:"turns"`
	// Note is said to the policy this turn only, after everything else.
	Note string `json:"note,omitempty"`
	// Tokens is the exact o200k_harmony count of the whole view.
	Tokens int    `json:"tokens"`
	Budget Budget `json:"budget"`
	Seed   uint64 `json:"seed,omitempty"`
}

// Turn is one action with its results, as far as they are in view.
type Turn struct {
	Action  Action   `json:"action"`
	Results []Result `json:"results"`
}

// Budget bounds the view. All figures are tokens; before every inference
// Tokens(view) + Reserve ≤ Tokens.
type Budget struct {
	Tokens int `json:"tokens"`
	// Soft is where the view begins to carry a note that asks to prune or
	// conclude, Hard where every tool but pruning is refused.
	Soft int `json:"soft"`
	Hard int `json:"hard"`
	// PerCall bounds what one call may show.
	PerCall int `json:"per_call"`
	// Reserve is kept free for the policy's reply; it is the max_tokens of a
	// request.
	Reserve int `json:"reserve"`
	// Quiet leaves the note at Soft out.
	Quiet bool `json:"quiet,omitempty"`
	// Limit is printed as the limit in usage lines; 0 means Tokens.
	Limit int `json:"limit,omitempty"`
}

// Chunks calls f with every chunk in view, oldest first.
func (v *View) Chunks(f func(*Part)) {
	for i := range v.Turns {
		for j := range v.Turns[i].Results {
			parts := v.Turns[i].Results[j].Parts
			for k := range parts {
				if parts[k].Chunk != nil {
					f(&parts[k])
				}
			}
		}
	}
}
