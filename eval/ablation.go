package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
)

// Ablation names something that a run is made without, to see what it is worth.
type Ablation string

const (
	NoPrune   Ablation = "no-prune"   // no tool that prunes, and none that undoes it
	NoBudget  Ablation = "no-budget"  // 200,000 tokens, and no note before they are full
	NoDedup   Ablation = "no-dedup"   // searches return what was shown before
	NoRerank  Ablation = "no-rerank"  // the order of fusion
	BM25Only  Ablation = "bm25-only"  // one leg of the search
	DenseOnly Ablation = "dense-only" // …
	LinksOnly Ablation = "links-only" // …
)

// AllAblations are the names there are.
func AllAblations() []Ablation {
	return []Ablation{NoPrune, NoBudget, NoDedup, NoRerank, BM25Only, DenseOnly, LinksOnly}
}

// Ablations are what one run is made without.
type Ablations []Ablation

// ParseAblations reads names. Plain says that the policy only searches: then
// what is taken from an agent would change nothing, and is refused.
func ParseAblations(names []string, plain bool) (Ablations, error) {
	var out Ablations
	leg := Ablation("")
	for _, name := range names {
		a := Ablation(strings.TrimSpace(name))
		if !slices.Contains(AllAblations(), a) {
			return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("there is no ablation %q", name), Hint: "--ablate " + joined(AllAblations(), ", ")}
		}
		if plain && (a == NoPrune || a == NoBudget || a == NoDedup) {
			return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%s changes nothing for a policy that searches once", a), Hint: "leave it out, or use another --policy"}
		}
		if a.leg() != "" {
			if leg != "" && leg != a {
				return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%s and %s leave no leg to search with", leg, a), Hint: "one of them"}
			}
			leg = a
		}
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (a Ablation) leg() winnow.Leg {
	switch a {
	case BM25Only:
		return winnow.LegBM25
	case DenseOnly:
		return winnow.LegDense
	case LinksOnly:
		return winnow.LegLinks
	}
	return ""
}

// String is how the ablations are called in a run's name.
func (a Ablations) String() string { return joined(a, "+") }

func joined(a []Ablation, separator string) string {
	names := make([]string, len(a))
	for i := range a {
		names[i] = string(a[i])
	}
	return strings.Join(names, separator)
}

// noBudget is the context of the models that the report compares with.
const noBudget = 200_000

// Options takes the ablations from the options of a run.
func (a Ablations) Options(o agent.Options) agent.Options {
	for _, ablation := range a {
		switch ablation {
		case NoPrune:
			o.Omit = append(o.Omit, "prune_chunks", "restore_chunks", "search_history")
		case NoBudget:
			o.Budget = winnow.Budget{Tokens: noBudget, Soft: noBudget, Hard: noBudget, PerCall: o.Budget.PerCall, Quiet: true}
		case NoDedup:
			o.Repeat = true
		}
	}
	o.Corpus = a.Corpus(o.Corpus)
	return o
}

// Corpus is the corpus with what is left of its search.
func (a Ablations) Corpus(c winnow.Corpus) winnow.Corpus {
	of := ablated{Corpus: c}
	for _, ablation := range a {
		if leg := ablation.leg(); leg != "" {
			of.legs = []winnow.Leg{leg}
		}
		of.plain = of.plain || ablation == NoRerank || ablation.leg() != ""
	}
	if !of.plain {
		return c
	}
	return of
}

// ablated is a corpus of which searches use a part. A leg alone is in its own
// order: a ranker over all features would bring the other legs back in.
type ablated struct {
	winnow.Corpus
	legs  []winnow.Leg
	plain bool
}

func (c ablated) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	if len(c.legs) > 0 {
		q.Legs = c.legs
	}
	q.Rerank = "off"
	return c.Corpus.Search(ctx, q)
}
