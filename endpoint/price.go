package endpoint

// Price is what a model costs, in US dollars for a million tokens. The zero value
// means that nobody knows.
type Price struct {
	Prompt     float64 `yaml:"prompt"`
	Completion float64 `yaml:"completion"`
	// Cached is the price of prompt tokens read from a cache; 0 is the provider's
	// custom.
	Cached float64 `yaml:"cached,omitempty"`
}

// Cost is that of an inference, nil where no price is known. Cached tokens are
// among those of the prompt, and cost as much as the others where nothing else is
// said.
func (p Price) Cost(prompt, cached, completion int) *float64 {
	if p == (Price{}) {
		return nil
	}
	if p.Cached == 0 {
		p.Cached = p.Prompt
	}
	cost := (float64(prompt-cached)*p.Prompt + float64(cached)*p.Cached + float64(completion)*p.Completion) / 1e6
	return &cost
}
