package agent

import (
	"context"
	"fmt"
	"strings"
)

// prune is a call of prune_chunks. Its effect comes before all else in a turn;
// see run.prune.
type prune struct {
	chunks  []*shown // in view, to be taken out
	gone    []string // known, and out of view already
	unknown []string
	news    int // of chunks, what no earlier call of the turn took out
	freed   int // by all prunes of the turn
}

func preparePrune(l *ledger, a arguments) (job, error) {
	p := &prune{}
	seen := map[string]bool{}
	for _, id := range a.strings("chunk_ids") {
		chunks := l.lookup(id)
		if len(chunks) == 0 {
			p.unknown = append(p.unknown, label(id, 64))
			continue
		}
		for _, s := range chunks {
			switch {
			case seen[s.id]:
			case s.pruned:
				p.gone = append(p.gone, l.refer(s))
			default:
				p.chunks = append(p.chunks, s)
			}
			seen[s.id] = true
		}
	}
	return p, nil
}

func (p *prune) fetch(context.Context, *act) error { return nil }

func (p *prune) place(_ context.Context, c *commit) {
	var say []string
	if p.news > 0 {
		names := make([]string, len(p.chunks))
		for i, s := range p.chunks {
			names[i] = c.ledger.refer(s)
		}
		say = append(say, fmt.Sprintf("Pruned %s; %s tokens came free.", plural(p.news, "chunk"), grouped(p.freed)))
		if len(names) <= 8 {
			say = append(say, "Pruned: "+strings.Join(names, ", ")+".")
		}
	} else {
		say = append(say, "Nothing was pruned.")
	}
	if len(p.gone) > 0 {
		say = append(say, "Out of view already: "+strings.Join(p.gone, ", ")+".")
	}
	if len(p.unknown) > 0 {
		say = append(say, "Unknown: "+strings.Join(p.unknown, ", ")+". Valid are the ids above chunks.")
	}
	c.text(strings.Join(say, " "))
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return grouped(n) + " " + what
}
