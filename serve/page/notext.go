package page

import (
	"slices"

	"github.com/winnow-search/winnow"
)

// withoutText are events that hold no text of documents: of a chunk there stay
// its name, its place and its size. What a policy wrote may quote, and so it goes
// too, but for what it asked the tools, without which there is nothing to watch.
func withoutText(events []winnow.Event) []winnow.Event {
	out := slices.Clone(events)
	for i := range out {
		e := &out[i]
		if e.Action != nil {
			a := *e.Action
			a.Reasoning, a.Signature, a.Text = "", "", ""
			if a.Answer != nil {
				answer := *a.Answer
				answer.Selected = slices.Clone(answer.Selected)
				for j := range answer.Selected {
					c := &answer.Selected[j]
					c.Justification, c.Lead = "", nameless(c.Lead)
				}
				a.Answer = &answer
			}
			e.Action = &a
		}
		if e.Observation != nil {
			o := *e.Observation
			o.Results = slices.Clone(o.Results)
			for j := range o.Results {
				if o.Results[j].Code == "" { // a failure is about the call
					o.Results[j].Parts = partsWithoutText(o.Results[j].Parts)
				}
			}
			e.Observation = &o
		}
		if e.End != nil {
			end := *e.End
			end.Ranking = slices.Clone(end.Ranking)
			for j := range end.Ranking {
				end.Ranking[j].Justification = ""
			}
			e.End = &end
		}
	}
	return out
}

func partsWithoutText(parts []winnow.Part) []winnow.Part {
	var out []winnow.Part
	for _, p := range parts {
		if p.Chunk == nil {
			continue // lists of headings, links and history quote
		}
		c := p.Chunk
		bare := winnow.Hit{Chunk: winnow.Chunk{
			ID: c.ID, Collection: c.Collection, Document: c.Document, Ordinal: c.Ordinal, Title: c.Title, Path: c.Path,
			Lines: c.Lines, Page: c.Page, Tokens: c.Tokens, Start: c.Start,
		}, Score: c.Score, Lead: nameless(c.Lead)}
		out = append(out, winnow.Part{Chunk: &bare, Handle: p.Handle, Bytes: p.Bytes})
	}
	return out
}

// nameless is a link without the name it goes by, which stands in a document.
func nameless(l *winnow.Lead) *winnow.Lead {
	if l == nil {
		return nil
	}
	return &winnow.Lead{From: l.From, Kind: l.Kind, Back: l.Back}
}
