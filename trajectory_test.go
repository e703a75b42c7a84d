package winnow_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestATrajectoryIsReadAsItWasWritten(t *testing.T) {
	events := []winnow.Event{
		{Kind: winnow.EventStart, Start: &winnow.Start{Version: winnow.TrajectoryVersion, Question: "a < b & \u2028?", Profile: "winnow"}},
		{Kind: winnow.EventAction, Turn: 1, View: 9, Action: &winnow.Action{Reasoning: "r", Calls: []winnow.Call{{ID: "1", Tool: "t", Arguments: "{not json"}}}},
		{Kind: winnow.EventObservation, Turn: 1, Observation: &winnow.Observation{Results: []winnow.Result{{Tool: "t", Parts: []winnow.Part{
			{Chunk: &winnow.Hit{Chunk: winnow.Chunk{ID: "a_0", Document: "a", Text: "x", Metadata: winnow.Metadata{"n": int64(9007199254740993)}}}}, {Text: "y"}}}}}},
		{Kind: winnow.EventPrune, Turn: 2, Prune: &winnow.Prune{Chunks: []string{"a_0"}, Freed: 3}},
		{Kind: winnow.EventEnd, Turn: 2, End: &winnow.End{Ended: winnow.Concluded, Ranking: winnow.Ranking{}}},
	}
	var written bytes.Buffer
	for i := range events {
		if err := winnow.WriteEvent(&written, &events[i]); err != nil {
			t.Fatal(err)
		}
	}
	read, err := winnow.ReadTrajectory(bytes.NewReader(written.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if _, err := read.WriteTo(&again); err != nil {
		t.Fatal(err)
	}
	if again.String() != written.String() {
		t.Errorf("got\n%s\nwant\n%s", &again, &written)
	}
	if shown := read.Shown(); len(shown) != 1 || shown[0].ID != "a_0" || len(read.Pruned()) != 1 || read.End().Ended != winnow.Concluded {
		t.Errorf("got %v", shown)
	}
}

func TestWhatIsNoTrajectoryIsRefused(t *testing.T) {
	start := `{"event":"start","start":{"version":1}}` + "\n"
	for _, c := range []struct {
		text   string
		code   winnow.Code
		events int
	}{
		{"", winnow.Corrupt, 0},
		{`{"event":"end","end":{}}`, winnow.Corrupt, 1},
		{start + `{"event":"act`, winnow.Corrupt, 1},
		{`{"event":"start","start":{"version":99}}`, winnow.TooNew, 0},
	} {
		read, err := winnow.ReadTrajectory(strings.NewReader(c.text))
		if winnow.CodeOf(err) != c.code || len(read.Events) != c.events {
			t.Errorf("%q: got %d events, %v", c.text, len(read.Events), err)
		}
	}
}

func TestAToolsSchemaIsItsParameters(t *testing.T) {
	tool := winnow.Tool{Name: "t", Parameters: []winnow.Parameter{
		{Name: "query", Type: winnow.TypeString, Description: "What."}, {Name: "ids", Type: winnow.TypeStrings},
		{Name: "where", Type: winnow.TypeObject, Optional: true}, {Name: "calls", Type: winnow.TypeCalls}}}
	const want = `{"type":"object","properties":{` +
		`"calls":{"type":"array","items":{"type":"object","properties":{"parameters":{"type":"object"},"tool_name":{"type":"string"}},"required":["tool_name","parameters"]}},` +
		`"ids":{"type":"array","items":{"type":"string"}},"query":{"type":"string","description":"What."},"where":{"type":"object"}},` +
		`"required":["query","ids","calls"],"additionalProperties":false}`
	if got := string(tool.Schema()); got != want || !json.Valid([]byte(got)) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := string((&winnow.Tool{}).Schema()); got != `{"type":"object","properties":{},"additionalProperties":false}` {
		t.Errorf("a tool without parameters has an empty object of them, got %s", got)
	}
}

func TestUsagesAddUp(t *testing.T) {
	price := 0.5
	a, b := winnow.Usage{Prompt: 1, Completion: 2, Cached: 1}, winnow.Usage{Prompt: 3, CostUSD: &price}
	if sum := a.Add(b).Add(b); sum.Prompt != 7 || sum.Completion != 2 || *sum.CostUSD != 1 || price != 0.5 {
		t.Errorf("got %+v", sum)
	}
	if a.Add(a).CostUSD != nil {
		t.Error("a cost that is not known is none")
	}
}
