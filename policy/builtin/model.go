package builtin

import (
	"encoding/binary"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/rerank/boost"
)

// Weights are what was learned: a ranker, whose scores order the passages of one
// question, and a judge, whose scores are the log odds that a passage is
// relevant and mean the same for every question.
type Weights struct {
	Ranker *boost.Model
	Judge  *boost.Model
}

// Encode returns the weights as a file.
func (w *Weights) Encode() []byte {
	ranker := w.Ranker.Encode()
	out := binary.AppendUvarint(nil, uint64(len(ranker)))
	out = append(out, ranker...)
	return append(out, w.Judge.Encode()...)
}

// Decode reads what Encode wrote, and refuses weights for other features.
func Decode(data []byte) (*Weights, error) {
	n, at := binary.Uvarint(data)
	if at <= 0 || n > uint64(len(data)-at) {
		return nil, &winnow.Error{Code: winnow.Corrupt, Message: "these are no weights of the built-in policy", Hint: "a file that winnow train builtin wrote"}
	}
	ranker, err := boost.Decode(data[at:at+int(n)], Features)
	if err != nil {
		return nil, err
	}
	judge, err := boost.Decode(data[at+int(n):], Features)
	if err != nil {
		return nil, err
	}
	return &Weights{ranker, judge}, nil
}

// Model is what all runs of the policy share. It is safe for concurrent use.
type Model struct {
	weights  *Weights // nil ranks by the search's order
	analyzer *bm25.Analyzer
	common   map[string]bool
	Query    winnow.Embedder
	Vector   func(*winnow.Hit) winnow.Vector
}

// NewModel returns a model with these weights. Without weights it searches as
// with them, and ranks as the search did: that is how weights are collected.
func NewModel(w *Weights) *Model {
	analyzer, err := bm25.NewAnalyzer("")
	if err != nil {
		panic(err) // English is always there
	}
	m := &Model{weights: w, analyzer: analyzer, common: map[string]bool{}}
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
