package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// history is a call of search_history.
type history struct{ query string }

func prepareHistory(_ *ledger, a arguments) (job, error) {
	return &history{query: a.string("query")}, nil
}

func (h *history) fetch(context.Context, *act) error { return nil }

// place lists what was shown before this turn, best first: by how many of the
// words a chunk holds, then by how lately it was shown.
func (h *history) place(_ context.Context, c *commit) {
	c.results[c.at].Query = h.query
	words := strings.Fields(strings.ToLower(h.query))
	type line struct {
		shown *shown
		words int
	}
	var lines []line
	for _, s := range c.ledger.order {
		text := strings.ToLower(s.hit.Document + "\n" + s.hit.Title + "\n" + s.hit.Text)
		n := 0
		for _, w := range words {
			if strings.Contains(text, w) {
				n++
			}
		}
		if n > 0 || len(words) == 0 {
			lines = append(lines, line{s, n})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.shown.number, a.shown.number))
	})
	if len(lines) == 0 {
		c.text("Nothing of that was shown.")
		return
	}
	var b strings.Builder
	for i, l := range lines {
		state := ""
		if l.shown.pruned && !c.taken[l.shown.id] {
			state = ", pruned"
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s (%s%s): %s", c.ledger.refer(l.shown), label(c.ledger.document(l.shown.hit), 96), state, label(snippet(l.shown.hit.Text, words), 120))
	}
	c.text(b.String())
}

// snippet is the text from the first of the words on.
func snippet(text string, words []string) string {
	lower := strings.ToLower(text)
	for _, w := range words {
		if i := strings.Index(lower, w); i > 0 && i < len(text) {
			start := strings.LastIndexByte(text[:i], '\n') + 1
			return valid(text[max(start, i-40):])
		}
	}
	return text
}
