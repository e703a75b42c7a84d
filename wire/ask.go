package wire

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
)

// Ask is the answer to a question: how a run ended.
type Ask struct {
	Question    string       `json:"question"`
	Policy      string       `json:"policy"`
	Model       string       `json:"model"`
	Collections []string     `json:"collections"`
	Ranking     []Ranked     `json:"ranking"`
	Confidence  *float64     `json:"confidence"`
	Turns       int          `json:"turns"`
	ToolCalls   int          `json:"tool_calls"`
	Tokens      Tokens       `json:"tokens"`
	Pruned      int          `json:"pruned"`
	Ended       winnow.Ended `json:"ended"`
	Warnings    []string     `json:"warnings"`
	CostUSD     *float64     `json:"cost_usd"`
	Run         string       `json:"run"`
}

// Tokens are those of a run.
type Tokens struct {
	PeakView   int `json:"peak_view"`
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
}

// Ranked is a document of a ranking. Text and lines are those of all its chunks;
// the place within the document is that of the first named.
type Ranked struct {
	Rank          int               `json:"rank"`
	Selected      bool              `json:"selected"`
	Collection    string            `json:"collection"`
	Document      string            `json:"document"`
	Chunks        []string          `json:"chunks"`
	Path          string            `json:"path"`
	Lines         [2]int            `json:"lines"`
	Page          *int              `json:"page"`
	Heading       string            `json:"heading"`
	Title         string            `json:"title"`
	Text          string            `json:"text"`
	Score         float64           `json:"score"`
	Metadata      winnow.Metadata   `json:"metadata"`
	Justification string            `json:"justification"`
	Legs          []winnow.LegScore `json:"legs,omitempty"`
	Matched       []string          `json:"matched,omitempty"`
}

// Place is a document of a ranking with its chunks as they were shown.
type Place struct {
	*winnow.Ranked
	IDs    []string
	First  *winnow.Hit   // that the policy named first
	Hits   []*winnow.Hit // in the order of the document
	Score  float64       // of the best
	Merged winnow.Chunk  // all of them as one
}

// Places are the documents of a run's ranking with what was shown of each.
func Places(t *winnow.Trajectory) []Place {
	type key struct{ collection, chunk string } // ids are unique in a collection only
	shown := map[key]*winnow.Hit{}
	for _, h := range t.Shown() {
		shown[key{h.Collection, h.ID}] = h
	}
	ranking := t.End().Ranking
	var out []Place
	for i := range ranking {
		p := Place{Ranked: &ranking[i]}
		for _, id := range p.Chunks {
			if h := shown[key{p.Collection, id}]; h != nil {
				p.IDs = append(p.IDs, id)
				p.Hits = append(p.Hits, h)
			}
		}
		if len(p.Hits) == 0 {
			continue // there is nothing to show of it
		}
		p.First, p.Score = p.Hits[0], p.Hits[0].Score
		for _, h := range p.Hits {
			p.Score = max(p.Score, h.Score)
		}
		slices.SortStableFunc(p.Hits, func(x, y *winnow.Hit) int { return cmp.Compare(x.Ordinal, y.Ordinal) })
		p.Merged = merge(p.First, p.Hits)
		out = append(out, p)
	}
	return out
}

// merge makes one chunk of several of a document. Where text between them was
// not shown, a line says so.
func merge(first *winnow.Hit, hits []*winnow.Hit) winnow.Chunk {
	c := first.Chunk
	c.Lines = [2]int{hits[0].Lines[0], hits[0].Lines[1]}
	var b strings.Builder
	for i, h := range hits {
		if i > 0 && hits[i-1].Ordinal+1 != h.Ordinal {
			b.WriteString("\n…\n")
		}
		b.WriteString(h.Text)
		c.Lines[1] = max(c.Lines[1], h.Lines[1])
	}
	c.Text = b.String()
	return c
}

// AskOf is the answer of a run that has ended, with these of its documents. A
// failure of the policy is among the warnings.
func AskOf(run string, t *winnow.Trajectory, places []Place, warnings []string) Ask {
	start, end := t.Start(), t.End()
	warnings = append([]string{}, warnings...)
	if end.Failure != nil {
		warnings = append(warnings, "the policy failed: "+end.Failure.Message)
	}
	out := Ask{
		Question: start.Question, Policy: start.Policy, Model: start.Model, Collections: append([]string{}, start.Collections...),
		Ranking: make([]Ranked, len(places)), Confidence: end.Confidence, Turns: end.Turns, ToolCalls: end.Calls,
		Tokens: Tokens{end.PeakView, end.Usage.Prompt, end.Usage.Completion}, Pruned: end.Pruned, Ended: end.Ended,
		Warnings: warnings, CostUSD: end.Usage.CostUSD, Run: run,
	}
	for i, p := range places {
		e := EntryOf(&p.Merged)
		out.Ranking[i] = Ranked{
			Rank: p.Rank, Selected: p.Selected, Collection: e.Collection, Document: e.Document, Chunks: p.IDs, Path: e.Path,
			Lines: e.Lines, Page: e.Page, Heading: e.Heading, Title: e.Title, Text: e.Text, Score: p.Score, Metadata: e.Metadata,
			Justification: p.Justification, Legs: p.First.Legs, Matched: p.First.Matched,
		}
	}
	return out
}
