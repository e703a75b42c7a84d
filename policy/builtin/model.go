package builtin

import (
	"strings"

	"github.com/winnow-search/winnow/index/bm25"
)

// Idea is a part of the policy that can be left out, to see what it is worth.
type Idea string

const (
	IdeaParts  Idea = "parts"  // searching for parts of the question
	IdeaLinks  Idea = "links"  // following links
	IdeaChains Idea = "chains" // seeing passages as parts of chains
	IdeaText   Idea = "text"   // reading sentence by sentence
)

// Ideas are all there are.
func Ideas() []Idea { return []Idea{IdeaParts, IdeaLinks, IdeaChains, IdeaText} }

// Model is what all runs of the policy share. It is safe for concurrent use.
type Model struct {
	weights  *Weights // nil ranks by the search's order
	analyzer *bm25.Analyzer
	common   map[string]bool
	without  map[Idea]bool
	blind    []int // the features of ideas that are left out
}

// NewModel returns a model with these weights. Without weights it searches as
// with them, and ranks as the search did: that is how weights are collected.
func NewModel(w *Weights, without ...Idea) *Model {
	analyzer, err := bm25.NewAnalyzer("")
	if err != nil {
		panic(err) // English is always there
	}
	m := &Model{weights: w, analyzer: analyzer, common: map[string]bool{}, without: map[Idea]bool{}}
	for _, idea := range without {
		m.without[idea] = true
	}
	for i, name := range Features {
		if m.without[IdeaText] && (strings.HasPrefix(name, "read_") || strings.HasPrefix(name, "part_")) ||
			m.without[IdeaChains] && (strings.HasPrefix(name, "chain") || strings.HasPrefix(name, "next_")) {
			m.blind = append(m.blind, i)
		}
	}
	bm25.Words(askingWords, func(word string) {
		for _, t := range analyzer.AppendTerms(nil, word) {
			m.common[t] = true
		}
	})
	return m
}

// askingWords are words that ask and say nothing of what is asked for.
const askingWords = `what which who whom whose where when why how many much did does do is are was were
name tell find list give show considering according information article report question`
