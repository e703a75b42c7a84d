package ingest

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// sniffed is how much of a file is looked at to tell text from binary.
const sniffed = 8 << 10

// isBinary reports whether data is not text in any encoding we read: it holds
// zero bytes, or more control characters than a text could.
func isBinary(data []byte) bool {
	data = data[:min(len(data), sniffed)]
	if bytes.HasPrefix(data, []byte{0xFF, 0xFE}) || bytes.HasPrefix(data, []byte{0xFE, 0xFF}) {
		return false // UTF-16
	}
	controls := 0
	for _, b := range data {
		switch {
		case b == 0:
			return true
		case b < ' ' && (b < '\b' || b > '\r') && b != 0x1B:
			controls++
		}
	}
	return controls > len(data)/20
}

// decode returns data as UTF-8 without byte order mark. What is no valid
// UTF-8 is taken for Windows-1252, the superset of Latin-1 in which such files
// mostly are, unless it holds more well-formed sequences than bad bytes: then it
// is damaged UTF-8, and the bad bytes become U+FFFD.
func decode(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		data = data[3:]
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}), bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return decodeWith(unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), data)
	}
	if utf8.Valid(data) {
		return string(data)
	}
	wide, bad := 0, 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			bad++
		case size > 1:
			wide++
		}
		i += size
	}
	if wide > bad {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return decodeWith(charmap.Windows1252, data)
}

// decodeLabelled decodes data in the charset that a mail or page names; an
// unknown or wrong one is guessed.
func decodeLabelled(data []byte, label string) string {
	if e, name := charset.Lookup(label); e != nil && name != "utf-8" {
		return decodeWith(e, data)
	}
	return decode(data)
}

// decodeWith never fails: decoders replace what they can't map.
func decodeWith(e encoding.Encoding, data []byte) string {
	text, err := e.NewDecoder().Bytes(data)
	if err != nil {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
