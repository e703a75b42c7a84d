package page

import (
	"fmt"
	"time"

	"github.com/winnow-search/winnow/eval/compare"
)

// setup is how a run was made.
type setup struct {
	Class string
	Name  string
	Facts []fact
	// Deviations are those from the preset.
	Deviations []string
}

type fact struct{ Name, Value string }

func setups(t *compare.Table) (out []setup) {
	for i, r := range t.Runs {
		m := &r.Folder.Manifest
		s := setup{Class: series(i), Name: r.Name, Deviations: m.Deviations}
		add := func(name, value string) {
			if value != "" {
				s.Facts = append(s.Facts, fact{name, value})
			}
		}
		add("run", m.ID)
		add("begun", m.Begun.Format(time.RFC3339))
		add("winnow", m.Setup.Winnow)
		add("policy", m.Setup.Policy)
		add("model", m.Setup.Model)
		add("profile", m.Setup.Profile)
		if m.Setup.Budget > 0 {
			add("budget", thousands(fmt.Sprint(m.Setup.Budget))+" tokens")
		}
		if m.Setup.Rollouts > 1 {
			add("rollouts", fmt.Sprint(m.Setup.Rollouts))
		}
		add("without", m.Setup.Ablations.String())
		add("preset", m.Setup.Preset)
		add("embedder", m.Setup.Embedder)
		add("reranker", m.Setup.Rerank)
		add("seed", fmt.Sprint(m.Setup.Seed))
		add("corpus", fmt.Sprintf("%s documents, %s chunks, %.12s…", thousands(fmt.Sprint(m.Documents)), thousands(fmt.Sprint(m.Chunks)), m.Setup.Corpus))
		add("questions", fmt.Sprintf("%.12s…", m.Setup.Questions))
		out = append(out, s)
	}
	return out
}

// failure is a question that ended in an error.
type failure struct{ Run, Question, Error string }

func failures(t *compare.Table) (out []failure) {
	for _, r := range t.Runs {
		for i := range r.Results {
			if e := r.Results[i].Outcome.Error; e != "" {
				out = append(out, failure{r.Name, r.Results[i].ID, e})
			}
		}
	}
	return out
}
