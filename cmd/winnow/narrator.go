package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
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
		if thought := e.Action.Reasoning; thought != "" {
			n.line(e, "", "thought: %s", thought)
		}
	case e.Prune != nil:
		n.line(e, yellow, "pruned %s, %s tokens free", plural(len(e.Prune.Chunks), "passage"), count(e.Prune.Freed))
	case e.Restore != nil:
		n.line(e, yellow, "restored %s", plural(len(e.Restore.Chunks), "passage"))
	case e.Elide != nil:
		n.line(e, yellow, "left the reasoning of turn %d out, %s tokens free", e.Elide.Of, count(e.Elide.Freed))
	case e.Observation != nil:
		n.observation(e)
	case e.End != nil:
		n.line(e, bold, "%s, %s", strings.ReplaceAll(string(e.End.Ended), "_", " "), plural(len(e.End.Ranking.Selected()), "document"))
	}
}

func (n *narrator) observation(e *winnow.Event) {
	o, action := e.Observation, n.actions[e.Rollout]
	within := 0 // the call, which may be a batch
	for i := range o.Results {
		r := &o.Results[i]
		if within++; i == 0 || o.Results[i-1].Call != r.Call {
			within = 0
		}
		if r.Tool == "prune_chunks" && r.Code == "" {
			continue // which the prune itself has told
		}
		what := r.Query
		if what == "" && action != nil && r.Call < len(action.Calls) {
			what = values(action.Calls[r.Call].Arguments, within)
		}
		colour := cyan
		if r.Code != "" {
			colour = red
		}
		n.line(e, colour, "%s %s: %s", r.Tool, cut(what, 48), found(r))
	}
	if start := n.starts[e.Rollout]; start != nil {
		n.print(e, n.fullness(o.Used, &start.Budget))
	}
}

// values are the arguments of a call without their names, of call i if it is a
// batch, or what the policy wrote in their place.
func values(arguments string, i int) string {
	var batch []struct {
		Parameters map[string]any `json:"parameters"`
	}
	var named map[string]any
	switch {
	case json.Unmarshal([]byte(arguments), &named) == nil:
	case json.Unmarshal([]byte(arguments), &batch) == nil && i < len(batch):
		named = batch[i].Parameters
	default:
		return arguments
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if list, ok := named[name].([]any); ok {
			for _, one := range list {
				out = append(out, fmt.Sprint(one))
			}
			continue
		}
		out = append(out, fmt.Sprint(named[name]))
	}
	return strings.Join(out, ", ")
}

// found says what a call brought.
func found(r *winnow.Result) string {
	var names []string
	documents, chunks, text := map[string]bool{}, 0, ""
	for _, p := range r.Parts {
		if p.Chunk == nil {
			text += p.Text + " "
			continue
		}
		if !documents[p.Chunk.Document] {
			names = append(names, cmp.Or(p.Chunk.Title, p.Chunk.Document))
		}
		documents[p.Chunk.Document] = true
		chunks++
	}
	if chunks == 0 {
		return text
	}
	return plural(chunks, "passage") + " of " + plural(len(documents), "document") + ": " + strings.Join(names, ", ")
}

// meterWidth is that of the budget's bar.
const meterWidth = 32

// fullness says how much of the budget a view takes. On a terminal it is a bar
// with marks where the policy is asked to prune and where it has to.
func (n *narrator) fullness(used int, b *winnow.Budget) string {
	text := fmt.Sprintf("%s of %s tokens used", count(used), count(b.Tokens))
	if !n.term.is() || b.Tokens <= 0 {
		return n.term.paint(dim, text)
	}
	at := func(tokens int) int { return min(tokens*meterWidth/b.Tokens, meterWidth-1) }
	colour := green
	switch {
	case used > b.Hard:
		colour = red
	case used > b.Soft:
		colour = yellow
	}
	cells := make([]string, meterWidth)
	for i := range cells {
		cells[i] = "─"
		if i < max(1, at(used)) {
			cells[i] = "━"
		}
	}
	cells[at(b.Soft)], cells[at(b.Hard)] = "│", "┃"
	full := max(1, at(used))
	return n.term.paint(colour, strings.Join(cells[:full], "")) + n.term.paint(dim, strings.Join(cells[full:], "")+" "+text)
}

// line prints one line that fits the terminal, its first word in colour.
func (n *narrator) line(e *winnow.Event, s style, format string, args ...any) {
	text := n.term.safe(cut(fmt.Sprintf(format, args...), n.term.width()-len(n.at(e))-2))
	word, rest, _ := strings.Cut(text, " ")
	switch {
	case s == "":
		n.print(e, n.term.paint(dim, text))
	case rest == "":
		n.print(e, n.term.paint(s, word))
	default:
		n.print(e, n.term.paint(s, word)+" "+rest)
	}
}

func (n *narrator) print(e *winnow.Event, text string) {
	fmt.Fprintln(n.w, n.term.paint(dim, n.at(e))+"  "+text)
}

// at is the place in the run.
func (n *narrator) at(e *winnow.Event) string {
	at := fmt.Sprintf("turn %d", e.Turn)
	switch {
	case e.Rollout > 0:
		return fmt.Sprintf("rollout %d, %s", e.Rollout, at)
	case n.starts[0] == nil:
		return "all rollouts"
	}
	return at
}

// cut makes one line of a text, no wider than width.
func cut(text string, width int) string {
	text = strings.Join(strings.Fields(text), " ")
	if lines := wrap(text, max(width-1, 1)); len(lines) > 1 {
		return lines[0] + "…"
	}
	return text
}
