package ingest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// DefaultMaxText is how many bytes of text one document may hold unless
// [Options] say otherwise.
const DefaultMaxText = 16 << 20

// source is a file's content on its way to a reader.
type source struct {
	id       string // the file's document id
	data     []byte // of a stream of documents only the beginning
	maxText  int
	warnings []string
}

func newSource(id string, data []byte, maxText int) *source {
	return &source{id: id, data: data, maxText: maxText}
}

// warn notes something that was left out.
func (s *source) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// text decodes the content and cuts what is over the limit.
func (s *source) text() string {
	data, over := s.data, len(s.data) > s.maxText
	if over {
		data = data[:s.maxText]
		for i := 1; i < utf8.UTFMax && i < len(data); i++ {
			if r := data[len(data)-i:]; utf8.RuneStart(r[0]) {
				if !utf8.FullRune(r) {
					data = data[:len(data)-i]
				}
				break
			}
		}
	}
	return s.limit(decode(data), over)
}

// limit cuts a text that is too long, or was cut short already, at the end of
// a line if there is one near.
func (s *source) limit(text string, over bool) string {
	if len(text) <= s.maxText && !over {
		return text
	}
	end := runeStart(text, min(len(text), s.maxText))
	if i := strings.LastIndexByte(text[:end], '\n'); i > end/2 {
		end = i + 1
	}
	s.warn("only the first %s of text are indexed", byteSize(end))
	return text[:end]
}

// skip is why a file is left out on purpose; as an error it ends a reader
// without being a failure.
type skip string

func (s skip) Error() string { return string(s) }

// byteSize prints a size for people.
func byteSize(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.3g KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.3g MiB", float64(n)/(1<<20))
}
