package agent

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
)

// shownPerGrep is how many chunks a grep shows, at most.
const shownPerGrep = 5

// grep is a call of grep_corpus.
type grep struct {
	pattern string
	where   json.RawMessage
	matches *winnow.Matches
}

func prepareGrep(_ *ledger, a arguments) (job, error) {
	if _, err := filter.CompilePattern(a.string("pattern")); err != nil {
		return nil, err
	}
	if _, err := filter.Parse(a["where"]); err != nil {
		return nil, err
	}
	return &grep{pattern: a.string("pattern"), where: a["where"]}, nil
}

// fetch does not exclude what was shown, because a hit on it is told; it asks for
// so many chunks more.
func (g *grep) fetch(ctx context.Context, t *act) (err error) {
	g.matches, err = t.run.options.Corpus.Grep(ctx, winnow.GrepQuery{Pattern: g.pattern, Scope: t.run.scope.with(g.where, nil),
		Chunks: shownPerGrep*(1+t.earlier(g)) + len(t.ledger.order)})
	return err
}

func (g *grep) place(_ context.Context, c *commit) {
	c.results[c.at].Query = g.pattern
	c.warn(g.matches.Warnings)
	var here []string
	seen := map[string]bool{}
	n := 0
	for i := range g.matches.Matches {
		h := c.hit(g.matches.Matches[i].Chunk)
		id := c.ledger.id(h)
		if seen[id] {
			continue
		}
		seen[id] = true
		if c.has(id) {
			here = append(here, c.refer(id))
			continue
		}
		if n == shownPerGrep || !c.chunk(h) {
			break
		}
		n++
	}
	if len(seen) == 0 {
		c.text("Nothing matches.")
	}
	c.already(here)
}

// refer is the name of a chunk that is in the next view.
func (c *commit) refer(id string) string {
	if s := c.ledger.chunks[id]; s != nil {
		return c.ledger.refer(s)
	}
	for _, r := range c.results {
		for _, p := range r.Parts {
			if p.Chunk != nil && c.ledger.id(p.Chunk) == id {
				return label(p.Name(), maxName)
			}
		}
	}
	return label(id, maxName)
}

// already names chunks that are not shown because they are in view.
func (c *commit) already(names []string) {
	if len(names) > 0 {
		c.text("In view already: " + strings.Join(names, ", "))
	}
}
