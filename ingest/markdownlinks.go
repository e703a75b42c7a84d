package ingest

import (
	"strings"

	"github.com/winnow-search/winnow"
)

// links returns the references in the text, in text order: inline links, links
// by reference, [[wiki links]], and addresses as they stand. Images are not
// references to documents.
func (m *markdownText) links() []winnow.Link {
	defined := m.definitions()
	var links []winnow.Link
	add := func(at int, target string) {
		if target != "" {
			links = append(links, winnow.Link{Kind: winnow.LinkHyper, Target: target, At: at})
		}
	}
	for _, span := range m.prose {
		for at := span[0]; at < span[1]; {
			rest := m.text[at:span[1]]
			i := strings.IndexAny(rest, "[`h\\")
			if i < 0 {
				break
			}
			at, rest = at+i, rest[i:]
			switch rest[0] {
			case '\\':
				at += min(2, len(rest))
			case '`':
				at += codeSpan(rest)
			case 'h':
				n := addressEnd(rest)
				if n > 0 {
					add(at, rest[:n])
				}
				at += max(n, 1)
			case '[':
				image := at > span[0] && m.text[at-1] == '!'
				n, target := m.bracket(rest, defined)
				if !image {
					add(at, target)
				}
				at += n
			}
		}
	}
	return links
}

// maxLinkText bounds how far a closing bracket is looked for, so that a text of
// opening brackets costs no more than another.
const maxLinkText = 512

// bracket reads a link that begins with "[" and returns how much of the text it
// takes and where it leads.
func (m *markdownText) bracket(s string, defined map[string]string) (n int, target string) {
	s = s[:min(len(s), 2*maxLinkText)]
	if inner, ok := strings.CutPrefix(s, "[["); ok {
		name, _, ok := strings.Cut(inner, "]]")
		if !ok || len(name) > maxLinkText || strings.Contains(name, "\n") {
			return 2, ""
		}
		page, _, _ := strings.Cut(name, "|")
		page, _, _ = strings.Cut(page, "#")
		return 4 + len(name), strings.TrimSpace(page)
	}
	end := closingBracket(s)
	if end < 0 {
		return 1, ""
	}
	switch rest := s[end+1:]; {
	case strings.HasPrefix(rest, "("):
		destination, n := destination(rest[1:])
		if n == 0 {
			return end + 1, ""
		}
		return end + 2 + n, resolve(m.id, destination)
	case strings.HasPrefix(rest, "["):
		label, _, ok := strings.Cut(rest[1:], "]")
		if !ok {
			return end + 1, ""
		}
		n = end + len(label) + 3
		if label == "" {
			label = s[1:end]
		}
		return n, defined[linkLabel(label)]
	case strings.HasPrefix(rest, ":"):
		return end + 2, "" // a definition
	}
	return end + 1, defined[linkLabel(s[1:end])]
}

func closingBracket(s string) int {
	depth := 0
	for i := 0; i < len(s) && i < maxLinkText; i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// destination reads what stands in the round brackets of a link, and returns
// how much of the text it took with the closing one; 0 if there is none.
func destination(s string) (target string, n int) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\n':
			return "", 0
		case '(':
			depth++
		case ')':
			if depth--; depth >= 0 {
				continue
			}
			target = strings.TrimSpace(s[:i])
			if inner, ok := strings.CutPrefix(target, "<"); ok {
				target, _, _ = strings.Cut(inner, ">")
			} else if j := strings.IndexAny(target, " \t"); j >= 0 {
				target = target[:j] // a title follows
			}
			return target, i + 1
		}
	}
	return "", 0
}

// definitions are the lines "[label]: target".
func (m *markdownText) definitions() map[string]string {
	defined := map[string]string{}
	if !strings.Contains(m.text, "]:") {
		return defined
	}
	for _, span := range m.prose {
		for line := range strings.Lines(m.text[span[0]:span[1]]) {
			line = strings.TrimSpace(line)
			label, target, ok := strings.Cut(line, "]:")
			if !ok || !strings.HasPrefix(label, "[") || strings.HasPrefix(label, "[^") {
				continue
			}
			if fields := strings.Fields(target); len(fields) > 0 {
				defined[linkLabel(label[1:])] = resolve(m.id, strings.Trim(fields[0], "<>"))
			}
		}
	}
	return defined
}

// linkLabel folds a label as Markdown compares them.
func linkLabel(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// codeSpan returns the length of the code in backquotes at the start of s, or
// of the backquotes where it is not closed in its paragraph.
func codeSpan(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	paragraph, _, _ := strings.Cut(s[n:min(len(s), n+2*maxLinkText)], "\n\n")
	if i := strings.Index(paragraph, s[:n]); i >= 0 {
		return n + i + n
	}
	return n
}

// addressEnd returns the length of the web address at the start of s, 0 if
// there is none.
func addressEnd(s string) int {
	if !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") {
		return 0
	}
	s = s[:min(len(s), 4*maxLinkText)]
	end := strings.IndexAny(s, " \t\r\n<>\"`|\\^{}")
	if end < 0 {
		end = len(s)
	}
	address := strings.TrimRight(s[:end], ".,;:!?'*_")
	for strings.HasSuffix(address, ")") && strings.Count(address, "(") < strings.Count(address, ")") {
		address = strings.TrimRight(address[:len(address)-1], ".,;:!?'*_")
	}
	if strings.HasSuffix(address, "//") {
		return 0
	}
	return len(address)
}
