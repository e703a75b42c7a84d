package reply

import (
	"encoding/json"
	"strings"
)

// mender copies a JSON value and corrects on the way what models get wrong:
// single quotes, line breaks and unknown escapes in strings, quotes that are not
// escaped, bare keys, Python's constants, commas before a closing bracket. It
// stops where the brackets are balanced, so what follows is left out.
type mender struct {
	in  string
	at  int
	out strings.Builder
}

// value copies the first bracket and everything up to its partner.
func (m *mender) value() bool {
	var open []byte
	for m.at < len(m.in) {
		c := m.in[m.at]
		switch c {
		case '{', '[':
			open = append(open, c+2) // their partners stand two further in ASCII
			m.put(1)
		case '}', ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return false
			}
			open = open[:len(open)-1]
			m.put(1)
			if len(open) == 0 {
				return true
			}
		case '"', '\'':
			if !m.text(c) {
				return false
			}
		case ',':
			m.at++
			if next := m.next(m.at); next != '}' && next != ']' {
				m.out.WriteByte(',')
			}
		case ':', ' ', '\t', '\r', '\n':
			m.put(1)
		default:
			m.word()
		}
	}
	return false
}

func (m *mender) put(n int) {
	m.out.WriteString(m.in[m.at : m.at+n])
	m.at += n
}

// next is the first byte from at on that is not white space, 0 at the end.
func (m *mender) next(at int) byte {
	for ; at < len(m.in); at++ {
		switch m.in[at] {
		case ' ', '\t', '\r', '\n':
		default:
			return m.in[at]
		}
	}
	return 0
}

// text copies a string. A quote ends it if something follows that may stand
// behind a string.
func (m *mender) text(quote byte) bool {
	m.at++
	m.out.WriteByte('"')
	for m.at < len(m.in) {
		c := m.in[m.at]
		switch {
		case c == quote && strings.IndexByte(",:}]", m.next(m.at+1)) >= 0:
			m.at++
			m.out.WriteByte('"')
			return true
		case c == '"':
			m.out.WriteString(`\"`)
			m.at++
		case c == '\\' && m.at+1 < len(m.in):
			m.escape()
		case c < ' ':
			b, _ := json.Marshal(string(c)) // a control character always marshals
			m.out.Write(b[1 : len(b)-1])
			m.at++
		default:
			m.put(1)
		}
	}
	return false
}

// escape copies a backslash with what follows. One that escapes nothing is meant
// as itself, as in a regular expression.
func (m *mender) escape() {
	switch c := m.in[m.at+1]; {
	case strings.IndexByte(`"\/bfnrt`, c) >= 0:
		m.put(2)
	case c == 'u' && m.at+6 <= len(m.in) && isHex(m.in[m.at+2:m.at+6]):
		m.put(6)
	case c == '\'':
		m.out.WriteByte('\'')
		m.at += 2
	default:
		m.out.WriteString(`\\`)
		m.at++
	}
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

// word copies a number, a constant or a bare key.
func (m *mender) word() {
	end := strings.IndexAny(m.in[m.at:], "{}[],:\"' \t\r\n")
	if end < 0 {
		end = len(m.in) - m.at
	}
	word := m.in[m.at : m.at+end]
	m.at += end
	switch word {
	case "True", "False":
		word = strings.ToLower(word)
	case "None", "undefined":
		word = "null"
	}
	if !json.Valid([]byte(word)) && m.next(m.at) == ':' {
		b, _ := json.Marshal(word) // a string always marshals
		word = string(b)
	}
	m.out.WriteString(word)
}
