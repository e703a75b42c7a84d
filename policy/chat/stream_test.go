package chat

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func response(kind, body string) *http.Response {
	return &http.Response{Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body))}
}

// events is a stream of chunks with the given deltas.
func events(deltas ...string) string {
	var b strings.Builder
	for _, d := range deltas {
		b.WriteString(`data: {"choices":[{"index":0,"delta":` + d + `}]}` + "\n\n")
	}
	return b.String() + "data: [DONE]\n\n"
}

func TestFragmentsAreJoinedAsServersMeanThem(t *testing.T) {
	for _, c := range []struct {
		name   string
		deltas []string
		want   string // name, id and arguments of each call
	}{
		{"by index", []string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}`, `{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`}, `f a {"x":1}; g b {}`},
		{"all with index 0", []string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]}`}, `f a {}; g b {}`},
		{"no index", []string{`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}`, `{"tool_calls":[{"function":{"arguments":"1}"}}]}`}, `f a {"x":1}`},
		{"no index, two calls", []string{`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":"{}"}}]}`}, `f a {}; f b {}`},
		{"the name again and again", []string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}]}`}, `f a {}`},
		{"arguments as an object", []string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"x":[1]}}}]}`}, `f a {"x":[1]}`},
		{"arguments null", []string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":null}}]}`}, `f a {}`},
		{"no id", []string{`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}`}, `f  {}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := read(response("text/event-stream", events(c.deltas...)))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, call := range r.action(&winnow.View{}).Calls {
				got = append(got, call.Tool+" "+call.ID+" "+call.Arguments)
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("got %s", s)
			}
		})
	}
}

func TestContentMayBeAListOfParts(t *testing.T) {
	r, err := read(response("text/event-stream", events(`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, `{"content":"c","reasoning":"x","reasoning_content":"x"}`)))
	if err != nil || r.content.String() != "abc" || r.reasoning.String() != "x" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAStreamNeedsAnEnd(t *testing.T) {
	const piece = `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}],"error":null}` + "\n\n"
	for body, whole := range map[string]bool{
		piece:                      false,
		"":                         false,
		piece + "data: [DONE]\n\n": true,
		piece + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n": true,
	} {
		if _, err := read(response("text/event-stream", body)); (err == nil) != whole {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("text/event-stream", events(`{"content":"a"}`, `{"tool_calls":[{"index":-1,"id":"a"},{"id":"a"}]}`))
	f.Add("application/json", `{"choices":[{"message":{"content":"x","tool_calls":[{"function":{"name":"f","arguments":{}}}]},"finish_reason":"stop"}]}`)
	f.Add("", "<html>")
	f.Fuzz(func(t *testing.T, kind, body string) {
		r, err := read(response(kind, body))
		if (r == nil) == (err == nil) {
			t.Fatalf("%v, %v", r, err)
		}
		if r != nil {
			a := r.action(&winnow.View{Tools: tools})
			if len(a.Calls) > 0 && a.Answer != nil {
				t.Error("an answer beside calls")
			}
		}
	})
}
