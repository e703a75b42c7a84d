// Package harmony writes a view as the messages that gpt-oss models and the
// published Context-1 weights were trained on, and counts their tokens.
//
// Every budget in Winnow is counted on this rendering, whoever the policy is:
// one measure for all, exact for the models that speak it and close for the
// others. Rendering and counting are one walk over the same messages with two
// ends, so that they can't disagree. Special tokens enter as ids only; text,
// whatever it says, is text.
//
// Messages begin and end with special tokens, which no text merges with. So the
// counts of messages add up, and a view is counted by what is new in it.
package harmony

import (
	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/token"
)

// Batch is the tool that holds several calls in one. gpt-oss stops at its first
// call, so this is how it makes several in a turn.
const Batch = "multi_tool_use"

// Render returns the view as a prompt. It ends behind the last message: the
// model itself begins the next.
func Render(v *winnow.View) []token.ID {
	w := &ids{}
	prefix(w, v)
	style := styleOf(v.Profile)
	for i := range v.Turns {
		t := &v.Turns[i]
		action(w, &t.Action)
		results(w, t.Action.Calls, t.Results, func(i int) { w.text(style.escape(t.Results[i].Text())) })
	}
	if v.Note != "" {
		user(w, v.Note)
	}
	return w.out
}

// Count is len(Render(v)).
func Count(v *winnow.View) int {
	n := CountPrefix(v)
	for i := range v.Turns {
		t := &v.Turns[i]
		contents := make([]token.Tally, len(t.Results))
		for j := range t.Results {
			contents[j] = Measure(v.Profile, t.Results[j].Text())
		}
		n += CountAction(&t.Action) + CountResults(t.Action.Calls, t.Results, contents)
	}
	if v.Note != "" {
		n += CountUser(v.Note)
	}
	return n
}

// CountPrefix counts the messages before the first turn: system, tools, prompt.
func CountPrefix(v *winnow.View) int {
	w := &count{}
	prefix(w, v)
	return w.tokens
}

// CountUser counts a user message.
func CountUser(text string) int {
	w := &count{}
	user(w, text)
	return w.tokens
}

// CountAction counts an action's messages.
func CountAction(a *winnow.Action) int {
	w := &count{}
	action(w, a)
	return w.tokens
}

// Measure is the tally of text inside a result.
func Measure(profile, text string) token.Tally {
	return token.Measure(styleOf(profile).escape(text))
}

// CountResults counts a turn's result messages, given the measures of their
// contents: what the results themselves say is not read.
func CountResults(calls []winnow.Call, of []winnow.Result, contents []token.Tally) int {
	w := &count{}
	results(w, calls, of, func(i int) { w.open = w.open.Join(contents[i]) })
	return w.tokens
}

// writer is an end of the walk.
type writer interface {
	special(token.ID)
	text(string)
}

// ids collects tokens. Text between two special tokens is encoded as one.
type ids struct {
	out  []token.ID
	open []byte
}

func (w *ids) text(s string) { w.open = append(w.open, s...) }

func (w *ids) special(id token.ID) {
	w.out = append(token.Append(w.out, string(w.open)), id)
	w.open = w.open[:0]
}

// count counts them. All messages end with a special token, which closes what
// is open.
type count struct {
	tokens int
	open   token.Tally
}

func (w *count) text(s string) { w.open = w.open.Join(token.Measure(s)) }

func (w *count) special(token.ID) {
	w.tokens += w.open.Tokens() + 1
	w.open = token.Tally{}
}
