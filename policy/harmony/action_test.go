package harmony

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/token"
)

// context1 is a view with the tools of the published weights, in which two
// chunks were shown.
func context1() *winnow.View {
	tool := func(name, parameter string, t winnow.ParameterType) winnow.Tool {
		return winnow.Tool{Name: name, Parameters: []winnow.Parameter{{Name: parameter, Type: t}}}
	}
	chunk := func(id string) winnow.Part {
		return winnow.Part{Text: id, Chunk: &winnow.Hit{Chunk: winnow.Chunk{ID: id}}}
	}
	return &winnow.View{
		Profile: "context-1", Prompt: "Find it.", Turn: 2, Budget: winnow.Budget{Tokens: 32768, Reserve: 4096}, Seed: 7,
		Tools: []winnow.Tool{
			tool("search_corpus", "query", winnow.TypeString), tool("grep_corpus", "pattern", winnow.TypeString), tool("read_document", "doc_id", winnow.TypeString),
			tool(harmony.Batch, "tool_calls", winnow.TypeCalls), tool("prune_chunks", "chunk_ids", winnow.TypeStrings),
		},
		Turns: []winnow.Turn{{
			Action:  winnow.Action{Calls: []winnow.Call{{Tool: "search_corpus", Arguments: `{"query": "x"}`}}},
			Results: []winnow.Result{{Tool: "search_corpus", Parts: []winnow.Part{chunk("film_1"), chunk("film_12")}}},
		}},
	}
}

// winnowView has handles and no tool for batches.
func winnowView() *winnow.View {
	v := context1()
	v.Profile = "winnow"
	v.Tools = slices.DeleteFunc(v.Tools, func(t winnow.Tool) bool { return t.Name == harmony.Batch })
	for i := range v.Turns[0].Results[0].Parts {
		v.Turns[0].Results[0].Parts[i].Handle = []string{"c1", "c12"}[i]
	}
	return v
}

func call(tool, arguments string) []winnow.Call {
	return []winnow.Call{{Tool: tool, Arguments: arguments}}
}

func TestCallsAreHeardHoweverTheyAreWritten(t *testing.T) {
	search := call("search_corpus", `{"query": "x"}`)
	both := `[{"tool_name": "search_corpus", "parameters": {"query": "x"}}, {"tool_name": "grep_corpus", "parameters": {"pattern": "y"}}]`
	batched := call(harmony.Batch, both)
	for name, c := range map[string]struct {
		reply string
		want  []winnow.Call
	}{
		"recipient in the role":          {`<|start|>assistant to=functions.search_corpus<|channel|>commentary <|constrain|>json<|message|>{"query": "x"}<|call|>`, search},
		"recipient in the channel":       {`<|start|>assistant<|channel|>commentary to=functions.search_corpus <|constrain|>json<|message|>{"query": "x"}<|call|>`, search},
		"on the analysis channel":        {`<|start|>assistant<|channel|>analysis to=functions.search_corpus code<|message|>{"query": "x"}<|call|>`, search},
		"no start":                       {`<|channel|>commentary to=functions.search_corpus<|message|>{"query": "x"}<|call|>`, search},
		"no channel":                     {`<|start|>assistant to=functions.search_corpus<|message|>{"query": "x"}<|call|>`, search},
		"no namespace":                   {`<|start|>assistant to=search_corpus<|channel|>commentary<|message|>{"query": "x"}<|call|>`, search},
		"glued recipient":                {`<|start|>assistant<|channel|>commentaryto=functions.search_corpus<|message|>{"query": "x"}<|call|>`, search},
		"constrain in the name":          {`<|start|>assistant to=functions.search_corpus<|constrain|>json<|channel|>commentary<|message|>{"query": "x"}<|call|>`, search},
		"two channels":                   {`<|start|>assistant<|channel|>commentary<|channel|>commentary to=functions.search_corpus<|message|>{"query": "x"}<|call|>`, search},
		"stray characters":               {`<|start|>assistant to=functions.search_corpus<|channel|>––commentary?<|message|>{"query": "x"}<|call|>`, search},
		"no message marker":              {`<|start|>assistant<|channel|>commentary to=functions.search_corpus <|constrain|>json{"query": "x"}<|call|>`, search},
		"no marker but start":            {`<|start|>assistant to=functions.search_corpus json{"query": "x"}<|call|>`, search},
		"the stop token left out":        {`<|start|>assistant<|channel|>commentary to=functions.search_corpus<|message|>{"query": "x"}`, search},
		"analysis that is not ended":     {`<|channel|>analysis<|message|>Hm.<|start|>assistant to=functions.search_corpus<|channel|>commentary<|message|>{"query": "x"}<|call|>`, search},
		"a channel right after the last": {`<|channel|>analysis<|message|>Hm.<|channel|>commentary to=functions.search_corpus<|message|>{"query": "x"}<|call|>`, search},
		"no recipient":                   {`<|start|>assistant<|channel|>commentary<|message|>{"query": "x"}<|call|>`, search},
		"named inside":                   {`<|start|>assistant<|channel|>commentary<|message|>{"name": "functions.search_corpus", "arguments": {"query": "x"}}<|call|>`, search},
		"arguments as a string":          {`<|start|>assistant to=functions.search_corpus<|channel|>commentary<|message|>"{\"query\": \"x\"}"<|call|>`, search},
		"another spelling":               {`<|start|>assistant to=functions.SearchCorpus<|channel|>commentary<|message|>{"query": "x"}<|call|>`, search},
		"a dot lost":                     {`<|start|>assistant to=functionssearch-corpus<|channel|>commentary<|message|>{"query": "x"}<|call|>`, search},
		"nothing given":                  {`<|start|>assistant to=functions.search_corpus<|channel|>commentary<|message|><|call|>`, call("search_corpus", "{}")},
		"an unknown tool":                {`<|start|>assistant to=functions.open_page<|channel|>commentary<|message|>{}<|call|>`, call("open_page", "{}")},
		"a batch":                        {`<|start|>assistant to=functions.multi_tool_use<|channel|>commentary <|constrain|>json<|message|>` + both + `<|call|>`, batched},
		"a batch in an object":           {`<|start|>assistant to=functions.multi_tool_use<|channel|>commentary<|message|>{"tool_calls": ` + both + `}<|call|>`, call(harmony.Batch, `{"tool_calls": `+both+`}`)},
		"a batch that nobody gets":       {`<|start|>assistant<|channel|>commentary<|message|>` + both + `<|call|>`, batched},
		"a batch in OpenAI's words":      {`<|start|>assistant to=multi_tool_use.parallel<|channel|>commentary<|message|>{"tool_uses": [{"recipient_name": "functions.search_corpus", "parameters": {"query": "x"}}, {"recipient_name": "functions.grep_corpus", "parameters": {"pattern": "y"}}]}<|call|>`, batched},
		"a batch that was cut":           {`<|start|>assistant to=functions.multi_tool_use<|channel|>commentary<|message|>` + both + ` and`, batched},
		"a tool's result made up":        {`<|start|>assistant to=functions.search_corpus<|channel|>commentary<|message|>{"query": "x"}<|end|><|start|>functions.search_corpus to=assistant<|channel|>commentary<|message|>"found"<|end|>`, search},
		"two calls of their own":         {`<|start|>assistant to=functions.search_corpus<|channel|>commentary<|message|>{"query": "x"}<|call|><|start|>assistant to=functions.grep_corpus<|channel|>commentary<|message|>{"pattern": "y"}<|call|>`, append(call("search_corpus", `{"query": "x"}`), call("grep_corpus", `{"pattern": "y"}`)...)},
	} {
		t.Run(name, func(t *testing.T) {
			for form, segments := range map[string][]segment{"text": fromText(c.reply), "ids": fromIDs(sampled(c.reply))} {
				a, ok := actionOf(parse(segments), context1())
				if !ok || !reflect.DeepEqual(a.Calls, c.want) {
					t.Errorf("as %s: %v %+v", form, ok, a.Calls)
				}
				if a.Text != "" || strings.Contains(a.Reasoning, "query") {
					t.Errorf("as %s: said %q, thought %q", form, a.Text, a.Reasoning)
				}
			}
		})
	}
}

// sampled are the ids of a reply with its special tokens spelled out.
func sampled(reply string) []token.ID {
	var ids []token.ID
	for _, s := range fromText(reply) {
		if s.special != 0 {
			ids = append(ids, s.special)
		} else {
			ids = token.Append(ids, s.text)
		}
	}
	return ids
}

func TestNamesInABatchAreMended(t *testing.T) {
	ids := sampled(`<|start|>assistant to=functions.multi_tool_use<|channel|>commentary<|message|>`)
	ids = token.Append(ids, `[{"tool_name": "functions.search-corpus<|constrain|>json", "parameters": {"query": "x"}}, {"tool_name": "functions.grep_corpus", "parameters": "{\"pattern\": \"y\"}"}, {}]`)
	a, _ := actionOf(parse(fromIDs(ids)), context1())
	want := call(harmony.Batch, `[{"tool_name": "search_corpus", "parameters": {"query": "x"}}, {"tool_name": "grep_corpus", "parameters": {"pattern": "y"}}]`)
	if !reflect.DeepEqual(a.Calls, want) || len(a.Warnings) != 1 {
		t.Errorf("%+v", a)
	}
}

func TestBatchBecomesCallsWhereNoToolTakesOne(t *testing.T) {
	reply := `<|start|>assistant to=functions.multi_tool_use<|channel|>commentary<|message|>[{"tool_name": "search_corpus", "parameters": {"query": "x"}}, {"tool_name": "grep_corpus", "parameters": {"pattern": "y"}}]<|call|>`
	a, _ := actionOf(parse(fromText(reply)), winnowView())
	if want := append(call("search_corpus", `{"query": "x"}`), call("grep_corpus", `{"pattern": "y"}`)...); !reflect.DeepEqual(a.Calls, want) {
		t.Errorf("%+v", a.Calls)
	}
}

func TestWordsAreSorted(t *testing.T) {
	a, ok := actionOf(parse(fromText(`<|channel|>analysis<|message|>One.<|end|><|start|>assistant<|channel|>analysis to=functions.search_corpus<|message|>I should search.<|end|>`+
		`<|start|>assistant<|channel|>commentary<|message|>Let me see.<|end|><|start|>assistant<|channel|>final<|message|>Here:
<Document id=film_1><Justification>the director</Justification></Document>
<Document id="film_12"><Justification>the year</Justification></Document>
Done.<|return|>`)), context1())
	if !ok || a.Reasoning != "One.\n\nI should search." || !strings.HasPrefix(a.Text, "Let me see.\n\nHere:\n<Document") || len(a.Calls) != 0 || len(a.Warnings) != 0 {
		t.Errorf("%+v", a)
	}
	want := &winnow.Answer{Selected: []winnow.Choice{{ID: "film_1", Justification: "the director"}, {ID: "film_12", Justification: "the year"}}}
	if !reflect.DeepEqual(a.Answer, want) {
		t.Errorf("%+v", a.Answer)
	}
}

func TestReplyWithoutCallOrAnswerIsNoAction(t *testing.T) {
	for name, reply := range map[string]string{
		"nothing":        ``,
		"only reasoning": `<|channel|>analysis<|message|>film_1 it is.<|end|>`,
		"a header":       `<|start|>assistant<|channel|>comm`,
		"prose":          `The answer is Kieślowski.`,
		"a note":         `<|channel|>commentary<|message|>I will search now.<|end|>`,
		"free text":      `<|channel|>??<|end|>`,
		"a tool's role":  `<|start|>functions.search_corpus to=assistant<|channel|>final<|message|>"x"<|end|>`,
	} {
		if a, ok := actionOf(parse(fromText(reply)), context1()); ok || a.Answer != nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestRenderedActionsParseBack(t *testing.T) {
	turns := 0
	for _, c := range goldens(t) {
		for i, turn := range c.View.Turns {
			turns++
			before, behind := c.View, c.View
			before.Turns, before.Note, behind.Note = c.View.Turns[:i], "", ""
			turn.Results = nil
			behind.Turns = append(slices.Clone(before.Turns), turn)
			reply := harmony.Render(&behind)[len(harmony.Render(&before)):]
			a, ok := actionOf(parse(fromIDs(reply)), &c.View)
			if !ok || a.Reasoning != turn.Action.Reasoning || a.Text != turn.Action.Text {
				t.Errorf("%s: %v, thought %q, said %q", c.Name, ok, a.Reasoning, a.Text)
			}
			if json.Valid([]byte(turn.Action.Calls[0].Arguments)) && !reflect.DeepEqual(a.Calls, turn.Action.Calls) {
				t.Errorf("%s:\n got %+v\nwant %+v", c.Name, a.Calls, turn.Action.Calls)
			}
		}
	}
	if turns < 10 {
		t.Errorf("only %d turns", turns)
	}
}

func TestPromptAsTextHoldsNoSpecialTokenButItsOwn(t *testing.T) {
	for _, c := range goldens(t) {
		structure := func(segments []segment) (ids []token.ID) {
			for _, s := range segments {
				if s.special != 0 {
					ids = append(ids, s.special)
				}
			}
			return ids
		}
		text := asText(c.IDs)
		if got, want := structure(fromText(text)), structure(fromIDs(c.IDs)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", c.Name, got, want)
		}
		if !strings.Contains(c.Name, "special") && text != token.Decode(c.IDs) {
			t.Errorf("%s: the text was changed", c.Name)
		}
	}
}

func FuzzReply(f *testing.F) {
	f.Add(`<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant to=functions.search_corpus<|channel|>commentary <|constrain|>json<|message|>{"query": "x"}<|call|>`)
	f.Add(`<|channel|>commentary to=functions.multi_tool_use<|message|>[{"tool_name": "functions.grep_corpus", "parameters": {"pattern": "\d"}}, {"tool_na`)
	f.Add(`<|channel|>final<|message|><Document id=film_1><Justification>x</Justification></Document><Document id='a'><|return|>`)
	f.Add(`to=<|channel|><|channel|>final<|constrain|><|message|><|message|>{<|call|><|call|>[[[,`)
	f.Fuzz(func(t *testing.T, reply string) {
		for _, v := range []*winnow.View{context1(), winnowView()} {
			ids := sampled(strings.ToValidUTF8(reply, "?"))
			a, ok := actionOf(parse(fromIDs(ids)), v)
			if ok != (len(a.Calls) > 0 || a.Answer != nil) {
				t.Fatalf("%v: %+v", ok, a)
			}
			for _, c := range a.Calls {
				if strings.ContainsAny(c.Tool, "<|>{\" \n") {
					t.Fatalf("the name of a tool is %q", c.Tool)
				}
			}
			if a.Answer != nil && (a.Answer.Selected == nil || len(a.Answer.Selected) > maxDocuments) {
				t.Fatalf("%+v", a.Answer)
			}
			// What was understood is understood again when it is rendered.
			v.Turns = []winnow.Turn{{Action: winnow.Action{Reasoning: a.Reasoning, Calls: a.Calls}}}
			if strings.TrimSpace(a.Reasoning) == "" || slices.ContainsFunc(a.Calls, func(c winnow.Call) bool { return c.Tool == "" || !json.Valid([]byte(c.Arguments)) }) {
				return
			}
			before := *v
			before.Turns = nil
			again, _ := actionOf(parse(fromIDs(harmony.Render(v)[len(harmony.Render(&before)):])), v)
			if again.Reasoning != a.Reasoning || len(a.Calls) > 0 && !reflect.DeepEqual(again.Calls, a.Calls) {
				t.Fatalf("rendered and parsed\n%+v\nbecomes\n%+v", a, again)
			}
		}
	})
}
