package query_test

import (
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/query"
)

func TestItSearchesOnceAndTakesTheHitsInTheirOrder(t *testing.T) {
	question := strings.Repeat("é", 5000)
	a, err := query.Policy{}.Next(t.Context(), &winnow.View{Question: question, Turn: 1})
	if err != nil || len(a.Calls) != 1 || a.Calls[0].Tool != "search_corpus" || len(a.Calls[0].Arguments) > 8<<10 || strings.Contains(a.Calls[0].Arguments, "\ufffd") {
		t.Fatalf("got %+v, %v", a, err)
	}
	chunk := func(id string) winnow.Part {
		return winnow.Part{Chunk: &winnow.Hit{Chunk: winnow.Chunk{ID: id}}}
	}
	a, err = query.Policy{}.Next(t.Context(), &winnow.View{Turn: 2, Turns: []winnow.Turn{{Results: []winnow.Result{{Parts: []winnow.Part{chunk("b"), chunk("a")}}}}}})
	if err != nil || len(a.Calls) != 0 || len(a.Answer.Selected) != 2 || a.Answer.Selected[0].ID != "b" || len(a.Warnings) != 1 {
		t.Errorf("got %+v, %v", a, err)
	}
}
