// Package query is the policy that searches once and takes what it gets. It is
// what an agent has to be better than.
package query

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/winnow-search/winnow"
)

// Policy searches for the question and concludes with the hits, in their order.
type Policy struct{}

var _ winnow.Policy = Policy{}

func (Policy) Name() string { return "query" }

// Next searches in the first turn and concludes in the second.
func (Policy) Next(_ context.Context, v *winnow.View) (winnow.Action, error) {
	if v.Turn == 1 {
		arguments, err := json.Marshal(map[string]string{"query": short(v.Question)})
		if err != nil {
			return winnow.Action{}, err
		}
		return winnow.Action{Calls: []winnow.Call{{Tool: "search_corpus", Arguments: string(arguments)}}}, nil
	}
	answer := &winnow.Answer{Selected: []winnow.Choice{}}
	v.Chunks(func(p *winnow.Part) {
		answer.Selected = append(answer.Selected, winnow.Choice{ID: p.Name()})
	})
	return winnow.Action{Answer: answer, Warnings: []string{"this is one search, ranked as it came: no agent has read the documents"}}, nil
}

// short keeps a question within what a search takes as its query.
func short(question string) string {
	const bytes = 4 << 10
	if len(question) <= bytes {
		return question
	}
	return strings.ToValidUTF8(question[:bytes], "")
}
