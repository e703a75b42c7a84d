package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/winnow-search/winnow"
)

// narrator tells a run in lines, as it happens or from its record.
type narrator struct {
	w    io.Writer
	term terminal
	// Of the run of each rollout: its start, and the action that is not answered
	// yet.
	starts  map[int]*winnow.Start
	actions map[int]*winnow.Action
}

func (n *narrator) tell(e *winnow.Event) {
	if n.starts == nil {
		n.starts, n.actions = map[int]*winnow.Start{}, map[int]*winnow.Action{}
	}
	switch {
	case e.Start != nil:
		n.starts[e.Rollout] = e.Start
	case e.Action != nil:
		n.actions[e.Rollout] = e.Action
	case e.Prune != nil:
		n.line(e, "pruned %s, %s tokens free", plural(len(e.Prune.Chunks), "passage"), count(e.Prune.Freed))
	case e.Restore != nil:
		n.line(e, "restored %s", plural(len(e.Restore.Chunks), "passage"))
	case e.Elide != nil:
		n.line(e, "left the reasoning of turn %d out, %s tokens free", e.Elide.Of, count(e.Elide.Freed))
	case e.Observation != nil:
		n.observation(e)
	case e.End != nil:
		n.line(e, "%s, %s", strings.ReplaceAll(string(e.End.Ended), "_", " "), plural(len(e.End.Ranking.Selected()), "document"))
	}
}

func (n *narrator) observation(e *winnow.Event) {
	o, action := e.Observation, n.actions[e.Rollout]
	for i := range o.Results {
		r := &o.Results[i]
		what := r.Query
		if what == "" && action != nil && r.Call < len(action.Calls) {
			what = action.Calls[r.Call].Arguments
		}
		n.line(e, "%s %s: %s", r.Tool, cut(what, 60), found(r))
	}
	if start := n.starts[e.Rollout]; start != nil {
		n.line(e, "%s of %s tokens used", count(o.Used), count(start.Budget.Tokens))
	}
}

// found says what a call brought.
func found(r *winnow.Result) string {
	documents, chunks, text := map[string]bool{}, 0, ""
	for _, p := range r.Parts {
		if p.Chunk == nil {
			text += p.Text + " "
			continue
		}
		documents[p.Chunk.Document] = true
		chunks++
	}
	if chunks == 0 {
		return text
	}
	return plural(chunks, "passage") + " of " + plural(len(documents), "document")
}

// line prints one line that fits the terminal.
func (n *narrator) line(e *winnow.Event, format string, args ...any) {
	at := fmt.Sprintf("turn %d", e.Turn)
	switch {
	case e.Rollout > 0:
		at = fmt.Sprintf("rollout %d, %s", e.Rollout, at)
	case n.starts[0] == nil:
		at = "all rollouts"
	}
	text := cut(fmt.Sprintf(format, args...), n.term.width()-len(at)-2)
	fmt.Fprintln(n.w, n.term.paint(dim, at)+"  "+n.term.safe(text))
}

// cut makes one line of a text, no wider than width.
func cut(text string, width int) string {
	text = strings.Join(strings.Fields(text), " ")
	if lines := wrap(text, max(width-1, 1)); len(lines) > 1 {
		return lines[0] + "…"
	}
	return text
}
