package pdf

import (
	"bytes"
	"strconv"
)

// An object is nil, bool, int, float64, name, text, array, dict, *stream, ref,
// or, in content, an operator.
type object any

type (
	name     string
	text     string // a string object: bytes, not yet characters
	array    []object
	dict     map[name]object
	ref      struct{ number, generation int }
	operator string
	stream   struct {
		dict dict
		raw  []byte
		// unpacked is the content of an object stream, which is read once for
		// each of its objects.
		unpacked []byte
	}
)

// maxDepth bounds nesting: of arrays and dictionaries, the page tree, forms.
const maxDepth = 64

// lexer reads objects from bytes (7.2, 7.3).
type lexer struct {
	data []byte
	at   int
	fuel *int
}

// end is the operator at the end of input.
const end = operator("")

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func (l *lexer) space() {
	for l.at < len(l.data) {
		switch c := l.data[l.at]; {
		case isSpace(c):
			l.at++
		case c == '%':
			for l.at < len(l.data) && l.data[l.at] != '\n' && l.data[l.at] != '\r' {
				l.at++
			}
		default:
			return
		}
	}
}

// object reads the next object, end at the end. References are recognised where
// refs says so; content has none.
func (l *lexer) object(refs bool) object { return l.nested(refs, 0) }

func (l *lexer) nested(refs bool, depth int) object {
	l.space()
	*l.fuel--
	if l.at >= len(l.data) || *l.fuel <= 0 {
		l.at = len(l.data)
		return end
	}
	switch c := l.data[l.at]; c {
	case '/':
		l.at++
		return l.name()
	case '(':
		l.at++
		return l.literal()
	case '[':
		l.at++
		return l.array(refs, depth)
	case '<':
		if bytes.HasPrefix(l.data[l.at:], []byte("<<")) {
			l.at += 2
			return l.dict(refs, depth)
		}
		l.at++
		return l.hex()
	case '>':
		l.at++
		if l.at < len(l.data) && l.data[l.at] == '>' {
			l.at++
			return operator(">>")
		}
		return operator(">")
	case ']', '{', '}', ')':
		l.at++
		return operator(string(c))
	}
	return l.word(refs)
}

// word reads a number, a reference or a keyword.
func (l *lexer) word(refs bool) object {
	start := l.at
	for l.at < len(l.data) && !isSpace(l.data[l.at]) && !isDelimiter(l.data[l.at]) {
		l.at++
	}
	word := l.data[start:l.at]
	switch c := word[0]; {
	case c >= '0' && c <= '9', c == '-', c == '+', c == '.':
		n, isInt := number(word)
		if i, ok := n.(int); refs && isInt && ok && i >= 0 {
			if generation, ok := l.reference(); ok {
				return ref{i, generation}
			}
		}
		return n
	case string(word) == "true":
		return true
	case string(word) == "false":
		return false
	case string(word) == "null":
		return nil
	}
	return operator(word)
}

// reference reads the rest of "12 0 R" after the first number, or nothing.
func (l *lexer) reference() (generation int, ok bool) {
	at := l.at
	for at < len(l.data) && isSpace(l.data[at]) {
		at++
	}
	start := at
	for at < len(l.data) && at < start+5 && l.data[at] >= '0' && l.data[at] <= '9' {
		generation = generation*10 + int(l.data[at]-'0')
		at++
	}
	digits := at
	for at < len(l.data) && isSpace(l.data[at]) {
		at++
	}
	if start == digits || at == digits || at >= len(l.data) || l.data[at] != 'R' ||
		at+1 < len(l.data) && !isSpace(l.data[at+1]) && !isDelimiter(l.data[at+1]) {
		return 0, false
	}
	l.at = at + 1
	return generation, true
}

// number reads what looks like a number, as other readers do, to any end.
func number(word []byte) (n object, isInt bool) {
	if i, err := strconv.Atoi(string(word)); err == nil {
		return i, true
	}
	if f, err := strconv.ParseFloat(string(word), 64); err == nil && f-f == 0 {
		return f, false
	}
	if i := bytes.LastIndexByte(word, '-'); i > 0 { // "--5", "12-3"
		return number(word[:i])
	}
	return 0, false
}

func (l *lexer) name() name {
	start := l.at
	for l.at < len(l.data) && !isSpace(l.data[l.at]) && !isDelimiter(l.data[l.at]) {
		l.at++
	}
	raw := l.data[start:l.at]
	if bytes.IndexByte(raw, '#') < 0 {
		return name(raw)
	}
	var out []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			if v, err := strconv.ParseUint(string(raw[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(v))
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return name(out)
}

// literal reads a string in round brackets (7.3.4.2).
func (l *lexer) literal() text {
	var out []byte
	depth := 1
	for l.at < len(l.data) {
		c := l.data[l.at]
		l.at++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text(out)
			}
		case '\\':
			out = l.escape(out)
			continue
		}
		out = append(out, c)
	}
	return text(out)
}

func (l *lexer) escape(out []byte) []byte {
	if l.at >= len(l.data) {
		return out
	}
	c := l.data[l.at]
	l.at++
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\r':
		if l.at < len(l.data) && l.data[l.at] == '\n' {
			l.at++
		}
		return out
	case '\n':
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	v := int(c - '0')
	for i := 0; i < 2 && l.at < len(l.data) && l.data[l.at] >= '0' && l.data[l.at] <= '7'; i++ {
		v = v*8 + int(l.data[l.at]-'0')
		l.at++
	}
	return append(out, byte(v))
}

// hex reads a string in angle brackets.
func (l *lexer) hex() text {
	var out []byte
	half, high := false, byte(0)
	for l.at < len(l.data) {
		c := l.data[l.at]
		l.at++
		if c == '>' {
			break
		}
		v, ok := hexDigit(c)
		if !ok {
			continue
		}
		if half = !half; half {
			high = v << 4
		} else {
			out = append(out, high|v)
		}
	}
	if half {
		out = append(out, high)
	}
	return text(out)
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func (l *lexer) array(refs bool, depth int) object {
	out := array{}
	if depth > maxDepth {
		l.at = len(l.data)
		return out
	}
	for {
		o := l.nested(refs, depth+1)
		if op, ok := o.(operator); ok {
			if op == "]" || op == end {
				return out
			}
			continue
		}
		out = append(out, o)
	}
}

func (l *lexer) dict(refs bool, depth int) object {
	out := dict{}
	if depth > maxDepth {
		l.at = len(l.data)
		return out
	}
	for {
		switch key := l.nested(refs, depth+1).(type) {
		case name:
			value := l.nested(refs, depth+1)
			if op, ok := value.(operator); ok {
				if op == ">>" || op == end {
					return out
				}
				continue
			}
			out[key] = value
		case operator:
			if key == ">>" || key == end || key == "endobj" || key == "stream" {
				return out
			}
		}
	}
}
