package builtin

import (
	"math"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/links"
)

// passage is a chunk that was shown, with what was read in it.
type passage struct {
	hit  *winnow.Hit
	name string // what calls and the answer call it
	turn int
	// source is the kind of call that brought it, rank its place there, from 1.
	source source
	rank   int
	from   *passage // that a link led from, where one did

	sentences []sentence
	held      mask // of title and text
	title     mask
	mentions  map[string]int // name → the first sentence that has it
	called    []string       // the names of mentions, in order
	names     []string       // what it may be called by others
	quoted    int            // quotes of the question that it holds
	named     int            // names of the question that it holds
	words     int

	covers float64 // share of the question that it holds
	prior  float64 // what its place among the results makes of it, before reading
	pruned bool

	// Set by weigh.
	score float64 // higher is better, within this question
	odds  float64 // log odds of being relevant
	chain *chain  // the best that it is part of, nil for none
}

// sentence is a stretch of text that says one thing, mostly.
type sentence struct {
	text string
	held mask
}

// source is the kind of call that brought a passage.
type source int

const (
	bySearch source = iota // for the whole question
	byPart                 // for a part of it
	byLink
)

// read takes in what a chunk says.
func (m *Model) read(q *question, p *winnow.Part) *passage {
	h := p.Chunk
	s := &passage{hit: h, name: p.Name(), title: m.mask(q, h.Title), mentions: map[string]int{}}
	s.held = s.title
	var scanner links.Scanner
	for text := range sentences(p.Shown()) {
		held := m.mask(q, text)
		s.sentences = append(s.sentences, sentence{text, held})
		s.held |= held
		for _, mention := range scanner.Mentions(text) {
			if _, before := s.mentions[mention.Key]; !before && (mention.Whole || len(mention.Key) > 3) {
				s.mentions[mention.Key] = len(s.sentences) - 1
				s.called = append(s.called, mention.Key)
			}
		}
		s.words += strings.Count(text, " ") + 1
	}
	if len(q.quoted) > 0 {
		lower := strings.ToLower(h.Title + "\n" + p.Shown())
		for _, quote := range q.quoted {
			if strings.Contains(lower, quote) {
				s.quoted++
			}
		}
	}
	s.names = links.Names(h.Title)
	for key := range q.names {
		if _, in := s.mentions[key]; in || slices.Contains(s.names, key) {
			s.named++
		}
	}
	return s
}

// maxSentences bounds what is looked at of a passage.
const maxSentences = 64

// sentences yields the sentences of a text: up to a full stop before a space, or
// a line's end. A stop after one letter is an initial.
func sentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, n := 0, 0
		for i := 0; i < len(text) && n < maxSentences; i++ {
			end := text[i] == '\n'
			if c := text[i]; (c == '.' || c == '!' || c == '?') && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n') {
				end = i > 1 && text[i-2] != ' '
			}
			if !end && i+1 < len(text) {
				continue
			}
			if s := strings.TrimSpace(text[start : i+1]); s != "" {
				n++
				if !yield(s) {
					return
				}
			}
			start = i + 1
		}
	}
}

// evidence is all that was shown so far.
type evidence struct {
	q        *question
	seed     uint64
	passages []*passage // in the order of showing
	byName   map[string]*passage
	idf      []float64      // of the question's terms, over what was shown
	mass     float64        // their sum
	shares   map[string]int // in how many passages a name stands
	counted  int            // passages that are in shares
	chains   []*chain       // best first
}

// count weighs the question's terms by how few of the passages hold them. What
// was shown is no sample of the corpus, but it is what has to be told apart.
func (e *evidence) count() {
	df := make([]int, len(e.q.terms))
	for _, p := range e.passages {
		p.held.each(func(i int) { df[i]++ })
	}
	for ; e.counted < len(e.passages); e.counted++ {
		for _, name := range e.passages[e.counted].called {
			e.shares[name]++
		}
	}
	e.idf, e.mass = make([]float64, len(df)), 0
	n := float64(len(e.passages))
	for i, d := range df {
		e.idf[i] = math.Log(1 + (n-float64(d)+0.5)/(float64(d)+0.5))
		e.mass += e.idf[i]
	}
}

// cover is the share of the question that the terms make up.
func (e *evidence) cover(held mask) float64 {
	if e.mass == 0 {
		return 0
	}
	sum := 0.0
	held.each(func(i int) { sum += e.idf[i] })
	return sum / e.mass
}

// bestSentence is the most of the question's wanted terms that one sentence
// holds.
func (e *evidence) bestSentence(p *passage, wanted mask) float64 {
	best := 0.0
	for i := range p.sentences {
		best = max(best, e.cover(p.sentences[i].held&wanted))
	}
	return best
}
