package wordpiece

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// class is what the reference does with a character. Its tables are of an older
// Unicode than Go's: they differ in some 600 characters of rare scripts, none of
// which the vocabulary holds, so either way the word around them is Unknown.
type class uint8

const (
	dropped class = iota
	letter        // part of a word: everything that is not one of the others
	space
	punctuation
)

// asciiClass and asciiLower spare ASCII text all table lookups; asciiLower is
// the bit that lower-cases.
var asciiClass, asciiLower = asciiTables()

func asciiTables() (classes [128]class, lower [128]byte) {
	for c := range byte(128) {
		switch {
		case c == '\t' || c == '\n' || c == '\r' || c == ' ':
			classes[c] = space
		case c < ' ' || c == 0x7f:
			classes[c] = dropped
		case 'A' <= c && c <= 'Z':
			classes[c], lower[c] = letter, 'a'-'A'
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			classes[c] = letter
		default:
			// Symbols such as $ and ^ count as punctuation too.
			classes[c] = punctuation
		}
	}
	return classes, lower
}

func isControl(r rune) bool {
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}

func isSpace(r rune) bool { return unicode.Is(unicode.White_Space, r) }

func isAccent(r rune) bool { return unicode.Is(unicode.Mn, r) }

func isPunctuation(r rune) bool {
	if r < 128 {
		return asciiClass[r] == punctuation
	}
	return unicode.Is(unicode.P, r)
}

// isCJK holds the blocks of ideographs, which stand as words of one character.
// Kana and Hangul are not among them: they are written with spaces or matched
// in pieces.
func isCJK(r rune) bool {
	switch {
	case 0x4E00 <= r && r <= 0x9FFF, 0x3400 <= r && r <= 0x4DBF, 0xF900 <= r && r <= 0xFAFF:
		return true
	case 0x20000 <= r && r <= 0x2A6DF, 0x2A700 <= r && r <= 0x2B73F, 0x2B740 <= r && r <= 0x2B81F,
		0x2B920 <= r && r <= 0x2CEAF, 0x2F800 <= r && r <= 0x2FA1F:
		return true
	}
	return false
}

func lower(r rune) rune { return unicode.ToLower(r) }

// decompose takes one character apart canonically (NFD). Doing so character by
// character leaves marks in the order they came, not in canonical order; that
// can't be seen, since accents are dropped and no piece holds any other mark.
func decompose(dst []byte, character string) []byte {
	return norm.NFD.AppendString(dst, character)
}
