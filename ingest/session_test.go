package ingest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

type said struct{ heading, role, tool, time, text string }

func saidIn(doc *winnow.Document) []said {
	var out []said
	for _, c := range doc.Chunks {
		out = append(out, said{c.Heading, stringOf(c.Metadata["role"]), stringOf(c.Metadata["tool"]), stringOf(c.Metadata["time"]), c.Text})
	}
	return out
}

func TestSessions(t *testing.T) {
	for _, c := range []struct {
		name, log, title string
		metadata         winnow.Metadata
		want             []said
	}{
		{
			"nested messages with parts",
			`{"type":"summary","summary":"Fixing the parser"}
{"type":"user","sessionId":"s1","cwd":"/src","gitBranch":"main","timestamp":"2026-01-02T03:04:05Z","message":{"role":"user","content":"Why does it fail?\nSee the log."}}
{"type":"assistant","timestamp":"2026-01-02T03:04:06Z","message":{"role":"assistant","model":"m","content":[{"type":"thinking","thinking":"Hmm"},{"type":"text","text":"Let me look."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test","timeout":5}}]}}
{"type":"user","timestamp":"2026-01-02T03:04:07Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"FAIL"},{"type":"image","source":{"data":"AAAA"}}]}]}}
`,
			"Fixing the parser",
			winnow.Metadata{"type": "session", "session": "s1", "cwd": "/src", "branch": "main", "model": "m"},
			[]said{
				{"Why does it fail? See the log.", "user", "", "2026-01-02T03:04:05Z", "user: Why does it fail?\nSee the log.\n\n"},
				{"Why does it fail? See the log.", "assistant", "", "2026-01-02T03:04:06Z", "assistant: Hmm\n\nassistant: Let me look.\n\n"},
				{"Why does it fail? See the log.", "assistant", "Bash", "2026-01-02T03:04:06Z", "assistant Bash: command: go test\ntimeout: 5\n\n"},
				{"Why does it fail? See the log.", "tool", "Bash", "2026-01-02T03:04:07Z", "tool Bash: FAIL\n\n"},
			},
		},
		{
			"items in payloads",
			`{"timestamp":"T0","type":"session_meta","payload":{"id":"x","cwd":"/w"}}
{"timestamp":"T1","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"List files"}]}}
{"timestamp":"T2","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\",\"-l\"]}","call_id":"c1"}}
{"timestamp":"T3","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"a.go"}}
{"timestamp":"T4","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}
`,
			"List files",
			winnow.Metadata{"type": "session", "cwd": "/w"},
			[]said{
				{"List files", "user", "", "T1", "user: List files\n\n"},
				{"List files", "assistant", "shell", "T2", "assistant shell: command: ls\n-l\n\n"},
				{"List files", "tool", "shell", "T3", "tool shell: a.go\n\n"},
				{"List files", "assistant", "", "T4", "assistant: Done.\n\n"},
			},
		},
		{
			"chat messages",
			`{"role":"system","content":"Be brief."}
{"role":"user","content":"Sum 1 and 2"}
{"role":"assistant","content":null,"tool_calls":[{"id":"k","type":"function","function":{"name":"add","arguments":"{\"a\":1,\"b\":2}"}}]}
{"role":"tool","tool_call_id":"k","content":"3"}
`,
			"Sum 1 and 2",
			winnow.Metadata{"type": "session"},
			[]said{
				{"", "system", "", "", "system: Be brief.\n\n"},
				{"Sum 1 and 2", "user", "", "", "user: Sum 1 and 2\n\n"},
				{"Sum 1 and 2", "assistant", "add", "", "assistant add: a: 1\nb: 2\n\n"},
				{"Sum 1 and 2", "tool", "add", "", "tool add: 3\n\n"},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := readOne(t, "log.jsonl", c.log)
			if doc.Title != c.title || !reflect.DeepEqual(doc.Metadata, c.metadata) {
				t.Errorf("title %q, metadata %v", doc.Title, doc.Metadata)
			}
			if got := saidIn(doc); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestALongMessageIsCutAndKeepsItsRole(t *testing.T) {
	doc := readOne(t, "log.jsonl", `{"role":"user","content":"`+strings.Repeat(words(40)+`\n\n`, 30)+`"}`+"\n")
	if len(doc.Chunks) < 3 {
		t.Fatalf("%d chunks", len(doc.Chunks))
	}
	for _, c := range doc.Chunks {
		if c.Metadata["role"] != "user" {
			t.Errorf("metadata %v", c.Metadata)
		}
	}
}
