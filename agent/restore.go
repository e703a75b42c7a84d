package agent

import (
	"context"
	"strings"
)

// restore is a call of restore_chunks.
type restore struct {
	chunks  []*shown
	unknown []string
}

func prepareRestore(l *ledger, a arguments) (job, error) {
	r := &restore{}
	seen := map[string]bool{}
	for _, id := range a.strings("chunk_ids") {
		chunks := l.lookup(id)
		if len(chunks) == 0 {
			r.unknown = append(r.unknown, label(id, 64))
		}
		for _, s := range chunks {
			if !seen[s.id] {
				seen[s.id] = true
				r.chunks = append(r.chunks, s)
			}
		}
	}
	return r, nil
}

func (r *restore) fetch(context.Context, *act) error { return nil }

func (r *restore) place(_ context.Context, c *commit) {
	var here, left []string
	for _, s := range r.chunks {
		switch {
		case c.has(s.id):
			here = append(here, c.ledger.refer(s))
		case !c.chunk(s.hit):
			left = append(left, c.ledger.refer(s))
		}
	}
	if len(left) > 0 {
		c.text("No room for: " + strings.Join(left, ", "))
	}
	c.already(here)
	if len(r.unknown) > 0 {
		c.text("Unknown: " + strings.Join(r.unknown, ", ") + ". search_history lists what was shown.")
	}
}
