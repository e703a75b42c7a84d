// Package reply reads what models write: the documents they settle on, the
// arguments of their calls, the thoughts that leak into their words.
//
// Models were asked for one form and have seen a hundred others, and servers
// lose brackets on the way. So reading is tolerant, and it is honest: what was
// mended is reported, what is read out of running text is flagged, and what can't
// be read is handed on as it is. It is shared by all policies that ask a model,
// and knows no provider.
package reply

import "strings"

// Think splits a model's words into what it thought and what it said. Servers
// without a parser for reasoning leave it in the text between think tags; those
// whose template opens the tag itself leave only the closing one.
func Think(text string) (thought, said string) {
	const open, shut = "<think>", "</think>"
	start := strings.TrimLeft(text, " \t\r\n")
	inner, opened := strings.CutPrefix(start, open)
	before, after, closed := strings.Cut(inner, shut)
	switch {
	case closed && (opened || !strings.Contains(before, open)):
		return strings.TrimSpace(before), strings.TrimSpace(after)
	case opened: // cut off while thinking
		return strings.TrimSpace(inner), ""
	}
	return "", text
}
