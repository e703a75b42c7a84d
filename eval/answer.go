package eval

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AnswerCase says by which rule a question's answer counts as found.
type AnswerCase string

const (
	// AnswerFlagged: the data set says which documents hold the answer.
	AnswerFlagged AnswerCase = "flagged"
	// AnswerStated: it does not, but the answer stands in some gold documents.
	AnswerStated AnswerCase = "stated"
	// AnswerDerived: yes, no, a comparison: it stands in no gold document, and
	// only all of them together give it.
	AnswerDerived AnswerCase = "derived"
)

// phrase is a normalised answer, ready to be looked for in a normalised text:
// whole words, with a space before and after.
type phrase string

// phrases are the wordings worth looking for. A yes or a no never is: the words
// stand in many texts that do not answer the question.
func phrases(answers []string) []phrase {
	var all []phrase
	for _, answer := range answers {
		switch p := normalise(answer); p {
		case " ", " yes ", " no ", " true ", " false ":
		default:
			all = append(all, phrase(p))
		}
	}
	return all
}

func (p phrase) in(normalised string) bool { return strings.Contains(normalised, string(p)) }

// normalise brings a text into the form in which answers are compared: lower
// case, every mark between words a single space, English articles dropped.
// Scripts in which words run on into others are cut into characters, so that an
// answer is found inside a longer run. Marks become spaces rather than
// nothing, because "Batman's" must hold "Batman".
func normalise(s string) string {
	var out strings.Builder
	out.Grow(len(s) + 2)
	out.WriteByte(' ')
	word := func(w string) {
		if w != "" && w != "a" && w != "an" && w != "the" {
			out.WriteString(w)
			out.WriteByte(' ')
		}
	}
	lower := strings.ToLower(s) // valid UTF-8, whatever s is
	start := 0
	for i, r := range lower {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			word(lower[start:i])
			start = i + utf8.RuneLen(r)
			word(lower[i:start])
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			word(lower[start:i])
			start = i + utf8.RuneLen(r)
		}
	}
	word(lower[start:])
	return out.String()
}

// settle decides a task's case from the gold documents that state its answer.
// Where no corpus was read, a task whose answer would have to be looked for has
// no case, and answer_found does not apply to it.
func (t *Task) settle(stated []string, read bool) {
	t.Case = ""
	switch {
	case len(t.Answers) == 0 && len(t.AnswerIDs) == 0, t.Unjudged, t.WithoutGold():
		return
	case len(t.AnswerIDs) > 0:
		t.Case = AnswerFlagged
	case len(stated) > 0:
		t.Case = AnswerStated
		slices.Sort(stated)
		t.AnswerIDs = stated
	case read || len(phrases(t.Answers)) == 0:
		t.Case = AnswerDerived
	}
}
