package eval

import (
	"slices"

	"github.com/winnow-search/winnow"
)

// Outcome is what came of one question: all that scoring reads.
type Outcome struct {
	// Ranking is best first. It may list chunks: a document stands where its
	// first chunk does, and has all of them.
	Ranking []Ranked `json:"ranking"`
	// RankingOnly says that the policy ranks and selects nothing: a plain
	// search. The metrics of selections and of trajectories do not apply to it.
	RankingOnly bool `json:"ranking_only,omitempty"`
	// Shown and Pruned are the chunks that the policy met and threw out.
	Shown  []Ref `json:"shown,omitempty"`
	Pruned []Ref `json:"pruned,omitempty"`

	Turns int `json:"turns,omitempty"`
	Calls int `json:"calls,omitempty"`
	// Tokens are those of prompts and completions together.
	Tokens int `json:"tokens,omitempty"`
	// CostUSD is nil where no price is known.
	CostUSD   *float64 `json:"cost_usd,omitempty"`
	LatencyMS float64  `json:"latency_ms"`
	// Error is why the question failed; a failed question counts as 0.
	Error string `json:"error,omitempty"`
}

// Ranked is a document in a ranking.
type Ranked struct {
	Document string   `json:"document"`
	Chunks   []string `json:"chunks,omitempty"`
	Selected bool     `json:"selected,omitempty"`
}

// Ref names a chunk and its document.
type Ref struct {
	Document string `json:"document"`
	Chunk    string `json:"chunk,omitempty"`
}

// RankHits turns the hits of a search into a ranking. To rank k documents a
// search must return more than k chunks: several may be of one document.
func RankHits(hits []winnow.Hit) []Ranked {
	ranking := make([]Ranked, len(hits))
	for i, h := range hits {
		ranking[i] = Ranked{Document: h.Document, Chunks: []string{h.ID}}
	}
	return byDocument(ranking)
}

// byDocument brings a ranking to one entry a document, at the place of its
// first. It is selected if any of its entries is.
func byDocument(ranking []Ranked) []Ranked {
	at := make(map[string]int, len(ranking))
	docs := make([]Ranked, 0, len(ranking))
	for _, r := range ranking {
		i, again := at[r.Document]
		if !again {
			at[r.Document] = len(docs)
			docs = append(docs, r)
			continue
		}
		docs[i].Chunks = slices.Concat(docs[i].Chunks, r.Chunks)
		docs[i].Selected = docs[i].Selected || r.Selected
	}
	return docs
}
