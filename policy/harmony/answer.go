package harmony

import (
	"fmt"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/reply"
)

// maxDocuments is how many documents the format lets an answer name.
const maxDocuments = 30

// answerOf reads a final message. Where it names chunks in words of its own they
// are taken and flagged; where it names none, nothing is selected.
func answerOf(text string, v *winnow.View) *winnow.Answer {
	if a := documents(text, v); a != nil {
		return a
	}
	return &winnow.Answer{Selected: []winnow.Choice{}, Flags: []string{"the answer names no documents"}}
}

// reasoned makes an answer of what was thought, for a model that stopped without
// one; nil where it thought of no chunk.
func reasoned(reasoning string, v *winnow.View) *winnow.Answer {
	a := documents(reasoning, v)
	if a == nil || len(a.Selected) == 0 {
		return nil
	}
	a.Flags = append(a.Flags, "the answer was taken from the reasoning")
	return a
}

// documents are those that a text names, each once; nil where it names none.
func documents(text string, v *winnow.View) *winnow.Answer {
	a := reply.Answer(text)
	if a == nil {
		a = reply.Mentioned(text, v)
	}
	if a == nil {
		return nil
	}
	seen := map[string]bool{}
	once := a.Selected[:0]
	for _, c := range a.Selected {
		if !seen[c.ID] {
			seen[c.ID] = true
			once = append(once, c)
		}
	}
	if a.Selected = once; len(once) > maxDocuments {
		a.Selected = once[:maxDocuments]
		a.Flags = append(a.Flags, fmt.Sprintf("the answer named %d documents, and the first %d count", len(once), maxDocuments))
	}
	return a
}
