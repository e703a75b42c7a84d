package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnow-search/winnow"
)

// links is a call of follow_links.
type links struct {
	from     []string
	question string
	unknown  []string
	hits     []winnow.Hit
	warnings []string
	asked    int
}

func prepareLinks(l *ledger, a arguments) (job, error) {
	s := &links{question: a.string("question")}
	if s.question == "" {
		s.question = l.start.Question
	}
	for _, id := range a.strings("chunk_ids") {
		found := l.lookup(id)
		if len(found) == 0 {
			s.unknown = append(s.unknown, label(id, 64))
		}
		for _, f := range found {
			s.from = append(s.from, f.id)
		}
	}
	if len(s.from) == 0 {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: "none of these was shown: " + strings.Join(s.unknown, ", "), Hint: "the handles above chunks"}
	}
	return s, nil
}

func (s *links) fetch(ctx context.Context, t *act) error {
	return s.ask(ctx, t, shownPerSearch*(1+t.earlier(s)), t.exclude)
}

// ask makes the link that led to a neighbour one of the hit's reasons: it stays
// with the chunk wherever it is shown.
func (s *links) ask(ctx context.Context, t *act, k int, exclude []string) error {
	found, err := t.run.options.Corpus.Neighbours(ctx, winnow.LinkQuery{From: s.from, Question: s.question, K: k, Scope: t.run.scope.with(nil, exclude)})
	if err != nil {
		return err
	}
	s.hits, s.asked, s.warnings = make([]winnow.Hit, len(found.Neighbours)), k, found.Warnings
	for i, n := range found.Neighbours {
		n.Lead = &winnow.Lead{From: n.From, Kind: n.Kind, Via: n.Via, Back: n.Back}
		s.hits[i] = n.Hit
	}
	return nil
}

func (s *links) place(ctx context.Context, c *commit) {
	c.results[c.at].Query = s.question
	c.warn(s.warnings)
	again := func(exclude []string) ([]winnow.Hit, bool) {
		if len(s.hits) < s.asked {
			return nil, false
		}
		err := s.ask(ctx, c.act, shownPerSearch, exclude)
		return s.hits, err == nil
	}
	if !c.showNew(s.hits, shownPerSearch, again) && !c.full {
		c.text("No links lead to anything new.")
	}
	var lines []string
	for _, p := range c.results[c.at].Parts {
		if p.Chunk == nil {
			continue
		}
		verb, lead := "from", p.Chunk.Lead
		if lead.Back {
			verb = "refers to"
		}
		lines = append(lines, fmt.Sprintf("%s: %s %s, %s %q", c.refer(c.ledger.id(p.Chunk)), verb, c.refer(c.ledger.start.Name(p.Chunk.Collection, lead.From)), lead.Kind, label(lead.Via, 48)))
	}
	if len(s.unknown) > 0 {
		lines = append(lines, "Unknown: "+strings.Join(s.unknown, ", ")+".")
	}
	c.text(strings.Join(lines, "\n"))
}
