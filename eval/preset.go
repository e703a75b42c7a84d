package eval

import (
	"fmt"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
)

// Preset is a set of constants under a name, those of a published evaluation.
type Preset struct {
	Name string
	// Profile and Temperature go before the configuration's; what the command
	// line says goes before them, and is a deviation.
	Profile     string
	Temperature *float64
	// Budget is the size of the view, for what deviates from it.
	Budget int
	// Options are applied to every run.
	Options func(agent.Options) agent.Options
	// Deviations are what can't be set alike, and why.
	Deviations []string
}

// FindPreset returns the preset of a name; "" is the one that changes nothing.
func FindPreset(name string) (*Preset, error) {
	switch name {
	case "":
		return &Preset{Options: func(o agent.Options) agent.Options { return o }}, nil
	case Context1Report:
		return context1Report(), nil
	}
	return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("there is no preset %q", name), Hint: "--preset " + Context1Report}
}

// Context1Report is the evaluation in the technical report on Context-1.
const Context1Report = "context-1-report"

func context1Report() *Preset {
	temperature := 1.0
	return &Preset{
		Name: Context1Report, Profile: agent.Context1, Temperature: &temperature, Budget: 32768,
		Options: func(o agent.Options) agent.Options {
			o.MaxTurns = 64
			o.Budget.Quiet = true // the note at the soft limit was part of training only
			if o.Budget.Tokens == 0 {
				o.Budget = winnow.Budget{Tokens: 32768, Soft: 16384, Hard: 24576, PerCall: 4096, Quiet: true}
			}
			return o
		},
		Deviations: []string{
			"embedder: the report does not name one that can be had; here it is the embedder named in the setup",
			"reranker: the report reranks with a large model; here it is the one named in the setup",
			"pool: the report fuses 25 candidates of BM25 and 25 of a dense leg; here each leg brings 50, and links are a third leg",
			"prompt: the report's is not published; here it is the one of profile context-1, in our own words",
			"corpus: the report indexes the passages of the whole distractor split; here it is the corpus of the data set that was given",
		},
	}
}
