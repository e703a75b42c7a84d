package harmony

import (
	"encoding/json"
	"strings"

	"github.com/winnow-search/winnow/policy/reply"
)

// arguments reads what a call was given as JSON, mended where it has to be.
// Replies end where the reserve does, so unlike other policies this one meets
// JSON without an end: it keeps the values that are whole.
func arguments(content string) (given string, mended, ok bool) {
	given, ok = reply.Arguments(content)
	if !ok {
		if given, ok = cutBack(content); !ok {
			return content, false, false
		}
	}
	return given, given != strings.TrimSpace(content), true
}

// deepest bounds how far brackets nest in what is cut back. No tool takes
// arguments that come near it.
const deepest = 64

// cutBack closes the brackets of JSON that was cut off. The value that was cut
// goes, and never stays as half of one: half an id may be another's.
func cutBack(text string) (whole string, ok bool) {
	text = text[max(0, strings.IndexAny(text, "{[")):]
	type mark struct {
		at   int
		open string
	}
	var open []byte // the brackets that would close what is open
	var marks [2]mark
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			open = append(open, c+2) // their partners stand two further in ASCII
			marks = [2]mark{{i + 1, string(open)}, marks[0]}
		case c == ',':
			marks = [2]mark{{i, string(open)}, marks[0]}
		case (c == '}' || c == ']') && len(open) > 0 && open[len(open)-1] == c:
			open = open[:len(open)-1]
		}
		if len(open) == 0 || len(open) > deepest {
			return "", false // it was not cut, or is not what it seems
		}
	}
	tries := marks[:]
	if !inString {
		tries = []mark{{len(text), string(open)}, marks[0], marks[1]}
	}
	for _, m := range tries {
		if whole, ok = reply.Arguments(closed(text[:m.at], m.open)); ok && json.Valid([]byte(whole)) && len(m.open) > 0 {
			return whole, true
		}
	}
	return "", false
}

func closed(text, open string) string {
	b := []byte(text)
	for i := len(open) - 1; i >= 0; i-- {
		b = append(b, open[i])
	}
	return string(b)
}
