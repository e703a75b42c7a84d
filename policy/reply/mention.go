package reply

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-search/winnow"
)

// FromText flags an answer that was put together from ids in running text.
const FromText = "the answer was read out of running text"

// Mentioned is the last resort: the documents and chunks in view that a text
// names, in the order in which it does. It is nil if there is none.
func Mentioned(text string, v *winnow.View) *winnow.Answer {
	names := map[string]bool{}
	v.Chunks(func(p *winnow.Part) {
		for _, name := range []string{p.Handle, p.Chunk.ID, p.Chunk.Document} {
			if len(name) > 1 { // a single letter is a word more often than a name
				names[name] = true
			}
		}
	})
	type mention struct {
		at   int
		name string
	}
	var found []mention
	for name := range names {
		if at := index(text, name); at >= 0 {
			found = append(found, mention{at, name})
		}
	}
	// The longer name first, where two begin together: that of a chunk begins
	// with that of its document.
	slices.SortFunc(found, func(a, b mention) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(len(b.name), len(a.name)), cmp.Compare(a.name, b.name))
	})
	a := &winnow.Answer{Selected: []winnow.Choice{}, Flags: []string{FromText}}
	end := 0
	for _, m := range found {
		if m.at >= end {
			a.Selected = append(a.Selected, winnow.Choice{ID: m.name})
			end = m.at + len(m.name)
		}
	}
	if len(a.Selected) == 0 {
		return nil
	}
	return a
}

// index finds a name that is not a part of a longer word.
func index(text, name string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return -1
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !inWord(before) && !inWord(after) {
			return at
		}
		from = at + len(name)
	}
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}
