package reply

import (
	"fmt"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/token"
)

// Said is a model's reply to one request.
type Said struct {
	Action winnow.Action
	// Cut says that the reply ended at its limit.
	Cut bool
}

// AskedAgain warns that a first reply was of no use.
const AskedAgain = "the model's reply was neither a call nor an answer, and it was asked again"

// Settle asks a model until there are calls or an answer, which is twice at
// most: a model that has lost the form finds it again with a reminder or not at
// all. If it does not, the answer is what its replies mention.
//
// ask makes a request that ends with the reminder, if there is one, and whose
// reply may have room tokens. The reminder's own tokens are taken from that, so
// that the context is not overrun.
func Settle(v *winnow.View, ask func(reminder string, room int) (Said, error)) (winnow.Action, error) {
	first, err := ask("", v.Budget.Reserve)
	if err != nil || useful(&first.Action) {
		return first.Action, err
	}
	reminder := "Your last reply was neither a tool call nor an answer in the form asked for. Call a tool, or write the documents that support the answer in that form."
	if first.Cut {
		reminder = fmt.Sprintf("Your last reply was cut off at %d tokens before it came to a call or an answer. Think briefly, then call a tool or write the answer in the form asked for.", v.Budget.Reserve)
	}
	const markers = 8 // of a message
	again, err := ask(reminder, v.Budget.Reserve-token.Count(reminder)-markers)
	if err != nil {
		return winnow.Action{}, err
	}
	a := again.Action
	a.Usage = first.Action.Usage.Add(a.Usage)
	a.Warnings = append([]string{AskedAgain}, a.Warnings...)
	if useful(&a) {
		return a, nil
	}
	for _, words := range []string{a.Text, first.Action.Text, a.Reasoning, first.Action.Reasoning} {
		if a.Answer = Mentioned(words, v); a.Answer != nil {
			break
		}
	}
	return a, nil
}

func useful(a *winnow.Action) bool { return len(a.Calls) > 0 || a.Answer != nil }
