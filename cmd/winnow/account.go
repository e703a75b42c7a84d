package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/wire"
)

// account is a run with what it takes to print it, live or from its record.
type account struct {
	run        string // its id, "" if it is not kept
	trajectory *winnow.Trajectory
	file       func(*winnow.Chunk) string
	language   func(collection string) string
	warnings   []string // from before the run
	explain    bool     // say why, too
}

// printAccount prints the ranking of a run. People get the selected documents,
// programs all that are ranked.
func (c *cli) printAccount(a *account, p *passages) error {
	end := a.trajectory.End()
	ranking := wire.Places(a.trajectory)
	selected := slices.DeleteFunc(slices.Clone(ranking), func(r wire.Place) bool { return !r.Selected })
	warnings := a.allWarnings(len(selected) == 0)
	var chunks []*winnow.Chunk
	for _, r := range selected {
		for _, h := range r.Hits {
			chunks = append(chunks, &h.Chunk)
		}
	}
	var err error
	switch p.format {
	case formatJSON:
		merged := make([]*winnow.Chunk, len(ranking))
		for i := range ranking {
			merged[i] = &ranking[i].Merged
		}
		fit := p.fitting(merged)
		err = c.print(wire.AskOf(a.run, a.trajectory, ranking[:fit], p.leftOut(warnings, len(ranking)-fit)))
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
	if u := end.Usage; u.Prompt > 0 {
		s += fmt.Sprintf("\n%s tokens read and %s written", count(u.Prompt), count(u.Completion))
		if u.CostUSD != nil {
			s += fmt.Sprintf(", %.4f USD", *u.CostUSD)
		}
	}
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

// printRanking prints each document with the passage that was named first, where
// its others stand, and why it was chosen.
func (c *cli) printRanking(a *account, ranking []wire.Place) error {
	start := a.trajectory.Start()
	if a.explain {
		c.printReasons(a.trajectory)
	}
	t := c.outTerminal
	printer := hitPrinter{cli: c, query: start.Question, collections: len(start.Collections) > 1, file: a.file, language: a.language}
	for _, r := range ranking {
		printer.explain = len(r.First.Legs) > 0
		if err := printer.print(r.Rank, r.First); err != nil {
			return err
		}
		var also []string
		for _, h := range r.Hits {
			if h != r.First {
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

// printReasons prints what the policies thought when they concluded: of the
// built-in policy, its chains.
func (c *cli) printReasons(run *winnow.Trajectory) {
	t := c.outTerminal
	for i := range run.Events {
		action := run.Events[i].Action
		if action == nil || action.Answer == nil || len(action.Calls) > 0 || action.Reasoning == "" {
			continue
		}
		for line := range strings.Lines(action.Reasoning) {
			fmt.Fprintln(c.stdout, t.paint(cyan, t.safe(strings.TrimRight(line, "\n"))))
		}
		fmt.Fprintln(c.stdout)
	}
}
