package wire

import (
	"encoding/json"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestASearchStreamSpeaksInIdsThatMeanSomethingOutside(t *testing.T) {
	events := []winnow.Event{
		{Start: &winnow.Start{Policy: "ctx1", Model: "context-1"}},
		{Action: &winnow.Action{Reasoning: "hm", Calls: []winnow.Call{{Tool: "search_corpus", Arguments: `{"query": "a"}`}, {Tool: "grep_corpus", Arguments: `{"pattern`}},
			Usage: winnow.Usage{Prompt: 10, Cached: 4, Completion: 2}}},
		{Observation: &winnow.Observation{Results: []winnow.Result{{Parts: []winnow.Part{{Text: "Found:"}, {Chunk: &winnow.Hit{Chunk: winnow.Chunk{ID: "a.md_0"}}, Handle: "c1"}}}}}},
		{Prune: &winnow.Prune{Chunks: []string{"a.md_0"}}},
		{Action: &winnow.Action{Answer: &winnow.Answer{Selected: []winnow.Choice{{ID: "c1", Justification: "it says so"}}}}},
		{End: &winnow.End{}},
	}
	want := []string{
		`{"type":"action","data":{"tools":[{"name":"search_corpus"},{"name":"grep_corpus"}],"params":[{"query":"a"},"{\"pattern"],"sources":[],"reasoning":"hm"}}`,
		`{"type":"usage","data":{"usage_records":[{"model":"context-1","input_tokens":6,"output_tokens":2,"cache_read_tokens":4,"cache_write_tokens":0}]}}`,
		`{"type":"observation","data":{"sources":["a.md_0"]}}`,
		`{"type":"action","data":{"tools":[{"name":"user_text"}],"params":[{"text":"a.md_0: it says so\n"}],"sources":["a.md_0"]}}`,
		`{"type":"usage","data":{"usage_records":[{"model":"context-1","input_tokens":0,"output_tokens":0,"cache_read_tokens":0,"cache_write_tokens":0}]}}`,
	}
	var s SearchStream
	for i := range events {
		for _, line := range s.Lines(&events[i]) {
			got, err := json.Marshal(line)
			if err != nil {
				t.Fatal(err)
			}
			if len(want) == 0 || string(got) != want[0] {
				t.Fatalf("got %s, want %q", got, want)
			}
			want = want[1:]
		}
	}
	if len(want) > 0 {
		t.Errorf("missing are %q", want)
	}
}
