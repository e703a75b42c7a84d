package builtin

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/links"
)

// question is what is asked, taken apart. All of it is found by form alone:
// nothing here knows what words mean.
type question struct {
	text string
	// terms are the different stems, in order, as far as a mask has room; at is
	// the place of each.
	terms []string
	at    map[string]int
	words []string // a word of the question for each term, as it is written
	// names are what the question calls by name: runs of capitalised words and
	// what stands in quotes, in the form of package links.
	names   map[string]bool
	quoted  []string // in lower case
	numbers mask     // the terms that are numbers
	// compares says that two things are set beside each other.
	compares bool
	parts    []part
}

// part is a piece of the question that can be searched for by itself.
type part struct {
	text string
	mask mask
}

const (
	maxParts = 3
	// partTerms is the fewest terms that say something by themselves.
	partTerms = 2
)

func (m *Model) question(text string) *question {
	q := &question{text: text, at: map[string]int{}, names: map[string]bool{}}
	bm25.Words(text, func(w string) {
		for _, t := range m.analyzer.AppendTerms(nil, w) {
			if _, known := q.at[t]; known || len(q.terms) == maxTerms || m.common[t] {
				continue
			}
			q.at[t] = len(q.terms)
			q.terms, q.words = append(q.terms, t), append(q.words, w)
			if isNumber(w) {
				q.numbers |= 1 << q.at[t]
			}
		}
	})
	var scanner links.Scanner
	for _, mention := range scanner.Mentions(text) {
		if mention.Whole {
			q.names[mention.Key] = true
		}
	}
	for _, quote := range quotes.FindAllStringSubmatch(text, -1) {
		inner := strings.TrimSpace(quote[1] + quote[2] + quote[3])
		if key := links.Normal(inner); key != "" {
			q.names[key] = true
			q.quoted = append(q.quoted, strings.ToLower(inner))
		}
	}
	q.compares = comparison.MatchString(text)
	q.parts = m.parts(q)
	return q
}

var (
	quotes     = regexp.MustCompile(`"([^"]{2,120})"|“([^”]{2,120})”|(?:^|[\s(])'([^']{4,120})'(?:[\s,.;:?!)]|$)`)
	comparison = regexp.MustCompile(`(?i)\b(both|either|same|first|earlier|later|older|younger|larger|smaller|longer|more|between|compared?|than|or|while)\b`)
	// sides are what stands between two names that are set beside each other.
	sides = regexp.MustCompile(`(?i)\s+(?:and|or|vs\.?)\s+`)
	// seams are where a clause ends and the next begins.
	seams = regexp.MustCompile(`(?i)[;:?!]\s|,\s+|\s(?:which|who|whose|whom|that|where|when|while|and|but|or|before|after|whereas)\s`)
)

// parts cuts a question into what can be searched for by itself: the things that
// are compared, the inner end of "the X of the Y of Z", and clauses.
func (m *Model) parts(q *question) (parts []part) {
	add := func(text string) {
		text = strings.TrimSpace(text)
		mask := m.mask(q, text)
		if len(parts) == maxParts || mask.count() < partTerms || 5*mask.count() > 4*len(q.terms) {
			return
		}
		for _, p := range parts {
			if p.mask&mask == mask {
				return // said by another
			}
		}
		parts = append(parts, part{text, mask})
	}
	if q.compares {
		for _, name := range capitalised(q.text) {
			for _, one := range sides.Split(name, -1) {
				add(one)
			}
		}
	}
	for _, i := range []int{strings.Index(q.text, " of "), strings.LastIndex(q.text, " of ")} {
		if i >= 0 {
			add(clause(q.text[i+len(" of "):]))
		}
	}
	if clauses := seams.Split(q.text, -1); len(clauses) > 1 {
		for _, c := range clauses {
			add(c)
		}
	}
	return parts
}

// clause is a text up to where its first clause ends.
func clause(text string) string {
	if at := seams.FindStringIndex(text + " "); at != nil {
		return text[:at[0]]
	}
	return text
}

// capitalised returns the names of a question as they are written, the longest
// of those that overlap.
func capitalised(text string) (names []string) {
	var scanner links.Scanner
	end := 0
	for _, m := range scanner.Mentions(text) {
		if m.Whole && m.Start >= end {
			names = append(names, text[m.Start:m.End])
			end = m.End
		}
	}
	return names
}

// mask is the terms of the question that a text holds.
func (m *Model) mask(q *question, text string) (held mask) {
	var buf [4]string
	bm25.Words(text, func(w string) {
		for _, t := range m.analyzer.AppendTerms(buf[:0], w) {
			if i, ok := q.at[t]; ok {
				held |= 1 << i
			}
		}
	})
	return held
}

func isNumber(w string) bool {
	return strings.IndexFunc(w, unicode.IsDigit) >= 0
}
