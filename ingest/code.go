package ingest

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/winnow-search/winnow"
)

// read reads source code as it stands. Each declaration begins a section headed
// by its name, below the names of those it is indented under.
func (l *language) read(src *source) (*draft, error) {
	d := &draft{
		title: path.Base(src.id), text: src.text(), layout: lines,
		metadata: winnow.Metadata{"language": l.name},
	}
	if isMinified(d.text) {
		return nil, skip("minified or generated")
	}
	c := codeText{language: l, id: src.id, draft: d, seen: map[string]bool{}}
	c.scan()
	return d, nil
}

// isMinified reports whether code was not written in lines by people.
func isMinified(text string) bool {
	return len(text) > 8<<10 && len(text)/(1+strings.Count(text, "\n")) > 400
}

// codeText finds declarations and imports in source code.
type codeText struct {
	*language
	*draft
	id      string
	outline outline
	seen    map[string]bool
}

// maxNames bounds the names one file can claim; generated tables declare
// thousands.
const maxNames = 1000

// maxIndent is the deepest indentation, in columns, at which declarations are
// looked for: members of members, but not what functions hold.
const maxIndent = 8

func (c *codeText) scan() {
	notes := -1 // start of the comments right above, which belong to what they precede
	inImports := false
	for at := 0; at < len(c.text); {
		next := nextLine(c.text, at)
		line := strings.TrimRight(c.text[at:next], " \t\r\n")
		code := strings.TrimLeft(line, " \t")
		if code == "" || len(code) > 500 {
			notes, at = -1, next
			continue
		}
		switch {
		case code == "import (" && c.name == "go":
			inImports = true
		case inImports && code[0] == ')':
			inImports = false
		default:
			if target := c.importTarget(code, inImports); target != "" {
				c.links = append(c.links, winnow.Link{Kind: winnow.LinkImport, Target: target, At: at})
			}
		}
		indent := columns(line[:len(line)-len(code)])
		switch {
		case c.isNote(code):
			if notes < 0 {
				notes = at
			}
		case indent <= maxIndent:
			if symbol, ok := c.declaration(code, indent); ok {
				start := at
				if notes >= 0 {
					start = notes
				}
				c.declare(start, indent, symbol)
			}
			notes = -1
		default:
			notes = -1
		}
		at = next
	}
}

func (c *codeText) declare(at, indent int, symbol string) {
	s := section{at: at}
	if symbol != "" {
		s.heading = c.outline.enter(indent, symbol)
	}
	c.sections = append(c.sections, s)
	name := symbol[strings.LastIndexAny(symbol, ".:")+1:]
	if len(name) > 2 && !c.seen[name] && len(c.names) < maxNames {
		c.seen[name] = true
		c.names = append(c.names, name)
	}
}

func (c *codeText) isNote(code string) bool {
	for prefix := range strings.FieldsSeq(c.comment) {
		if strings.HasPrefix(code, prefix) {
			return !strings.HasPrefix(code, "@interface") && !strings.HasPrefix(code, "@implementation") &&
				!strings.HasPrefix(code, "@protocol") && !strings.HasPrefix(code, "#define")
		}
	}
	return false
}

func columns(indentation string) int {
	n := 0
	for _, c := range indentation {
		if c == '\t' {
			n += 4
		} else {
			n++
		}
	}
	return n
}

// modifiers may stand before the keyword of a declaration.
const modifiers = " export default async public private protected internal static final abstract open sealed override " +
	"pub pub(crate) pub(super) unsafe extern inline virtual partial readonly declare data suspend local companion case " +
	"implicit lazy constexpr mutating fileprivate indirect comptime "

// statements begin lines that look like the head of a function without being
// one.
const statements = " if else for while switch catch return throw case do try with using lock when match elif until " +
	"new await yield delete goto assert print echo typeof sizeof not and or in foreach synchronized super this "

// declaration returns the name that a line declares; "" for a group.
func (c *codeText) declaration(code string, indent int) (symbol string, ok bool) {
	rest := code
	for {
		word, after := cutWord(rest)
		switch {
		case word == "":
			return "", false
		case contains(c.scoped, word) || indent == 0 && contains(c.top, word):
			return c.symbol(word, after), true
		case strings.Contains(modifiers, " "+word+" "):
			rest = after
			continue
		}
		return c.callable(code)
	}
}

// cutWord splits a line after its first word.
func cutWord(s string) (word, rest string) {
	i := strings.IndexAny(s, " \t<")
	if i <= 0 {
		return s, ""
	}
	return s[:i], strings.TrimLeft(s[i:], " \t")
}

func contains(list, word string) bool {
	for item := range strings.FieldsSeq(list) {
		if item == word {
			return true
		}
	}
	return false
}

// symbol returns the name after a keyword.
func (c *codeText) symbol(keyword, rest string) string {
	switch {
	case c.name == "go" && keyword == "func" && strings.HasPrefix(rest, "("):
		receiver, method, ok := strings.Cut(rest, ")")
		if !ok {
			return ""
		}
		fields := strings.FieldsFunc(receiver, func(r rune) bool { return !identifierRune(r) })
		kind := ""
		for i, f := range fields {
			if i == 1 || len(fields) == 1 {
				kind = f
			}
		}
		return kind + "." + identifier(strings.TrimSpace(method))
	case c.name == "rust" && keyword == "impl":
		if _, after, ok := strings.Cut(rest, " for "); ok {
			rest = after
		}
	case c.name == "sql":
		return oneLine(strings.TrimRight(rest, "(; "))
	case c.name == "terraform":
		return strings.Join(strings.Fields(strings.NewReplacer(`"`, "", "{", "").Replace(rest)), ".")
	case keyword == "enum" || keyword == "local" || keyword == "typedef":
		for _, second := range [...]string{"class ", "struct ", "function ", "enum ", "union "} {
			rest = strings.TrimPrefix(rest, second)
		}
	}
	return identifier(rest)
}

// identifier returns the name at the start of a text, after type parameters and
// signs.
func identifier(s string) string {
	if strings.HasPrefix(s, "<") {
		if i := strings.IndexByte(s, '>'); i >= 0 {
			s = strings.TrimLeft(s[i+1:], " ")
		}
	}
	s = strings.TrimLeft(s, `*&"'(:`)
	if end := strings.IndexFunc(s, func(r rune) bool { return !identifierRune(r) && r != '.' && r != ':' && r != '-' }); end >= 0 {
		s = s[:end]
	}
	return strings.TrimRight(strings.TrimRight(s, ":-"), ".")
}

func identifierRune(r rune) bool {
	return r == '_' || r == '$' || r == '!' || r == '?' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// callable recognises the head of a function that no keyword announces: a name,
// parameters, and a body that opens on the line or the next.
func (c *codeText) callable(code string) (symbol string, ok bool) {
	if !c.calls {
		return "", false
	}
	first, _ := cutWord(code)
	first, _, _ = strings.Cut(first, "(")
	open := strings.IndexByte(code, '(')
	if open <= 0 || strings.Contains(statements, " "+first+" ") || strings.ContainsAny(code[:open], "=.;") ||
		strings.ContainsAny(code, "\"'`") || strings.Contains(code, "=>") || // a call with a text or a function
		!unicode.IsLetter(rune(first[0])) && first[0] != '_' && first[0] != '~' && first[0] != '#' {
		return "", false
	}
	end := code[len(code)-1]
	words := strings.Fields(code[:open])
	if end == '{' || (end == ')' || end == ',' || end == '(') && len(words) > 1 {
		return strings.TrimLeft(words[len(words)-1], "*&~#"), true
	}
	return "", false
}

// importTarget returns what a line imports: what stands in quotes, or the
// dotted name after the keyword. Relative ones are resolved against the file.
func (c *codeText) importTarget(code string, inImports bool) string {
	word, rest := cutWord(code)
	switch {
	case inImports:
		rest = code
	case word == "import" || word == "#include" || word == "use" || word == "using" || word == "require" ||
		word == "require_relative" || word == "from" || word == "@import" || word == "@use":
	case strings.Contains(code, "require(") || word == "export" && strings.Contains(code, " from "):
	default:
		return ""
	}
	target := quoted(rest)
	switch {
	case target != "":
	case word == "use" || word == "import" || word == "using" || word == "from":
		if slices.Contains([]string{"javascript", "typescript", "css", "sql", "vue"}, c.name) {
			return ""
		}
		target = strings.TrimLeft(rest, "<")
		if end := strings.IndexAny(target, " ;,{(>="); end >= 0 {
			target = target[:end]
		}
		if strings.Trim(target, ".") != "" { // "from . import x"
			target = strings.TrimRight(target, ":.*")
		}
	case word == "#include" && strings.HasPrefix(rest, "<"):
		target, _, _ = strings.Cut(rest[1:], ">")
	}
	switch {
	case c.name == "python" && strings.HasPrefix(target, "."):
		name := strings.TrimLeft(target, ".")
		up := strings.Repeat("../", len(target)-len(name)-1)
		return resolve(c.id, "./"+up+strings.ReplaceAll(name, ".", "/"))
	case strings.HasPrefix(target, "./"), strings.HasPrefix(target, "../"), word == "require_relative" && target != "":
		return resolve(c.id, target)
	}
	return target
}

// quoted returns the last quoted text of a line, where the path of an import
// stands.
func quoted(s string) string {
	for _, q := range [...]byte{'"', '\'', '`'} {
		end := strings.LastIndexByte(s, q)
		if end <= 0 {
			continue
		}
		if start := strings.LastIndexByte(s[:end], q); start >= 0 {
			return s[start+1 : end]
		}
	}
	return ""
}
