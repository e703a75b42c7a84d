package ingest

import (
	"path"
	"strings"
	"unicode/utf8"
)

// readMarkup reads prose in the markups beside Markdown that documentation is
// written in, as far as their headings: reStructuredText underlines them,
// AsciiDoc and Org begin them with a run of signs.
func readMarkup(src *source) (*draft, error) {
	d := &draft{text: src.text()}
	var o outline
	heading := func(at, level int, title string) {
		if d.title == "" {
			d.title = oneLine(title)
		}
		d.sections = append(d.sections, section{at: at, heading: o.enter(level, title)})
	}
	sign := byte('=')
	switch strings.ToLower(path.Ext(src.id)) {
	case ".rst":
		underlined(d.text, heading)
		return d, nil
	case ".org":
		sign = '*'
	}
	for at := 0; at < len(d.text); at = nextLine(d.text, at) {
		line := strings.TrimSpace(d.text[at:nextLine(d.text, at)])
		level := len(line) - len(strings.TrimLeft(line, string(sign)))
		if level > 0 && level < len(line) && line[level] == ' ' {
			heading(at, level, line[level:])
		}
	}
	return d, nil
}

// underlined finds titles above lines of one sign. What level a sign stands for
// follows from the order in which they come.
func underlined(text string, heading func(at, level int, title string)) {
	var signs []byte
	above, aboveAt := "", 0
	for at := 0; at < len(text); at = nextLine(text, at) {
		line := strings.TrimRight(text[at:nextLine(text, at)], " \t\r\n")
		if isRule(line) && above != "" && !isRule(above) && utf8.RuneCountInString(above) <= len(line) {
			level := strings.IndexByte(string(signs), line[0])
			if level < 0 {
				level = len(signs)
				signs = append(signs, line[0])
			}
			heading(aboveAt, level+1, above)
			line = ""
		}
		above, aboveAt = line, at
	}
}

// isRule reports whether a line is a run of one punctuation sign.
func isRule(line string) bool {
	return len(line) >= 3 && strings.IndexByte("=-`:'\"~^_*+#<>.", line[0]) >= 0 && strings.Trim(line, line[:1]) == ""
}
