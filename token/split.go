package token

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// class is what the splitter needs to know of a code point. The pattern of
// o200k, in whose terms this file is written, is an ordered choice of
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// matched leftmost, with backtracking. Every code point begins some match, so
// the matches, here called pieces, cover the text.
type class uint8

const (
	upper   class = 1 << iota // Lu, Lt
	lower                     // Ll
	letter                    // Lm, Lo: letters without case, in both classes of a word
	mark                      // M: in both classes of a word, but no letter
	number                    // N
	space                     // White_Space
	newline                   // \r and \n, which are space too

	symbol class = 0 // everything else, and every byte that is not UTF-8
)

// classes holds the class of every code point: a megabyte of address space, of
// which the pages in use are few.
type classes [utf8.MaxRune + 1]class

// at returns the class and the length of the code point at s[i].
func (t *classes) at(s string, i int) (class, int) {
	if s[i] < utf8.RuneSelf {
		return t[s[i]], 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return t[r], size // for a bad byte, that of U+FFFD: a symbol
}

// pieceEnd returns the end of the piece that begins at s[i].
func (v *vocab) pieceEnd(s string, i int) int {
	c, size := v.class.at(s, i)
	switch {
	case c&(upper|lower|letter|mark) != 0:
		// A mark may also be the character that precedes a word; the pattern
		// then matches the same text.
		return contractionEnd(s, v.wordEnd(s, i))
	case c&number != 0:
		end := i + size
		for range 2 {
			if end == len(s) {
				break
			}
			c, size := v.class.at(s, end)
			if c&number == 0 {
				break
			}
			end += size
		}
		return end
	case c&newline == 0:
		if end := v.wordEnd(s, i+size); end > i+size {
			return contractionEnd(s, end)
		}
		if c == symbol {
			return v.symbolsEnd(s, i)
		}
		if s[i] == ' ' {
			if end := v.symbolsEnd(s, i+1); end > i+1 {
				return end
			}
		}
	}
	return v.spaceEnd(s, i)
}

// wordEnd matches a word at s[i] without what may precede or follow it: the
// capitals, then the small letters; i if there is none. Caseless letters and
// marks are both. Where capitals are left at the end, as in "字AB", the first
// alternative of the pattern gives them back until its second half has
// something to match: the word ends after the last caseless character.
func (v *vocab) wordEnd(s string, i int) int {
	capitals, caseless := i, i
	for capitals < len(s) {
		c, size := v.class.at(s, capitals)
		if c&(upper|letter|mark) == 0 {
			break
		}
		capitals += size
		if c&upper == 0 {
			caseless = capitals
		}
	}
	end := v.smallEnd(s, capitals)
	if end == capitals && caseless > i {
		return caseless
	}
	return end
}

// smallEnd matches [\p{Ll}\p{Lm}\p{Lo}\p{M}]* at s[i].
func (v *vocab) smallEnd(s string, i int) int {
	for i+8 <= len(s) {
		n := smallLetters(load(s, i))
		i += n
		if n == 8 {
			continue
		}
		if s[i] < utf8.RuneSelf {
			return i // ASCII has no others
		}
		break
	}
	for i < len(s) {
		c, size := v.class.at(s, i)
		if c&(lower|letter|mark) == 0 {
			break
		}
		i += size
	}
	return i
}

// smallLetters returns how many of eight bytes, from the lowest, are a to z.
// Splitting took twice as long byte by byte: the end of a word is a branch that
// no processor predicts.
func smallLetters(x uint64) int {
	const (
		each = 0x0101010101010101
		high = 0x80 * each
	)
	low := x &^ high
	fromA := low + (0x80-'a')*each // the high bit of a byte is set if it is a or above
	overZ := low + (0x7f-'z')*each
	small := fromA &^ overZ &^ x & high
	return bits.TrailingZeros64(small^high) / 8
}

// contractionEnd matches the optional (?i:'s|'t|'re|'ve|'m|'ll|'d) at s[i]. The
// long s folds to s, and is the only letter outside ASCII that folds to one of
// these.
func contractionEnd(s string, i int) int {
	if i+1 >= len(s) || s[i] != '\'' {
		return i
	}
	switch first := s[i+1] | 0x20; first {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v', 'l':
		second := byte('e')
		if first == 'l' {
			second = 'l'
		}
		if i+2 < len(s) && s[i+2]|0x20 == second {
			return i + 3
		}
	default:
		if strings.HasPrefix(s[i+1:], "ſ") {
			return i + 1 + len("ſ")
		}
	}
	return i
}

// symbolsEnd matches [^\s\p{L}\p{N}]+[\r\n/]* at s[i]; i if there is none.
func (v *vocab) symbolsEnd(s string, i int) int {
	end := i
	for end < len(s) {
		c, size := v.class.at(s, end)
		if c&^mark != symbol {
			break
		}
		end += size
	}
	if end == i {
		return i
	}
	for end < len(s) && (s[end] == '\r' || s[end] == '\n' || s[end] == '/') {
		end++
	}
	return end
}

// spaceEnd matches one of the last three alternatives at s[i], which is space:
// up to the last newline of the run; without one, all of the run but the
// character that belongs to the word behind it; or what is there.
func (v *vocab) spaceEnd(s string, i int) int {
	end, last, afterNewline := i, i, i
	for end < len(s) {
		c, size := v.class.at(s, end)
		if c&space == 0 {
			break
		}
		last = end
		end += size
		if c&newline != 0 {
			afterNewline = end
		}
	}
	switch {
	case afterNewline > i:
		return afterNewline
	case end < len(s) && last > i:
		return last
	}
	return end
}
