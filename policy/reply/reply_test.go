package reply

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestThoughtsAreToldFromWords(t *testing.T) {
	for _, c := range []struct{ text, thought, said string }{
		{"plain", "", "plain"},
		{"<think>a</think>b", "a", "b"},
		{"\n<think>\na\n</think>\n\nb", "a", "b"},
		{"a\n</think>\n\nb", "a", "b"}, // the template opened it
		{"<think>never closed", "never closed", ""},
		{"it says <think> here", "", "it says <think> here"},
		{"I quote <think>x</think>", "", "I quote <think>x</think>"},
	} {
		if thought, said := Think(c.text); thought != c.thought || said != c.said {
			t.Errorf("Think(%q) = %q, %q", c.text, thought, said)
		}
	}
}

func TestAnswersAreReadInTheFormsThatModelsUse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []winnow.Choice // nil: no answer
	}{
		{"as asked", `<Document id=c7><Justification>it says so</Justification></Document>
<Document id=c2><Justification>and this
too</Justification></Document>`, []winnow.Choice{{ID: "c7", Justification: "it says so"}, {ID: "c2", Justification: "and this\ntoo"}}},
		{"quoted ids", `<Document id="a b.md_3"></Document><document ID='x>y'/>`, []winnow.Choice{{ID: "a b.md_3"}, {ID: "x>y"}}},
		{"bare with spaces", `<Document id=notes/my file.md></Document>`, []winnow.Choice{{ID: "notes/my file.md"}}},
		{"closed at once", `<Document id=c7/>`, []winnow.Choice{{ID: "c7"}}},
		{"cut off", `<Document id=c1><Justification>a</Justification></Document><Document id=c2><Justification>b and`, []winnow.Choice{{ID: "c1", Justification: "a"}, {ID: "c2", Justification: "b and"}}},
		{"words around", "Here they are:\n<Document id=c1></Document>\nThat is all.", []winnow.Choice{{ID: "c1"}}},
		{"none", "<None/>", []winnow.Choice{}},
		{"JSON", `{"documents": [{"id": "c1", "justification": "x"}, {"doc_id": "d"}]}`, []winnow.Choice{{ID: "c1", Justification: "x"}, {ID: "d"}}},
		{"fenced JSON", "Sure:\n```json\n[\"c1\", \"c2\"]\n```", []winnow.Choice{{ID: "c1"}, {ID: "c2"}}},
		{"JSON behind words", `The answer [1] is {"selected": []}`, []winnow.Choice{}},
		{"words", "I looked at [c1] and think so.", nil},
		{"a list of numbers", "[1, 2]", nil},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := Answer(c.text)
			if c.want == nil {
				if a != nil {
					t.Errorf("got %+v, want no answer", a)
				}
				return
			}
			if a == nil || !reflect.DeepEqual(a.Selected, c.want) {
				t.Errorf("got %+v, want %+v", a, c.want)
			}
		})
	}
	if a := Answer(`{"ranking": ["x"], "confidence": 0.5}`); a == nil || a.Confidence == nil || *a.Confidence != 0.5 {
		t.Errorf("the confidence is lost: %+v", a)
	}
}

func TestMentionedFindsWhatIsInViewInItsOrder(t *testing.T) {
	part := func(handle, document, id string) winnow.Part {
		return winnow.Part{Handle: handle, Chunk: &winnow.Hit{Chunk: winnow.Chunk{ID: id, Document: document}}}
	}
	v := &winnow.View{Turns: []winnow.Turn{{Results: []winnow.Result{{Parts: []winnow.Part{
		part("c1", "a.md", "a.md_0"), part("c2", "b.md", "b.md_0"), part("c12", "b.md", "b.md_1"), part("c3", "z", "z_0")}}}}}}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"first [c2], then c1", []string{"c2", "c1"}},
		{"only c12 here", []string{"c12"}},
		{"b.md_1 and a.md", []string{"b.md_1", "a.md"}},
		{"c99 and abc1 and z alone", nil},
		{"", nil},
	} {
		a := Mentioned(c.text, v)
		var got []string
		if a != nil {
			for _, s := range a.Selected {
				got = append(got, s.ID)
			}
			if !reflect.DeepEqual(a.Flags, []string{FromText}) {
				t.Error("an answer out of running text is not flagged")
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestBrokenArgumentsAreMended(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"well formed", `{"query": "a"}`, `{"query": "a"}`},
		{"none", "  ", `{}`},
		{"trailing garbage", `{"query": "a"}<|call|>commentary`, `{"query": "a"}`},
		{"twice", `{"query": "a"}{"query": "b"}`, `{"query": "a"}`},
		{"words before", `Sure! {"query": "a"}`, `{"query": "a"}`},
		{"encoded twice", `"{\"query\": \"a\"}"`, `{"query": "a"}`},
		{"fenced", "```json\n{\"query\": \"a\"}\n```", `{"query": "a"}`},
		{"line breaks", "{\"query\": \"a\nb\tc\"}", `{"query": "a\nb\tc"}`},
		{"a regular expression", `{"pattern": "\d+\.\w"}`, `{"pattern": "\\d+\\.\\w"}`},
		{"single quotes", `{'query': 'it\'s "so"'}`, `{"query": "it's \"so\""}`},
		{"an apostrophe in single quotes", `{'query': 'John's car'}`, `{"query": "John's car"}`},
		{"quotes inside", `{"query": "the "big" one"}`, `{"query": "the \"big\" one"}`},
		{"Python", `{'where': {'a': True, 'b': None}}`, `{"where": {"a": true, "b": null}}`},
		{"bare keys", `{query: "a", n: 3}`, `{"query": "a", "n": 3}`},
		{"a comma too much", `{"chunk_ids": ["a", "b",],}`, `{"chunk_ids": ["a", "b"]}`},
		{"a list", `[{"tool_name": "x", "parameters": {}}] `, `[{"tool_name": "x", "parameters": {}}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := Arguments(c.raw); !ok || got != c.want {
				t.Errorf("got %q, %v; want %q", got, ok, c.want)
			}
		})
	}
}

func TestHopelessArgumentsAreLeftAsTheyAre(t *testing.T) {
	for _, raw := range []string{`{"query": "cut o`, `{"query": `, `not JSON`, `{"a" "b"}`, `{]`, `3`, `{"query": "a"`} {
		if got, ok := Arguments(raw); ok || got != raw {
			t.Errorf("Arguments(%q) = %q, %v", raw, got, ok)
		}
	}
}

func TestCallsThatWereLeftInTheWordsAreFound(t *testing.T) {
	tools := []winnow.Tool{{Name: "search_corpus"}}
	calls, said := Calls("Let me look.\n<tool_call>\n{\"name\": \"search_corpus\", \"arguments\": {\"query\": \"a\"}}\n</tool_call><tool_call>{'name': 'search_corpus', 'arguments': {'query': 'b'}}", tools)
	want := []winnow.Call{{Tool: "search_corpus", Arguments: `{"query": "a"}`}, {Tool: "search_corpus", Arguments: `{"query": "b"}`}}
	if !reflect.DeepEqual(calls, want) || said != "Let me look." {
		t.Errorf("got %+v and %q", calls, said)
	}
	const other = `<tool_call>{"name": "rm", "arguments": {}}</tool_call>`
	if calls, said := Calls(other, tools); calls != nil || said != other {
		t.Errorf("a tool that is not declared was called: %+v", calls)
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"a": 1}`, `{'a': 'b's'}`, "```\n{a:[1,]}```", `{"p": "\d\u12"}`, `"\"{}\""`, "{\"a\x00\": \xff}", `{"a": "b" "c"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, ok := Arguments(raw)
		switch {
		case !ok && got != raw:
			t.Errorf("%q was given up and yet changed to %q", raw, got)
		case ok && !isJSON(got):
			t.Errorf("%q became %q, which is not JSON", raw, got)
		case ok && isJSON(strings.TrimSpace(raw)) && got != strings.TrimSpace(raw):
			t.Errorf("%q was well formed and became %q", raw, got)
		}
		if again, _ := Arguments(got); ok && again != got {
			t.Errorf("mending twice: %q, then %q", got, again)
		}
	})
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{`<Document id=a><Justification>b`, `[{"id": "x"}]`, "<None/>", "<Document id='>", "{{{{[[[["} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if a := Answer(text); a != nil {
			if a.Selected == nil {
				t.Error("an answer without documents is an empty list")
			}
			for _, c := range a.Selected {
				if c.ID == "" {
					t.Error("a document without id")
				}
			}
			if _, err := json.Marshal(a); err != nil {
				t.Error(err)
			}
		}
		_, said := Think(text)
		Calls(said, []winnow.Tool{{Name: "a"}})
	})
}
