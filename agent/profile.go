package agent

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/winnow-search/winnow"
)

// Profile names.
const (
	// Context1 is exactly what the published weights expect: four tools, their
	// formats and their limits.
	Context1 = "context-1"
	// Winnow is for every other policy: short handles and more tools.
	Winnow = "winnow"
)

// profile is how a run speaks to its policy.
type profile struct {
	name    string
	prompt  string
	tools   []tool
	budget  winnow.Budget
	handles bool
	// readByQuestion ranks the chunks of a document that does not fit against the
	// question, instead of the query that first found the document.
	readByQuestion bool
}

//go:embed prompt/context-1.txt
var promptContext1 string

//go:embed prompt/winnow.txt
var promptWinnow string

func profileOf(name string) (*profile, error) {
	switch name {
	case Context1:
		return &profile{
			name: name, prompt: promptContext1, tools: toolsContext1,
			budget: winnow.Budget{Tokens: 32768, Soft: 16384, Hard: 24576, PerCall: 4096},
		}, nil
	case Winnow, "":
		return &profile{
			name: Winnow, prompt: promptWinnow, tools: toolsWinnow, handles: true, readByQuestion: true,
			budget: winnow.Budget{Tokens: 32768, Soft: 24576, Hard: 28672, PerCall: 4096},
		}, nil
	}
	return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("there is no profile %q", name), Hint: Winnow + " or " + Context1}
}

// complete fills what a budget leaves open from the profile's, in proportion to
// its size.
func (p *profile) complete(b winnow.Budget) winnow.Budget {
	or := func(x, y int) int {
		if x > 0 {
			return x
		}
		return y
	}
	of := p.budget
	b.Tokens = or(b.Tokens, of.Tokens)
	scale := func(x int) int { return int(int64(x) * int64(b.Tokens) / int64(of.Tokens)) }
	b.Soft = or(b.Soft, scale(of.Soft))
	b.Hard = or(b.Hard, scale(of.Hard))
	b.PerCall = or(b.PerCall, of.PerCall)
	b.Reserve = or(b.Reserve, min(4096, b.Tokens/8))
	return b
}

// note is said each turn in which the view is past the soft threshold. It is the
// same every time, so that its size is known.
const note = "The context is past its soft limit. Before you search or read more, prune the chunks that help least for their size, or conclude with the documents you have."

// instruct puts the question into a prompt; one without a place for it gets it
// at its end.
func instruct(prompt, question string) string {
	const place = "{question}"
	question = neutral(question)
	if strings.Contains(prompt, place) {
		return strings.ReplaceAll(prompt, place, question)
	}
	return strings.TrimRight(prompt, "\n") + "\n\n<query>\n" + question + "\n</query>\n"
}

// usage is the line at the end of the prompt and of each observation.
func usage(used int, b *winnow.Budget) string {
	limit := b.Limit
	if limit == 0 {
		limit = b.Tokens
	}
	return "\n\n[Token usage: " + grouped(used) + "/" + grouped(limit) + "]"
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
