package harmony

import (
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/token"
)

func TestParallelCallsGoThroughABatchInEveryProfile(t *testing.T) {
	v := winnowView()
	v.Budget = winnow.Budget{Tokens: 32768, Reserve: 2048}
	v.Turns = []winnow.Turn{
		{Action: winnow.Action{Reasoning: "Two angles.", Calls: append(call("search_corpus", `{"query": "x"}`), call("grep_corpus", `{"pattern": "y"}`)...)},
			Results: []winnow.Result{{Call: 0, Tool: "search_corpus", Parts: []winnow.Part{{Text: "found x"}}}, {Call: 1, Tool: "grep_corpus", Parts: []winnow.Part{{Text: "found y"}}}}},
		{Action: winnow.Action{Calls: call("search_corpus", `{"query": "z"}`)}, Results: []winnow.Result{{Tool: "search_corpus", Parts: []winnow.Part{{Text: "found z"}}}}},
	}
	prompt := token.Decode(render(v))
	for _, part := range []string{
		"type multi_tool_use = (_: {",
		`to=functions.multi_tool_use<|channel|>commentary <|constrain|>json<|message|>[{"tool_name": "search_corpus", "parameters": {"query": "x"}}, {"tool_name": "grep_corpus", "parameters": {"pattern": "y"}}]<|call|>`,
		`<|start|>functions.multi_tool_use to=assistant<|channel|>commentary<|message|>[{"type": "tool_result", "name": "search_corpus", "content": ["found x"]}, {"type": "tool_result", "name": "grep_corpus", "content": ["found y"]}]<|end|>`,
		`to=functions.search_corpus<|channel|>commentary <|constrain|>json<|message|>{"query": "z"}<|call|>`,
	} {
		if !strings.Contains(prompt, part) {
			t.Errorf("the prompt lacks %s:\n%s", part, prompt)
		}
	}
	if len(v.Tools) != len(winnowView().Tools) || v.Turns[0].Results[1].Call != 1 {
		t.Error("the view was changed")
	}
	v.Turns[0].Action.Calls[1].Arguments = "{"
	if prompt := token.Decode(render(v)); !strings.Contains(prompt, "to=functions.grep_corpus") {
		t.Error("arguments that are not JSON are in a batch")
	}
	v.Budget.Tokens = len(harmony.Render(v)) + v.Budget.Reserve/2
	if got := render(v); len(got) != harmony.Count(v) {
		t.Errorf("where there is no room the prompt has %d tokens and the view %d", len(got), harmony.Count(v))
	}
}
