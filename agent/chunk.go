package agent

import (
	"fmt"
	"strings"

	"github.com/winnow-search/winnow"
)

// maxName is how many bytes of a name are printed.
const maxName = 256

// header is the line above a chunk's text. It can't be forged from inside a
// text: neutral marks every line that looks like one.
func (l *ledger) header(part *winnow.Part) string {
	c := part.Chunk
	if !l.profile.handles {
		return fmt.Sprintf("\n# DOCUMENT ID: %s (%d tokens) \n", label(l.id(c), maxName), c.Tokens)
	}
	where := label(l.document(c), maxName)
	if c.Title != "" && c.Title != c.Document && c.Title != c.Path {
		where += " · " + label(c.Title, 96)
	}
	if c.Heading != "" {
		where += " · " + label(c.Heading, 96)
	}
	if c.Page > 0 {
		where += fmt.Sprintf(" · page %d", c.Page)
	}
	return fmt.Sprintf("\n[%s] %s (%d tokens)\n", part.Handle, where, c.Tokens)
}

// chunkText is a chunk as it is read.
func (l *ledger) chunkText(part *winnow.Part) string {
	text := l.header(part) + neutral(part.Shown())
	if part.Bytes > 0 {
		text += "\n[cut here: the rest did not fit]"
	}
	return text
}

// refer is what a policy calls a chunk.
func (l *ledger) refer(s *shown) string {
	if l.profile.handles {
		return s.handle()
	}
	return label(s.id, maxName)
}

// label makes a name fit for a line: no breaks, no markers, not too long.
func label(s string, bytes int) string {
	s = neutral(strings.Join(strings.Fields(s), " "))
	if len(s) > bytes {
		s = strings.ToValidUTF8(s[:bytes], "") + "…"
	}
	return s
}

// neutral puts a backslash in front of what could pass for the harness's own
// words: special tokens, chunk headers, usage lines. A text transport would
// otherwise let a document speak with the voice of the harness. What is stored
// stays as it is.
func neutral(text string) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '<', '#', '[':
			if imitates(text[i:]) {
				b.WriteString(text[from:i])
				b.WriteByte('\\')
				from = i
			}
		}
	}
	if from == 0 && b.Len() == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// imitates reports whether text begins like a marker.
func imitates(text string) bool {
	switch text[0] {
	case '<':
		return strings.HasPrefix(text, "<|")
	case '#':
		return foldPrefix(strings.TrimLeft(text[1:], " \t"), "document")
	}
	if foldPrefix(text[1:], "token usage") {
		return true
	}
	digits := 0 // a handle: [c12]
	for digits < len(text)-2 && text[1] == 'c' && '0' <= text[2+digits] && text[2+digits] <= '9' {
		digits++
	}
	return digits > 0 && digits < len(text)-2 && text[2+digits] == ']'
}

func foldPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
