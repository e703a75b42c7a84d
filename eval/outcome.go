package eval

import (
	"slices"
	"strings"

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
	// Views are the sizes of the view before each turn, in tokens; of several
	// rollouts, those of the first. PeakView is the largest of all.
	Views    []int `json:"views,omitempty"`
	PeakView int   `json:"peak_view,omitempty"`
	// Ended is why the run ended, Forced that the harness made the ranking.
	Ended  winnow.Ended `json:"ended,omitempty"`
	Forced bool         `json:"forced,omitempty"`
	// Tokens are those of prompts and completions together.
	Tokens int `json:"tokens,omitempty"`
	// CostUSD is nil where no price is known.
	CostUSD   *float64 `json:"cost_usd,omitempty"`
	LatencyMS float64  `json:"latency_ms"`
	// Untimed says that nobody knows how long it took: a ranking from a file.
	Untimed bool `json:"untimed,omitempty"`
	// Warnings say what was not as it should have been, and yet no failure: a leg
	// that could not be searched, a model that had to be asked again.
	Warnings []string `json:"warnings,omitempty"`
	// Error is why the question failed; a failed question counts as 0.
	Error string `json:"error,omitempty"`
}

// Ranked is a document in a ranking.
type Ranked struct {
	Document string   `json:"document"`
	Title    string   `json:"title,omitempty"`
	Chunks   []string `json:"chunks,omitempty"`
	Selected bool     `json:"selected,omitempty"`
	// Passages are what was found of the document. Only the first documents have
	// them: enough to judge a run and to tell what it found without its corpus.
	Passages []Passage `json:"passages,omitempty"`
}

// Passage is the text of a chunk, or its beginning.
type Passage struct {
	Chunk   string `json:"chunk"`
	Ordinal int    `json:"ordinal"`
	Text    string `json:"text"`
}

// The passages that are kept: those of the documents that a pool takes, and of
// each as much as a person reads.
const (
	PoolDepth       = 10
	passagesKept    = 3
	bytesPerPassage = 2000
)

// Ref names a chunk and its document.
type Ref struct {
	Document string `json:"document"`
	Chunk    string `json:"chunk,omitempty"`
}

// RankHits turns the hits of a search into a ranking. To rank k documents a
// search must return more than k chunks: several may be of one document. Several
// says that they are of more than one collection: ids are then qualified ones, as
// those of a trajectory are.
func RankHits(hits []winnow.Hit, several bool) []Ranked {
	ranking := make([]Ranked, len(hits))
	of := make(map[string]*winnow.Hit, len(hits))
	for i := range hits {
		h := &hits[i]
		r := Ranked{Document: h.Document, Title: h.Title, Chunks: []string{h.ID}}
		if several {
			r.Document, r.Chunks[0] = winnow.QualifiedID(h.Collection, h.Document), winnow.QualifiedID(h.Collection, h.ID)
		}
		ranking[i], of[r.Chunks[0]] = r, h
	}
	ranking = byDocument(ranking)
	keepPassages(ranking, func(chunk string) *winnow.Hit { return of[chunk] })
	return ranking
}

// keepPassages fills in what was found of the first documents; find returns a
// chunk, or nil.
func keepPassages(ranking []Ranked, find func(chunk string) *winnow.Hit) {
	for i := range ranking[:min(PoolDepth, len(ranking))] {
		r := &ranking[i]
		for _, id := range r.Chunks[:min(passagesKept, len(r.Chunks))] {
			if h := find(id); h != nil {
				r.Passages = append(r.Passages, Passage{Chunk: id, Ordinal: h.Ordinal, Text: beginning(h.Text, bytesPerPassage)})
			}
		}
	}
}

// beginning is at most so many bytes of a text, and whole characters.
func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
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
