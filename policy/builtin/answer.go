package builtin

import (
	"fmt"
	"math"
	"strings"

	"github.com/winnow-search/winnow"
)

// judge scores the passages. Without weights their order is that of the search.
func (m *Model) judge(passages []*passage, rows [][]float32) {
	if m.weights == nil {
		for _, p := range passages {
			p.score, p.odds = p.prior, math.Log(p.prior)
		}
		return
	}
	scores, odds := m.weights.Ranker.Scores(rows), m.weights.Judge.Scores(rows)
	for i, p := range passages {
		p.score, p.odds = scores[i], odds[i]
	}
}

// chance is how likely the passage is relevant.
func (s *passage) chance() float64 { return 1 / (1 + math.Exp(-s.odds)) }

// selectFrom is the chance of being relevant from which a document is selected.
const selectFrom = 0.25

// conclude ends the run: documents in order, those selected that are likely to
// be relevant, each with what it contributes.
func (p *Policy) conclude() winnow.Action {
	answer := &winnow.Answer{Selected: []winnow.Choice{}}
	confidence := 0.0
	for _, s := range p.ranked() {
		chance := s.chance()
		confidence = max(confidence, chance)
		if chance >= selectFrom {
			answer.Selected = append(answer.Selected, winnow.Choice{ID: s.name, Justification: p.justify(s)})
		} else {
			answer.Rest = append(answer.Rest, s.name)
		}
	}
	answer.Confidence = &confidence
	return winnow.Action{Answer: answer}
}

// justify says in a line what a passage contributes and what led to it.
func (p *Policy) justify(s *passage) string {
	var words []string
	s.held.each(func(i int) {
		if len(words) < 6 {
			words = append(words, p.q.words[i])
		}
	})
	text := "holds " + strings.Join(words, ", ")
	if len(words) == 0 {
		text = "is near in meaning"
	}
	for c := s.chain; c != nil; c = c.back {
		if c.last == s && c.back != nil {
			text += fmt.Sprintf("; led to by %s through %q", label(c.back.last), c.link.via)
		}
	}
	if s.from != nil && s.hit.Lead != nil && !strings.Contains(text, "led to by") {
		text += fmt.Sprintf("; led to by %s through %q", label(s.from), s.hit.Lead.Via)
	}
	return text
}

func label(s *passage) string {
	if s.hit.Title != "" {
		return fmt.Sprintf("%q", s.hit.Title)
	}
	return s.name
}
