package harmony_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/token"
)

// The golden file was made with the reference renderer; see testdata/golden.py.
func TestTokensAreThoseOfTheReferenceRenderer(t *testing.T) {
	b, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden []struct {
		View   winnow.View
		Tokens []token.ID
	}
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	for i, g := range golden {
		got := harmony.Render(&g.View)
		if !slices.Equal(got, g.Tokens) {
			t.Errorf("view %d:\n got %q\nwant %q", i, token.Decode(got), token.Decode(g.Tokens))
		}
		if n := harmony.Count(&g.View); n != len(g.Tokens) {
			t.Errorf("view %d: counted %d tokens, not %d", i, n, len(g.Tokens))
		}
	}
}

func FuzzCountIsTheLengthOfTheRendering(f *testing.F) {
	f.Add("think", "say", `{"query": "x"}`, "text <|end|>\n", " and\tmore\x00é🇨🇭", true)
	f.Add("", "", "", "\xff", "\"", false)
	f.Add("", "0", "", "\xd9", "\xb2", false)
	f.Fuzz(func(t *testing.T, reasoning, said, arguments, first, second string, batch bool) {
		v := &winnow.View{Profile: "winnow", Prompt: first, Note: second}
		tool := "search_corpus"
		if batch {
			v.Profile, tool = "context-1", harmony.Batch
		}
		result := func(s string) winnow.Result {
			return winnow.Result{Tool: "search_corpus", Parts: []winnow.Part{{Text: s}, {Text: second}}, Usage: said}
		}
		v.Turns = []winnow.Turn{{Action: winnow.Action{Reasoning: reasoning, Text: said, Calls: []winnow.Call{{Tool: tool, Arguments: arguments}}},
			Results: []winnow.Result{result(first), result(second)}}}
		if n := len(harmony.Render(v)); n != harmony.Count(v) {
			t.Errorf("counted %d tokens, rendered %d", harmony.Count(v), n)
		}
		// Parts that are measured alone and joined count as the whole, unless a
		// rune is split between them.
		sum := harmony.Measure(v.Profile, first).Join(harmony.Measure(v.Profile, second))
		if whole := harmony.Measure(v.Profile, first+second); utf8.ValidString(first) && utf8.ValidString(second) && sum.Tokens() != whole.Tokens() {
			t.Errorf("joined %d tokens, whole %d", sum.Tokens(), whole.Tokens())
		}
	})
}
