package builtin

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
)

// judge scores the passages. Without weights, or where the search has no ranker
// and so says little of its hits, their order is that of the search, and what is
// likely follows from place and words.
func (m *Model) judge(passages []*passage, rows [][]float32) {
	ranked := slices.ContainsFunc(passages, func(p *passage) bool { return len(p.hit.Features) > 0 })
	if m.weights == nil || !ranked {
		for _, p := range passages {
			p.score, p.odds = p.prior, math.Log(p.prior)+3*(p.covers-0.5)
		}
		return
	}
	scores, odds := standard(m.weights.Ranker.Scores(rows)), m.weights.Judge.Scores(rows)
	judged := standard(odds)
	searched := make([]float64, len(passages))
	for i, p := range passages {
		searched[i] = math.NaN()
		if p.source == bySearch {
			searched[i] = p.hit.Score
		}
	}
	searched = standard(searched)
	for i, p := range passages {
		p.score, p.odds = scores[i]+trustSearch*searched[i]+trustJudge*judged[i], odds[i]
	}
}

// What the search's own score and the judge's odds weigh beside the ranker. On
// corpora like those that it learned from, the ranker alone does as well; on others
// three opinions stray less than one.
const (
	trustSearch = 0.6
	trustJudge  = 0.5
)

// standard moves and scales values to mean 0 and deviation 1. What is missing
// stands below the least.
func standard(values []float64) []float64 {
	n, sum, squares, least := 0.0, 0.0, 0.0, math.Inf(1)
	for _, v := range values {
		if v == v {
			n, sum, squares, least = n+1, sum+v, squares+v*v, min(least, v)
		}
	}
	out := make([]float64, len(values))
	if n == 0 {
		return out
	}
	mean := sum / n
	deviation := math.Sqrt(max(squares/n-mean*mean, 1e-12))
	for i, v := range values {
		if v == v {
			out[i] = (v - mean) / deviation
		} else {
			out[i] = (least-mean)/deviation - 0.5
		}
	}
	return out
}

// chance is how likely the passage is relevant. One that holds (nearly) all words
// of the question is worth showing whatever the judge says: it has seen a few
// sets of questions, and not the reader's notes.
func (s *passage) chance() float64 {
	chance := 1 / (1 + math.Exp(-s.odds))
	if s.covers >= 0.95 {
		return max(chance, 0.3)
	}
	return chance
}

// A document is selected from a chance of selectFrom, or of a share of the best
// one's where nothing is that likely. Where the best is below abstainBelow,
// nothing is: that nobody has the answer is then the likeliest answer.
const (
	selectFrom   = 0.25
	selectShare  = 0.6
	abstainBelow = 0.15
)

// bar is the chance from which documents are selected.
func (p *Policy) bar() float64 {
	best := 0.0
	for _, s := range p.passages {
		best = max(best, s.chance())
	}
	if best < abstainBelow {
		return math.Inf(1)
	}
	return min(selectFrom, selectShare*best)
}

// conclude ends the run: documents in order, those selected that are likely to
// be relevant, each with what it contributes.
func (p *Policy) conclude() winnow.Action {
	answer := &winnow.Answer{Selected: []winnow.Choice{}}
	confidence, bar := 0.0, p.bar()
	for _, s := range p.ranked() {
		chance := s.chance()
		confidence = max(confidence, chance)
		if chance >= bar {
			_, lead := s.lead()
			answer.Selected = append(answer.Selected, winnow.Choice{ID: s.name, Justification: p.justify(s), Lead: lead})
		} else {
			answer.Rest = append(answer.Rest, s.name)
		}
	}
	answer.Confidence = &confidence
	return winnow.Action{Answer: answer, Reasoning: p.account()}
}

// account tells the chains that lead to what was selected, best first: what of
// the question, which document, through which name to which next.
func (p *Policy) account() string {
	var lines []string
	told, bar := map[*passage]bool{}, p.bar()
	for _, c := range p.chains {
		if len(lines) == maxTold {
			break
		}
		news := false
		for d := c; d != nil; d = d.back {
			news = news || d.last.chance() >= bar && !told[d.last]
		}
		if !news || !c.likely(bar) {
			continue
		}
		for d := c; d != nil; d = d.back {
			told[d.last] = true
		}
		lines = append(lines, p.tell(c))
	}
	return strings.Join(lines, "\n")
}

// maxTold bounds the chains that are told.
const maxTold = 8

// likely reports whether all of a chain is above the bar.
func (c *chain) likely(bar float64) bool {
	for ; c != nil; c = c.back {
		if c.last.chance() < bar {
			return false
		}
	}
	return true
}

// tell writes a chain as a line.
func (p *Policy) tell(c *chain) string {
	if c.back == nil {
		return fmt.Sprintf("%s → %s", p.said(c.last.held), label(c.last))
	}
	line := p.tell(c.back) + fmt.Sprintf(" → %q → %s", c.link.via, label(c.last))
	if more := c.last.held &^ c.back.held; more != 0 {
		line += " (" + p.said(more) + ")"
	}
	return line
}

// said are words of the question, some of them if they are many.
func (p *Policy) said(held mask) string {
	var words []string
	held.each(func(i int) {
		if len(words) < 6 {
			words = append(words, p.q.words[i])
		}
	})
	return strings.Join(words, ", ")
}

// justify says in a line what a passage contributes and what led to it.
func (p *Policy) justify(s *passage) string {
	text := "holds " + p.said(s.held)
	if s.held == 0 {
		text = "holds no word of the question"
	}
	if from, lead := s.lead(); lead != nil {
		text += fmt.Sprintf("; led to by %s through %q", label(from), lead.Via)
	}
	return text
}

// lead is what led to a passage, and from where: the step to it in its chain, else
// the link that brought it; nil where it was searched for.
func (s *passage) lead() (*passage, *winnow.Lead) {
	for c := s.chain; c != nil; c = c.back {
		if c.last == s && c.back != nil && c.link.telling() {
			lead := &winnow.Lead{From: c.back.last.name, Kind: winnow.LinkNamed, Via: c.link.via, Back: c.link.kind == linkBack}
			if c.link.kind == linkShared {
				lead.Kind = winnow.LinkShared
			}
			return c.back.last, lead
		}
	}
	if s.from == nil || s.hit.Lead == nil {
		return nil, nil
	}
	return s.from, &winnow.Lead{From: s.from.name, Kind: s.hit.Lead.Kind, Via: s.hit.Lead.Via, Back: s.hit.Lead.Back}
}

// telling reports whether a link is worth telling: one word that two passages
// share moves the beam, and would not convince a reader.
func (l *link) telling() bool { return l.kind != linkShared || strings.Contains(l.via, " ") }

func label(s *passage) string {
	if s.hit.Title != "" {
		return fmt.Sprintf("%q", s.hit.Title)
	}
	return s.name
}
