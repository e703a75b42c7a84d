package harmony

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// style is how a profile writes JSON strings.
type style struct {
	// ascii writes what is not ASCII as \u escapes, as the harness did that the
	// published weights were trained in. It costs tokens in every language but
	// English, so only that profile does it.
	ascii bool
}

func styleOf(profile string) style { return style{ascii: profile == "context-1"} }

// escape writes text as the inside of a JSON string. It goes rune by rune, so
// the escapes of two texts joined are the escape of the joined text.
func (s style) escape(text string) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(text); {
		if !s.special(text[i]) {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !s.ascii && r >= utf8.RuneSelf && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		if from == 0 && b.Len() == 0 {
			b.Grow(len(text) + len(text)/16 + 16)
		}
		b.WriteString(text[from:i])
		s.write(&b, r)
		i += size
		from = i
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// write writes a rune that does not stand for itself.
func (s style) write(b *strings.Builder, r rune) {
	switch {
	case r == '"' || r == '\\':
		b.WriteByte('\\')
		b.WriteByte(byte(r))
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\b':
		b.WriteString(`\b`)
	case r == '\f':
		b.WriteString(`\f`)
	case r >= utf8.RuneSelf && !s.ascii:
		b.WriteRune(r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		r -= 0x10000
		fmt.Fprintf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
}

// special reports whether a byte may need another form. Bytes that are not UTF-8
// become U+FFFD, so every byte beyond ASCII is looked at.
func (s style) special(c byte) bool {
	return c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf || s.ascii && c == 0x7f
}
