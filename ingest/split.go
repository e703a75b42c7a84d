package ingest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-search/winnow/token"
)

// likelyFits is the length in bytes up to which a span is counted whole before
// it is divided. Longer ones, which would rarely fit, are divided uncounted:
// counting is most of the work of ingesting, and is to be done once.
const likelyFits = 6 * ChunkTokens

// divider returns the end of the first part of a text that is not empty, and
// how to divide that part further; nil for between tokens.
type divider func(text string) (end int, finer divider)

func paragraph(text string) (int, divider) { return paragraphEnd(text), sentence }
func sentence(text string) (int, divider)  { return sentenceEnd(text), line }
func stanza(text string) (int, divider)    { return paragraphEnd(text), line }
func line(text string) (int, divider)      { return lineEnd(text), nil }

func block(text string) (int, divider) {
	if fence(text) != "" {
		return blockEnd(text), stanza
	}
	return blockEnd(text), sentence
}

// split divides a section into units of at most ChunkTokens, at the coarsest
// boundaries that will do.
func split(text string, l layout) []piece {
	var units []piece
	switch l {
	case markdown:
		divide(&units, text, 0, block)
	case lines:
		divide(&units, text, 0, stanza)
	default:
		divide(&units, text, 0, paragraph)
	}
	return units
}

// divide appends the units of a span that begins at offset at.
func divide(units *[]piece, span string, at int, next divider) {
	if len(span) <= likelyFits {
		if u := measure(span, at); u.tokens <= ChunkTokens {
			*units = append(*units, u)
			return
		}
	}
	for len(span) > 0 {
		if next == nil {
			part := cutTokens(span)
			*units = append(*units, measure(part, at))
			span, at = span[len(part):], at+len(part)
			continue
		}
		end, finer := next(span)
		divide(units, span[:end], at, finer)
		span, at = span[end:], at+end
	}
}

func measure(span string, at int) piece {
	tally := token.Measure(span)
	return piece{start: at, end: at + len(span), tokens: tally.Tokens(), tally: tally}
}

// cutTokens returns as much of a text as fits, back to a space if there is one
// in the second half.
func cutTokens(text string) string {
	part := token.Cut(text, ChunkTokens)
	if len(part) < len(text) {
		if i := strings.LastIndexByte(part, ' '); i > len(part)/2 {
			return part[:i+1]
		}
	}
	return part
}

// lineEnd ends a line after the blank lines that follow it, so that no unit
// begins with one.
func lineEnd(text string) int {
	end := nextLine(text, 0)
	for end < len(text) {
		next := nextLine(text, end)
		if !blank(text[end:next]) {
			break
		}
		end = next
	}
	return end
}

// paragraphEnd ends a paragraph after the blank lines that follow it.
func paragraphEnd(text string) int {
	for at := 0; ; {
		next := nextLine(text, at)
		if next == len(text) {
			return next
		}
		if end := at + lineEnd(text[at:]); end > next {
			return end
		}
		at = next
	}
}

// blockEnd is paragraphEnd for Markdown: blank lines inside a fenced block do
// not end it.
func blockEnd(text string) int {
	open := ""
	for at := 0; ; {
		next := nextLine(text, at)
		if mark := fence(text[at:next]); open == "" {
			open = mark
		} else if strings.HasPrefix(mark, open) {
			open = ""
		}
		if next == len(text) {
			return next
		}
		if open == "" {
			if end := at + lineEnd(text[at:]); end > next {
				return end
			}
		}
		at = next
	}
}

// fence returns the run of backquotes or tildes with which a line opens or
// closes a fenced block, or "".
func fence(line string) string {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || len(s) < 3 || s[0] != '`' && s[0] != '~' {
		return ""
	}
	n := 0
	for n < len(s) && s[n] == s[0] {
		n++
	}
	if n < 3 {
		return ""
	}
	return s[:n]
}

// sentenceEnd ends a sentence after the white space that follows its full stop,
// question or exclamation mark. A line that begins like an item, a row or a
// record begins a sentence.
func sentenceEnd(text string) int {
	for i := 0; i < len(text); i++ {
		end := i
		switch text[i] {
		case '\n':
			if !beginsItem(text[i+1:]) {
				continue
			}
			return i + 1
		case '.', '!', '?':
			end += 1 + closing(text[i+1:])
			if end < len(text) && !spaceAt(text, end) {
				continue
			}
		case 0xE3, 0xEF:
			n := wideStop(text[i:])
			if n == 0 {
				continue
			}
			end += n + closing(text[i+n:])
		default:
			continue
		}
		for end < len(text) && spaceAt(text, end) {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		if next, _ := utf8.DecodeRuneInString(text[end:]); unicode.IsLower(next) {
			i = end - 1
			continue
		}
		return end
	}
	return len(text)
}

// closing returns the length of the quotes and brackets at the start of text.
func closing(text string) int {
	return len(text) - len(strings.TrimLeft(text, `"')]}»”’」』）`))
}

// wideStop returns the length of the ideographic or full-width stop at the
// start of text, 0 if there is none.
func wideStop(text string) int {
	for _, stop := range [...]string{"。", "！", "？"} {
		if strings.HasPrefix(text, stop) {
			return len(stop)
		}
	}
	return 0
}

// beginsItem reports whether a line begins with something other than the next
// word of a sentence: a bullet, a table row, a number, an indentation.
func beginsItem(line string) bool {
	return line != "" && strings.IndexByte("-*+|>#0123456789[{ \t", line[0]) >= 0 && !blank(line[:nextLine(line, 0)])
}

// nextLine returns the offset after the line break that ends the line at at.
func nextLine(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

func spaceAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsSpace(r)
}
