package anthropic

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnow-search/winnow/endpoint"
)

// events is a stream of events with the given data.
func events(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

const (
	start = `{"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}`
	words = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}`
	more  = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b"}}`
	stop  = `{"type":"message_stop"}`
)

func TestWhatIsNotKnownInAStreamIsPassedOver(t *testing.T) {
	r, err := read(strings.NewReader(events(`{"type":"ping"}`, start, `{"type":"weather","sky":[1]}`, words,
		`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}},"new":1}`, more,
		`{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"x"}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5,"cache_read_input_tokens":3,"iterations":null}}`, stop, "behind the end")))
	if err != nil || r.action().Text != "ab" || r.stop != "end_turn" || r.usage != (counts{Input: 7, Read: 3, Output: 5}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestACallMayComeWholeInPiecesOrHalf(t *testing.T) {
	call := func(input string, pieces ...string) string {
		data := []string{start, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"i","name":"f","input":` + input + `}}`}
		for _, p := range pieces {
			data = append(data, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"`+p+`"}}`)
		}
		return events(append(data, stop)...)
	}
	for stream, want := range map[string]string{
		call(`{}`):                           `{}`,
		call(`{"q":1}`):                      `{"q":1}`,
		call(`{}`, ``, `{\"q\":`, ` \"x\"}`): `{"q": "x"}`,
		call(`{}`, `{\"q\": \"x`):            `{"q": "x`, // at the limit: the agent tells the model
	} {
		r, err := read(strings.NewReader(stream))
		if err != nil {
			t.Fatal(err)
		}
		if calls := r.action().Calls; len(calls) != 1 || calls[0].Arguments != want {
			t.Errorf("%s: %+v", stream, calls)
		}
	}
}

func TestAStreamThatIsNotWholeIsNoReply(t *testing.T) {
	for _, c := range []struct {
		name, stream string
		want         error
	}{
		{"nothing", "", endpoint.ErrForm},
		{"no events", `{"type":"message"}`, endpoint.ErrForm},
		{"those of another API", events(`{"choices":[]}`, "[DONE]"), endpoint.ErrForm},
		{"no end", events(start, words), endpoint.ErrCut},
		{"cut within an event", events(start, words) + "data: " + stop, endpoint.ErrCut},
		{"not JSON", events(start, `{"type"`), endpoint.ErrCut},
		{"a piece of a block that never began", events(start, more, stop), endpoint.ErrCut},
		{"a block that was left out", events(start, strings.Replace(words, ":0", ":1", 1), stop), endpoint.ErrCut},
		{"no block", events(start, `{"type":"content_block_start","index":0}`, stop), endpoint.ErrCut},
		{"a failure", events(start, words, `{"type":"error","error":{"message":"x"}}`, stop), endpoint.ErrCut},
	} {
		if _, err := read(strings.NewReader(c.stream)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(events(start, words, more, stop))
	f.Add(events(start, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"x","signature":"s"}}`,
		`{"type":"content_block_delta","index":-1,"delta":{}}`, `{"type":"message_delta","usage":[]}`, stop))
	f.Add(events(`{"type":"content_block_start","content_block":{"type":"redacted_thinking"}}`, stop))
	f.Fuzz(func(t *testing.T, stream string) {
		r, err := read(strings.NewReader(stream))
		if (r == nil) == (err == nil) {
			t.Fatalf("%v, %v", r, err)
		}
		if r == nil {
			return
		}
		a := r.action()
		if len(a.Calls) > 0 && a.Answer != nil {
			t.Error("an answer beside calls")
		}
		var whole string
		for _, b := range thoughts(&a) {
			if b.Thinking != nil {
				whole += *b.Thinking
			}
		}
		if whole != a.Reasoning {
			t.Errorf("%q goes back as %q", a.Reasoning, whole)
		}
	})
}
