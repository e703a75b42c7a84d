package ingest

import (
	"strings"

	"github.com/winnow-search/winnow"
)

// readMarkdown reads Markdown as it stands, front matter and markup included,
// so that lines and offsets are the file's own.
func readMarkdown(src *source) (*draft, error) {
	d := &draft{text: src.text(), layout: markdown}
	fields, body := frontMatter(d.text)
	d.title = stringOf(fields["title"])
	for _, key := range [...]string{"aliases", "alias"} {
		d.names = append(d.names, stringsOf(fields[key])...)
		delete(fields, key)
	}
	delete(fields, "title")
	if len(fields) > 0 {
		d.metadata = winnow.Metadata{}
		for key, value := range fields {
			flatten(d.metadata, key, value)
		}
	}
	m := markdownText{id: src.id, text: d.text}
	m.scan(body)
	d.sections, d.links = m.sections, m.links()
	if d.title == "" {
		d.title = m.title
	}
	return d, nil
}

// stringsOf returns the strings in a scalar or list.
func stringsOf(v any) []string {
	if s := stringOf(v); s != "" {
		return []string{s}
	}
	var out []string
	list, _ := v.([]any)
	for _, item := range list {
		if s := stringOf(item); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// markdownText finds the structure of a Markdown text.
type markdownText struct {
	id       string // resolves relative links
	text     string
	title    string // the first heading of level 1
	sections []section
	outline  outline
	// prose are the spans outside fenced blocks, where links are.
	prose [][2]int
}

// scan goes through the lines from offset at on.
func (m *markdownText) scan(at int) {
	open, proseStart := "", at
	above, aboveAt := "", 0 // the line above, where an underline would make it a heading
	for at < len(m.text) {
		next := nextLine(m.text, at)
		line := strings.TrimRight(m.text[at:next], " \t\r\n")
		mark := fence(line)
		switch {
		case open != "":
			if strings.HasPrefix(mark, open) && len(strings.TrimLeft(line, " ")) == len(mark) {
				open, proseStart = "", next
			}
			above = ""
		case mark != "":
			m.prose = append(m.prose, [2]int{proseStart, at})
			open, above = mark, ""
		default:
			if level, title := atxHeading(line); level > 0 {
				m.heading(at, level, title)
				line = ""
			} else if level := underline(line); level > 0 && above != "" {
				m.heading(aboveAt, level, above)
				line = ""
			}
			above, aboveAt = strings.TrimSpace(line), at
			if beginsItem(line) {
				above = ""
			}
		}
		at = next
	}
	if open == "" {
		m.prose = append(m.prose, [2]int{proseStart, len(m.text)})
	}
}

func (m *markdownText) heading(at, level int, title string) {
	title = plainMarkdown(title)
	if m.title == "" && level == 1 {
		m.title = title
	}
	m.sections = append(m.sections, section{at: at, heading: m.outline.enter(level, title)})
}

// atxHeading returns the level and the text of a line like "## Title ##".
func atxHeading(line string) (level int, title string) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 {
		return 0, ""
	}
	for level < len(s) && s[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || level < len(s) && s[level] != ' ' && s[level] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(s[level:])
	if cut := strings.TrimRight(title, "#"); cut == "" || strings.HasSuffix(cut, " ") {
		title = strings.TrimSpace(cut)
	}
	return level, title
}

// underline returns the level that a line of "=" or "-" gives the line above.
func underline(line string) int {
	s := strings.TrimSpace(line)
	switch {
	case len(s) < 2:
		return 0
	case strings.Trim(s, "=") == "":
		return 1
	case strings.Trim(s, "-") == "":
		return 2
	}
	return 0
}

// plainMarkdown removes the markup of links, emphasis and code from a heading.
func plainMarkdown(s string) string {
	if !strings.ContainsAny(s, "[]*`{") {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		switch {
		case strings.HasPrefix(s, "!["):
			_, s, _ = strings.Cut(s, ")")
		case s[0] == '*' || s[0] == '`' || s[0] == '[':
			s = s[1:]
		case strings.HasPrefix(s, "]("):
			_, s, _ = strings.Cut(s, ")")
		case s[0] == ']':
			s = s[1:]
		case strings.HasPrefix(s, "{#"): // an explicit anchor
			_, s, _ = strings.Cut(s, "}")
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return strings.TrimSpace(b.String())
}
