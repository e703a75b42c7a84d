package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-search/winnow/policy/policytest"
)

// server answers with a script of blocks, thoughts among them, and refuses what
// the Messages API refuses.
type server struct {
	script []answer

	mu       sync.Mutex
	requests []json.RawMessage
	headers  []http.Header
}

// answer is content blocks as JSON, or a refusal.
type answer struct {
	blocks []string
	stop   string
	cut    bool
	status int
	body   string
	kind   string
	stall  bool
}

func serve(t *testing.T, script ...answer) (*server, string) {
	s := &server{script: script}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return s, h.URL
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"data":[{"id":"claude-b","type":"model"},{"id":"claude-a","type":"model"}],"has_more":false}`)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if _, err := policytest.ParseMessages(body); err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(400)
		fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":%q}}`, err.Error())
		return
	}
	s.mu.Lock()
	s.requests, s.headers = append(s.requests, body), append(s.headers, r.Header)
	a := s.script[min(len(s.requests), len(s.script))-1]
	s.mu.Unlock()
	if a.status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After-Ms", "1")
		if a.kind != "" {
			w.Header().Set("Content-Type", a.kind)
		}
		w.WriteHeader(a.status)
		io.WriteString(w, a.body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	a.write(w)
	if a.stall {
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

func (a answer) write(w io.Writer) {
	event := func(kind, data string) { fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, data) }
	event("message_start", `,"message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":800,"cache_creation_input_tokens":100,"output_tokens":1}}`)
	if a.stall {
		return
	}
	for i, b := range a.blocks {
		var of struct {
			Type, Thinking, Signature, Text string
			Input                           json.RawMessage
		}
		if err := json.Unmarshal([]byte(b), &of); err != nil {
			panic(err)
		}
		start := b
		deltas := map[string][2]string{"thinking": {"thinking_delta", "thinking"}, "text": {"text_delta", "text"}, "tool_use": {"input_json_delta", "partial_json"}}
		whole := []rune(of.Thinking + of.Text + string(of.Input))
		switch of.Type {
		case "thinking":
			start = `{"type":"thinking","thinking":"","signature":""}`
		case "text":
			start = `{"type":"text","text":""}`
		case "tool_use":
			start = strings.Replace(b, string(of.Input), "{}", 1)
		}
		event("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":%s`, i, start))
		if d, ok := deltas[of.Type]; ok {
			half := len(whole) / 2
			for _, part := range [][]rune{whole[:half], whole[half:]} {
				quoted, _ := json.Marshal(string(part))
				event("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{"type":%q,%q:%s}`, i, d[0], d[1], quoted))
			}
		}
		if of.Signature != "" {
			event("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{"type":"signature_delta","signature":%q}`, i, of.Signature))
		}
		event("content_block_stop", fmt.Sprintf(`,"index":%d`, i))
	}
	if a.cut {
		return
	}
	stop := a.stop
	if stop == "" {
		stop = "end_turn"
	}
	event("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q},"usage":{"output_tokens":50}`, stop))
	event("message_stop", "")
}
