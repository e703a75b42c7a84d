package token

import "unicode/utf8"

// Cut returns a prefix of text, of whole runes, that has at most n tokens when
// counted on its own: text itself if it has no more, else its first n tokens
// less what would split a rune.
//
// Now and then a longer prefix would fit, because a count can fall as text
// grows: "Octobe" is two tokens, "October" one. To look for the longest prefix
// would take quadratic time in a long run without a break; this takes time in
// proportion to n.
func Cut(text string, n int) string {
	if n >= len(text) {
		return text
	}
	if n <= 0 {
		return ""
	}
	v := vocabulary()
	reach := text[:min(len(text), n*longestToken+1)] // more than n tokens if it is not all
	var ids []ID
	for i := 0; i < len(reach) && len(ids) <= n; {
		ids, i = v.appendPiece(ids, reach, i)
	}
	if len(ids) <= n {
		return text
	}
	end := 0
	for _, id := range ids[:n] {
		end += len(v.textOf(id))
	}
	for last := n - 1; ; last-- {
		head := text[:wholeRunes(text, end)]
		if Count(head) <= n {
			return head
		}
		// Without what followed it, the end is cut into other pieces, or lost a
		// part of a rune: give back one more token.
		end -= len(v.textOf(ids[last]))
	}
}

// wholeRunes returns the end of the last whole rune within text[:end].
func wholeRunes(text string, end int) int {
	if end >= len(text) {
		return len(text)
	}
	start := end
	for start > 0 && end-start < utf8.UTFMax && !utf8.RuneStart(text[start]) {
		start--
	}
	if r, size := utf8.DecodeRuneInString(text[start:]); r == utf8.RuneError && size <= 1 {
		return end // bytes that are no rune are not kept together
	}
	return start
}
