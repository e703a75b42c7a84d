package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
)

// account is a run with what it takes to print it, live or from its record.
type account struct {
	run        string // its id, "" if it is not kept
	trajectory *winnow.Trajectory
	file       func(*winnow.Chunk) string
	language   func(collection string) string
	warnings   []string // from before the run
}

// rankedEntry is a document of a ranking in JSON. Text and lines are those of
// all its chunks; the place within the document is that of the first named.
type rankedEntry struct {
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

type askTokens struct {
	PeakView   int `json:"peak_view"`
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
}

type askAnswer struct {
	Question    string        `json:"question"`
	Policy      string        `json:"policy"`
	Model       string        `json:"model"`
	Collections []string      `json:"collections"`
	Ranking     []rankedEntry `json:"ranking"`
	Confidence  *float64      `json:"confidence"`
	Turns       int           `json:"turns"`
	ToolCalls   int           `json:"tool_calls"`
	Tokens      askTokens     `json:"tokens"`
	Pruned      int           `json:"pruned"`
	Ended       winnow.Ended  `json:"ended"`
	Warnings    []string      `json:"warnings"`
	CostUSD     *float64      `json:"cost_usd"`
	Run         string        `json:"run"`
}

// ranked is a document of the ranking with its chunks as they were shown.
type ranked struct {
	*winnow.Ranked
	chunks []string
	first  *winnow.Hit   // that the policy named first
	hits   []*winnow.Hit // in the order of the document
	score  float64       // of the best
	merged winnow.Chunk  // all of them as one
}

func (a *account) ranking() []ranked {
	type key struct{ collection, chunk string } // ids are unique in a collection only
	shown := map[key]*winnow.Hit{}
	for _, h := range a.trajectory.Shown() {
		shown[key{h.Collection, h.ID}] = h
	}
	ranking := a.trajectory.End().Ranking
	var out []ranked
	for i := range ranking {
		r := ranked{Ranked: &ranking[i]}
		for _, id := range r.Chunks {
			if h := shown[key{r.Collection, id}]; h != nil {
				r.chunks = append(r.chunks, id)
				r.hits = append(r.hits, h)
			}
		}
		if len(r.hits) == 0 {
			continue // there is nothing to show of it
		}
		r.first, r.score = r.hits[0], r.hits[0].Score
		for _, h := range r.hits {
			r.score = max(r.score, h.Score)
		}
		slices.SortStableFunc(r.hits, func(x, y *winnow.Hit) int { return cmp.Compare(x.Ordinal, y.Ordinal) })
		r.merged = merge(r.first, r.hits)
		out = append(out, r)
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

// printAccount prints the ranking of a run. People get the selected documents,
// programs all that are ranked.
func (c *cli) printAccount(a *account, p *passages) error {
	end := a.trajectory.End()
	ranking := a.ranking()
	selected := slices.DeleteFunc(slices.Clone(ranking), func(r ranked) bool { return !r.Selected })
	warnings := a.allWarnings(len(selected) == 0)
	var chunks []*winnow.Chunk
	for _, r := range selected {
		for _, h := range r.hits {
			chunks = append(chunks, &h.Chunk)
		}
	}
	var err error
	switch p.format {
	case formatJSON:
		err = c.print(a.json(p, ranking, warnings))
	case formatPaths:
		p.paths(c.stdout, a.file, chunks)
	case formatContext:
		shown := p.context(c.stdout, a.file, chunks)
		warnings = p.leftOut(warnings, len(chunks)-shown)
	default:
		err = c.printRanking(a, selected)
	}
	if err != nil {
		return err
	}
	c.warn(warnings)
	switch {
	case end.Ended == winnow.WasCancelled:
		c.complain(&winnow.Error{Message: "interrupted; this is what was found so far"})
		return errCutShort
	case end.Failure != nil:
		c.complain(end.Failure)
		return errCutShort
	case len(selected) == 0:
		c.note("Nothing was found in %s.", strings.Join(a.trajectory.Start().Collections, ", "))
		return errNoMatch
	}
	if p.format == formatText && c.outTerminal.is() {
		c.note("\n%s", a.summary(len(selected), len(ranking)))
	}
	return nil
}

func (a *account) summary(selected, ranked int) string {
	end := a.trajectory.End()
	s := fmt.Sprintf("%s of %s seen, in %s with %s; the largest view had %s tokens", plural(selected, "document"), count(ranked),
		plural(end.Turns, "turn"), plural(end.Calls, "call"), count(end.PeakView))
	if a.run != "" {
		s += "\nwinnow replay " + a.run
	}
	return s
}

// allWarnings are those of opening and of the run, with why it did not conclude.
// Calls that failed are the policy's own business, unless nothing came of it.
func (a *account) allWarnings(nothing bool) []string {
	end := a.trajectory.End()
	out := slices.Concat([]string{}, a.warnings, end.Warnings)
	if end.Ended != winnow.Concluded && end.Ended != winnow.WasCancelled && end.Failure == nil {
		out = append(out, fmt.Sprintf("the policy did not conclude (%s); the order is that of its searches", end.Ended))
	}
	if !nothing {
		return out
	}
	for _, e := range a.trajectory.Events {
		if e.Observation == nil {
			continue
		}
		for i := range e.Observation.Results {
			if r := &e.Observation.Results[i]; r.Code != "" {
				out = append(out, r.Tool+": "+found(r))
			}
		}
	}
	return out
}

func (a *account) json(p *passages, ranking []ranked, warnings []string) askAnswer {
	start, end := a.trajectory.Start(), a.trajectory.End()
	chunks := make([]*winnow.Chunk, len(ranking))
	for i := range ranking {
		chunks[i] = &ranking[i].merged
	}
	fit := p.fitting(chunks)
	if end.Failure != nil {
		warnings = append(warnings, "the policy failed: "+end.Failure.Message)
	}
	out := askAnswer{
		Question: start.Question, Policy: start.Policy, Model: start.Model, Collections: append([]string{}, start.Collections...),
		Ranking: make([]rankedEntry, fit), Confidence: end.Confidence, Turns: end.Turns, ToolCalls: end.Calls,
		Tokens: askTokens{end.PeakView, end.Usage.Prompt, end.Usage.Completion}, Pruned: end.Pruned, Ended: end.Ended,
		Warnings: p.leftOut(warnings, len(ranking)-fit), CostUSD: end.Usage.CostUSD, Run: a.run,
	}
	for i, r := range ranking[:fit] {
		e := entryOf(&r.merged)
		out.Ranking[i] = rankedEntry{
			Rank: r.Rank, Selected: r.Selected, Collection: e.Collection, Document: e.Document, Chunks: r.chunks, Path: e.Path,
			Lines: e.Lines, Page: e.Page, Heading: e.Heading, Title: e.Title, Text: e.Text, Score: r.score, Metadata: e.Metadata,
			Justification: r.Justification, Legs: r.first.Legs, Matched: r.first.Matched,
		}
	}
	return out
}

// printRanking prints each document with the passage that was named first, where
// its others stand, and why it was chosen.
func (c *cli) printRanking(a *account, ranking []ranked) error {
	start := a.trajectory.Start()
	t := c.outTerminal
	printer := hitPrinter{cli: c, query: start.Question, collections: len(start.Collections) > 1, file: a.file, language: a.language}
	for _, r := range ranking {
		printer.explain = len(r.first.Legs) > 0
		if err := printer.print(r.Rank, r.first); err != nil {
			return err
		}
		var also []string
		for _, h := range r.hits {
			if h != r.first {
				also = append(also, within(&h.Chunk))
			}
		}
		if len(also) > 0 {
			fmt.Fprintln(c.stdout, "    "+t.paint(dim, "also "+strings.Join(also, ", ")))
		}
		if r.Justification != "" {
			for _, line := range wrap(strings.Join(strings.Fields(r.Justification), " "), t.width()-4) {
				fmt.Fprintln(c.stdout, "    "+t.paint(green, t.safe(line)))
			}
		}
	}
	return nil
}
