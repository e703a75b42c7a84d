package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnow-search/winnow"
)

// links is a call of follow_links.
type links struct {
	from       []string
	question   string
	neighbours []winnow.Neighbour
}

func prepareLinks(l *ledger, a arguments) (job, error) {
	s := &links{question: a.string("question")}
	if s.question == "" {
		s.question = l.start.Question
	}
	var unknown []string
	for _, id := range a.strings("chunk_ids") {
		found := l.lookup(id)
		if len(found) == 0 {
			unknown = append(unknown, label(id, 64))
		}
		for _, f := range found {
			s.from = append(s.from, f.hit.ID)
		}
	}
	if len(s.from) == 0 {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: "none of these was shown: " + strings.Join(unknown, ", "), Hint: "the handles above chunks"}
	}
	return s, nil
}

func (s *links) fetch(ctx context.Context, t *act) (err error) {
	s.neighbours, err = t.run.options.Corpus.Neighbours(ctx, winnow.LinkQuery{From: s.from, Question: s.question,
		K: shownPerSearch * (1 + t.earlier(s)), Scope: t.run.scope.with(nil, t.exclude)})
	return err
}

func (s *links) place(ctx context.Context, c *commit) {
	c.results[c.at].Query = s.question
	asked := shownPerSearch * (1 + c.act.earlier(s))
	hits := func() []winnow.Hit {
		out := make([]winnow.Hit, len(s.neighbours))
		for i := range s.neighbours {
			out[i] = s.neighbours[i].Hit
		}
		return out
	}
	why := s.neighbours
	again := func(exclude []string) ([]winnow.Hit, bool) {
		if len(s.neighbours) < asked {
			return nil, false
		}
		more, err := c.act.run.options.Corpus.Neighbours(ctx, winnow.LinkQuery{From: s.from, Question: s.question,
			K: shownPerSearch, Scope: c.act.run.scope.with(nil, exclude)})
		s.neighbours, asked = more, shownPerSearch
		why = append(why, more...)
		return hits(), err == nil
	}
	if !c.showNew(hits(), shownPerSearch, again) && !c.full {
		c.text("No links lead to anything new.")
	}
	var lines []string
	for _, p := range c.results[c.at].Parts {
		for _, n := range why {
			if p.Chunk != nil && n.ID == p.Chunk.ID {
				verb := "from"
				if n.Back {
					verb = "refers to"
				}
				lines = append(lines, fmt.Sprintf("%s: %s %s, %s %q", c.refer(n.ID), verb, c.refer(n.From), n.Kind, label(n.Via, 48)))
				break
			}
		}
	}
	c.text(strings.Join(lines, "\n"))
}
