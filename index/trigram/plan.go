package trigram

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Plan returns a query that holds for the trigrams of every text in which re
// matches. The work is bounded by the length of the pattern; where a set would
// grow too large the query asks for less, in the end for nothing (All).
func Plan(re *regexp.Regexp) Query {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return Query{} // a POSIX expression that Perl's syntax lacks
	}
	return and(analyse(tree).need...)
}

// Literal returns a query that holds for the trigrams of every text that contains
// this one.
func Literal(text string) Query {
	return oneOf([]string{foldString(text)})
}

const (
	// maxStrings bounds each set of strings. A hundred lets two digits through.
	maxStrings = 100
	// maxFew bounds an exact set all of whose strings hold a trigram. Two are kept
	// because colou?r says more as color|colour than by its borders.
	maxFew = 2
	// maxBytes bounds the strings of one exact set together.
	maxBytes = 4096
	// maxClass bounds the runes of a class that is written out; folding makes
	// fewer strings of them.
	maxClass = 2 * maxStrings
)

// shape is what is known about the strings, folded, that a part of a pattern
// matches. Sets are sorted and distinct.
//
// An exact set of more than a few strings goes as soon as each holds a trigram:
// need has these trigrams then, and prefix and suffix have all that can make new
// ones with the neighbours. So large sets become a conjunction of short lists
// and not a list of long conjunctions.
type shape struct {
	exact  []string // all the strings, if they are few or some is too short for a trigram; else nil
	prefix []string // each string begins with one of these, of 2 bytes at most
	suffix []string // each string ends with one of these, of 2 bytes at most
	need   []Query  // each holds for each string; joined as late as possible
}

func analyse(re *syntax.Regexp) shape {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return exactly("")
	case syntax.OpLiteral:
		return literal(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCharClass:
		return class(re.Rune)
	case syntax.OpCapture:
		return analyse(re.Sub[0])
	case syntax.OpConcat:
		return concat(analyseAll(re.Sub)...)
	case syntax.OpAlternate:
		return alternate(analyseAll(re.Sub)...)
	case syntax.OpQuest:
		return alternate(exactly(""), analyse(re.Sub[0]))
	case syntax.OpPlus:
		return repeat(analyse(re.Sub[0]), 1, -1)
	case syntax.OpRepeat:
		return repeat(analyse(re.Sub[0]), re.Min, re.Max)
	}
	return anything() // OpStar, OpAnyChar, OpAnyCharNotNL
}

func analyseAll(list []*syntax.Regexp) []shape {
	shapes := make([]shape, len(list))
	for i, re := range list {
		shapes[i] = analyse(re)
	}
	return shapes
}

func anything() shape {
	return shape{prefix: []string{""}, suffix: []string{""}}
}

// exactly is the shape of a set of strings.
func exactly(set ...string) shape {
	slices.Sort(set)
	set = slices.Compact(set)
	s := shape{exact: set, prefix: heads(set, 2), suffix: tails(set, 2), need: []Query{oneOf(set)}}
	short, size := false, 0
	for _, str := range set {
		short = short || len(str) < 3
		size += len(str)
	}
	if !short && len(set) > maxFew || len(set) > maxStrings || size > maxBytes {
		s.exact = nil
	}
	return s
}

// literal is the shape of a run of runes. Under fold a rune stands for all that
// Unicode's simple folding makes equal to it: the text of k may be U+212A, the
// Kelvin sign, and that of s U+017F, the long s.
func literal(runes []rune, folded bool) shape {
	if !folded && !slices.Contains(runes, utf8.RuneError) {
		return exactly(foldString(string(runes)))
	}
	shapes := make([]shape, len(runes))
	for i, r := range runes {
		orbit := []rune{r, r}
		for f := unicode.SimpleFold(r); folded && f != r; f = unicode.SimpleFold(f) {
			orbit = append(orbit, f, f)
		}
		shapes[i] = class(orbit)
	}
	return concat(shapes...)
}

// class is the shape of one rune out of ranges, given as pairs of first and last.
func class(ranges []rune) shape {
	count := 0
	for i := 0; i < len(ranges); i += 2 {
		low, high := ranges[i], ranges[i+1]
		count += int(high-low) + 1
		// RE2 reads each invalid byte of a text as U+FFFD.
		if count > maxClass || low <= utf8.RuneError && utf8.RuneError <= high {
			return anything()
		}
	}
	set := make([]string, 0, count)
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			set = append(set, foldString(string(r)))
		}
	}
	return exactly(set...)
}

func concat(shapes ...shape) shape {
	joined := exactly("")
	for _, s := range shapes {
		joined = follow(joined, s)
	}
	return joined
}

// follow is the shape of x followed by y.
func follow(x, y shape) shape {
	if x.exact != nil && y.exact != nil && len(x.exact)*len(y.exact) <= maxStrings {
		return exactly(product(x.exact, y.exact)...)
	}
	s := shape{prefix: x.prefix, suffix: y.suffix}
	if x.exact != nil {
		s.prefix = leading(x.exact, y.prefix)
	}
	if y.exact != nil {
		s.suffix = trailing(x.suffix, y.exact)
	}
	s.need = slices.Concat(x.need, y.need)
	s.need = append(s.need, across(x.suffix, heads(y.prefix, 1)), across(tails(x.suffix, 1), y.prefix))
	return s
}

// leading is how strings begin that are exact and then go on with a prefix. Only
// as much of the prefix is used as two bytes have room for.
func leading(exact, prefix []string) []string {
	rest := [3][]string{prefix, heads(prefix, 1), {""}}
	var set []string
	for _, s := range exact {
		set = append(set, product([]string{s}, rest[min(len(s), 2)])...)
	}
	return heads(set, 2)
}

// trailing is how strings end that have a suffix and then are exact.
func trailing(suffix, exact []string) []string {
	rest := [3][]string{suffix, tails(suffix, 1), {""}}
	var set []string
	for _, s := range exact {
		set = append(set, product(rest[min(len(s), 2)], []string{s})...)
	}
	return tails(set, 2)
}

// across is the query for the trigrams that lie on a border between strings.
func across(suffix, prefix []string) Query {
	if len(suffix)*len(prefix) > maxStrings {
		return Query{}
	}
	return oneOf(product(suffix, prefix))
}

func alternate(shapes ...shape) shape {
	var exact []string
	var joined shape
	needs := make([]Query, len(shapes))
	whole := true
	for i, s := range shapes {
		whole = whole && s.exact != nil
		exact = append(exact, s.exact...)
		joined.prefix = append(joined.prefix, s.prefix...)
		joined.suffix = append(joined.suffix, s.suffix...)
		needs[i] = and(s.need...)
	}
	if whole {
		return exactly(exact...)
	}
	joined.prefix = heads(joined.prefix, 2)
	joined.suffix = tails(joined.suffix, 2)
	joined.need = []Query{or(needs...)}
	return joined
}

// repeat is the shape of x repeated low to high times, without limit for -1.
// Three copies have all the trigrams of more, and the same ends.
func repeat(x shape, low, high int) shape {
	if low == 0 {
		switch high {
		case 0:
			return exactly("")
		case 1:
			return alternate(exactly(""), x)
		}
		return anything()
	}
	copies := slices.Repeat([]shape{x}, min(low, 3))
	s := concat(copies...)
	if low != high || low > len(copies) {
		s.exact = nil
	}
	s.need = []Query{and(s.need...)}
	return s
}

// oneOf is the query for texts that contain one of the strings.
func oneOf(set []string) Query {
	queries := make([]Query, len(set))
	for i, s := range set {
		q := Query{Op: And}
		for ; len(s) >= 3; s = s[1:] {
			q.Trigrams = append(q.Trigrams, Trigram(s[0])<<16|Trigram(s[1])<<8|Trigram(s[2]))
		}
		queries[i] = and(q)
	}
	return or(queries...)
}

func product(a, b []string) []string {
	set := make([]string, 0, len(a)*len(b))
	for _, s := range a {
		for _, t := range b {
			set = append(set, s+t)
		}
	}
	return set
}

// heads cuts strings to their first n bytes, or to fewer where more would leave
// too many of them.
func heads(set []string, n int) []string {
	return shorten(set, n, func(s string, n int) string { return s[:n] })
}

// tails does the same with the last bytes.
func tails(set []string, n int) []string {
	return shorten(set, n, func(s string, n int) string { return s[len(s)-n:] })
}

func shorten(set []string, n int, cut func(string, int) string) []string {
	short := make([]string, len(set))
	for {
		for i, s := range set {
			short[i] = cut(s, min(len(s), n))
		}
		slices.Sort(short)
		if short = slices.Compact(short); len(short) <= maxStrings {
			return short
		}
		short = short[:len(set)]
		n--
	}
}
