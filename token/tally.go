package token

import "unicode/utf8"

// Tally is the exact token count of a text, in a form that can be joined.
//
// Counts do not add up: where two texts meet, tokens merge and regroup. But
// that reaches only to the nearest break, a place where o200k starts a new piece
// whatever stands around it, such as between a letter and a space. So a tally
// keeps the text before the first break, the number of tokens up to the last,
// and the text behind it, and joining recounts a few words:
//
//	Measure(a).Join(Measure(b)) == Measure(a + b)
//
// A view is measured part by part, each once, and joined anew when parts come
// and go. The zero Tally is that of the empty text.
type Tally struct {
	head   string // before the first break; all of the text if it has none
	tokens int    // between the first break and the last
	tail   string // behind the last break
	broken bool   // there is a break
}

// Measure returns the tally of text.
func Measure(text string) Tally {
	v := vocabulary()
	first := 0
	for first < len(text) && !v.breaksAt(text, first) {
		_, size := utf8.DecodeRuneInString(text[first:])
		first += size
	}
	if first == len(text) {
		return Tally{head: text}
	}
	last := len(text)
	for !v.breaksAt(text, last) {
		_, size := utf8.DecodeLastRuneInString(text[:last])
		last -= size
	}
	return Tally{text[:first], Count(text[first:last]), text[last:], true}
}

// Specials returns the tally of n special tokens. No text merges with them: a
// special token is a break.
func Specials(n int) Tally { return Tally{tokens: n, broken: n > 0} }

// Tokens returns the count.
func (t Tally) Tokens() int { return Count(t.head) + t.tokens + Count(t.tail) }

// Join returns the tally of t's text with next's behind it.
func (t Tally) Join(next Tally) Tally {
	switch {
	case t.broken && next.broken:
		return Tally{t.head, t.tokens + Count(t.tail+next.head) + next.tokens, next.tail, true}
	case t.broken:
		seam := Measure(t.tail + next.head)
		if !seam.broken {
			return Tally{t.head, t.tokens, seam.head, true}
		}
		return Tally{t.head, t.tokens + Count(seam.head) + seam.tokens, seam.tail, true}
	case next.broken:
		seam := Measure(t.head + next.head)
		return Tally{seam.head, seam.tokens + Count(seam.tail) + next.tokens, next.tail, true}
	}
	return Measure(t.head + next.head)
}

// breaksAt reports whether s[i] begins a piece whatever stands before and behind
// the two characters that meet there, and the piece before it ends there
// without looking further. The cases follow from the pattern in split.go: no
// alternative matches the two characters side by side, and the first is no
// space that the last alternatives would leave to what follows.
func (v *vocab) breaksAt(s string, i int) bool {
	before, size := utf8.DecodeLastRuneInString(s[:i])
	if before == utf8.RuneError && size <= 1 {
		return false // nothing, or a byte that with others may become a rune
	}
	after, size := utf8.DecodeRuneInString(s[i:])
	if after == utf8.RuneError && size <= 1 {
		return false
	}
	a, b := v.class[before], v.class[after]
	switch {
	case a&number != 0:
		return b&number == 0
	case a&newline != 0:
		return b&space == 0 && after != '/'
	case a&space != 0:
		return false
	case b&number != 0:
		return true
	case a&(upper|lower|letter) != 0:
		return b&space != 0 || b == symbol && after != '\''
	default: // a symbol or a mark
		return b&space != 0 && b&newline == 0
	}
}
