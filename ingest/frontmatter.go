package ingest

import (
	"encoding/json"
	"strconv"
	"strings"
)

// frontMatter reads the YAML block at the start of a Markdown text and returns
// its fields, nested keys joined by dots, and the offset of the text after it.
//
// It reads the YAML that people write there: scalars, quoted or not, lists in
// both notations, nested maps, block scalars. Anchors, tags and maps inside
// lists stay text. A YAML library would read more, weigh more than the rest of
// the Markdown reader, and refuse the file for a stray colon in a title.
func frontMatter(text string) (fields map[string]any, end int) {
	block, end := frontMatterBlock(text)
	if end == 0 {
		return nil, 0
	}
	fields = map[string]any{}
	var keys yamlPath
	folding := -1 // indentation of the key whose block scalar is being read
	for line := range strings.Lines(block) {
		content := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		if folding >= 0 && (content == "" || indent > folding) {
			fields[keys.last()] = strings.TrimSpace(stringOf(fields[keys.last()]) + "\n" + content)
			continue
		}
		folding = -1
		if content == "" || content[0] == '#' {
			continue
		}
		if item, ok := listItem(content); ok {
			keys.leave(indent + 1) // items may stand below their key's first letter
			if key := keys.last(); key != "" {
				list, _ := fields[key].([]any)
				fields[key] = append(list, yamlScalar(item))
			}
			continue
		}
		key, value, ok := strings.Cut(content, ":")
		if !ok || value != "" && value[0] != ' ' && value[0] != '\t' {
			continue
		}
		keys.leave(indent)
		keys.enter(indent, strings.Trim(strings.TrimSpace(key), `"'`))
		switch value = strings.TrimSpace(value); {
		case value == "":
		case value[0] == '|' || value[0] == '>':
			folding = indent
		case value[0] == '[' && strings.HasSuffix(value, "]"):
			fields[keys.last()] = yamlList(value[1 : len(value)-1])
		default:
			fields[keys.last()] = yamlScalar(value)
		}
	}
	return fields, end
}

// maxFrontMatter bounds the search for the closing line.
const maxFrontMatter = 64 << 10

func frontMatterBlock(text string) (block string, end int) {
	start := nextLine(text, 0)
	if strings.TrimRight(text[:start], "\r\n") != "---" {
		return "", 0
	}
	for at := start; at < len(text) && at < maxFrontMatter; {
		next := nextLine(text, at)
		switch strings.TrimSpace(text[at:next]) {
		case "---", "...":
			return text[start:at], next
		}
		at = next
	}
	return "", 0
}

// yamlPath is the stack of keys above a line.
type yamlPath struct {
	indents []int
	keys    []string
}

func (p *yamlPath) leave(indent int) {
	n := len(p.indents)
	for n > 0 && p.indents[n-1] >= indent {
		n--
	}
	p.indents, p.keys = p.indents[:n], p.keys[:n]
}

func (p *yamlPath) enter(indent int, key string) {
	if parent := p.last(); parent != "" {
		key = parent + "." + key
	}
	p.indents, p.keys = append(p.indents, indent), append(p.keys, key)
}

func (p *yamlPath) last() string {
	if len(p.keys) == 0 {
		return ""
	}
	return p.keys[len(p.keys)-1]
}

func listItem(content string) (item string, ok bool) {
	if content == "-" {
		return "", true
	}
	item, ok = strings.CutPrefix(content, "- ")
	return strings.TrimSpace(item), ok
}

// yamlList reads the inside of a list in brackets; commas inside quotes do not
// separate.
func yamlList(inside string) []any {
	var list []any
	for len(inside) > 0 {
		end, quote := 0, byte(0)
		for end < len(inside) && (quote != 0 || inside[end] != ',') {
			switch c := inside[end]; {
			case quote == c:
				quote = 0
			case quote == 0 && (c == '"' || c == '\'') && strings.TrimSpace(inside[:end]) == "":
				quote = c
			}
			end++
		}
		if item := strings.TrimSpace(inside[:end]); item != "" {
			list = append(list, yamlScalar(item))
		}
		inside = inside[min(end+1, len(inside)):]
	}
	return list
}

// yamlScalar returns a string, bool, json.Number or nil.
func yamlScalar(s string) any {
	if s == "" {
		return nil
	}
	if q := s[0]; q == '"' || q == '\'' {
		if end := strings.LastIndexByte(s, q); end > 0 {
			s = s[1:end]
			if q == '\'' {
				return strings.ReplaceAll(s, "''", "'")
			}
			if unquoted, err := strconv.Unquote(`"` + s + `"`); err == nil {
				return unquoted
			}
			return s
		}
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	switch strings.ToLower(s) {
	case "true":
		return true
	case "false":
		return false
	case "null", "~":
		return nil
	}
	if json.Valid([]byte(s)) && s[0] != '{' && s[0] != '[' {
		return json.Number(s)
	}
	return s
}

// stringOf returns a value that is a string, else "".
func stringOf(v any) string {
	s, _ := v.(string)
	return s
}
