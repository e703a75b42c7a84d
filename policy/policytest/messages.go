package policytest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/winnow-search/winnow/token"
)

// Messages is a request of Anthropic's Messages API, as far as it is checked.
type Messages struct {
	Model     string `json:"model"`
	MaxTokens int    `json:"max_tokens"`
	Stream    bool   `json:"stream"`
	Thinking  *struct {
		Type   string `json:"type"`
		Budget int    `json:"budget_tokens"`
	} `json:"thinking"`
	Tools    []block `json:"tools"`
	Messages []struct {
		Role    string  `json:"role"`
		Content []block `json:"content"`
	} `json:"messages"`
}

type block struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	ToolUseID string          `json:"tool_use_id"`
	Text      string          `json:"text"`
	Input     json.RawMessage `json:"input"`
	Signature string          `json:"signature"`
	Cache     *struct{}       `json:"cache_control"`
}

// ParseMessages reads a request and refuses what the Messages API refuses: roles
// that do not alternate, calls without their results, results that are not the
// first blocks, more than four cache marks, thinking without the thoughts of the
// last calls.
func ParseMessages(body []byte) (*Messages, error) {
	var q Messages
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	if !q.Stream || q.MaxTokens < 1 || len(q.Messages)%2 == 0 {
		return nil, fmt.Errorf("stream %v, max_tokens %d, %d messages", q.Stream, q.MaxTokens, len(q.Messages))
	}
	marks := marked(q.Tools)
	var open []string
	for i, m := range q.Messages {
		marks += marked(m.Content)
		if want := []string{"user", "assistant"}[i%2]; m.Role != want || len(m.Content) == 0 {
			return nil, fmt.Errorf("messages.%d: roles must alternate", i)
		}
		if err := checkBlocks(m.Content, open); err != nil {
			return nil, fmt.Errorf("messages.%d: %w", i, err)
		}
		open = nil
		for _, b := range m.Content {
			if b.Type == "tool_use" {
				open = append(open, b.ID)
			}
		}
		last := i == len(q.Messages)-2
		if q.thinks() && last && !strings.HasSuffix(m.Content[0].Type, "thinking") {
			return nil, fmt.Errorf("messages.%d: expected thinking or redacted_thinking", i)
		}
	}
	if q.thinks() && (q.Thinking.Budget < 1024 || q.Thinking.Budget >= q.MaxTokens) {
		return nil, fmt.Errorf("budget_tokens %d", q.Thinking.Budget)
	}
	if marks > 4 {
		return nil, fmt.Errorf("a maximum of 4 blocks with cache_control may be provided, found %d", marks)
	}
	return &q, nil
}

func (q *Messages) thinks() bool { return q.Thinking != nil && q.Thinking.Type == "enabled" }

func marked(blocks []block) (n int) {
	for _, b := range blocks {
		if b.Cache != nil {
			n++
		}
	}
	return n
}

// checkBlocks checks a message that follows calls with the ids of open.
func checkBlocks(blocks []block, open []string) error {
	answered := map[string]bool{}
	for j, b := range blocks {
		switch {
		case b.Type == "tool_result" && j != len(answered):
			return errors.New("tool_result blocks come first")
		case b.Type == "tool_result":
			answered[b.ToolUseID] = true
		case b.Type == "text" && strings.TrimSpace(b.Text) == "":
			return errors.New("text content blocks must be non-empty")
		case b.Type == "thinking" && b.Signature == "":
			return errors.New("thinking without signature")
		case b.Type == "tool_use" && !strings.HasPrefix(string(b.Input), "{"):
			return errors.New("input should be an object")
		}
	}
	if i := slices.IndexFunc(open, func(id string) bool { return !answered[id] }); i >= 0 {
		return fmt.Errorf("tool_use ids were found without tool_result blocks: %s", open[i])
	}
	if len(answered) != len(open) {
		return errors.New("tool_result without tool_use")
	}
	return nil
}

// converse answers a request of the Messages API.
func (s *Server) converse(w http.ResponseWriter, r *http.Request, body []byte) {
	q, err := ParseMessages(body)
	if err != nil {
		refuseMessage(w, http.StatusBadRequest, err.Error())
		return
	}
	reply, ok := s.admit(w, body, q.Model, token.Count(string(body)), q.MaxTokens)
	if !ok {
		return
	}
	var blocks []object
	if reply.Text != "" {
		blocks = append(blocks, object{"type": "text", "text": reply.Text})
	}
	for i, c := range reply.Calls {
		blocks = append(blocks, object{"type": "tool_use", "id": cmp.Or(c.ID, fmt.Sprintf("toolu_%d", i)), "name": c.Tool, "input": json.RawMessage(c.Arguments)})
	}
	stop := "end_turn"
	if len(reply.Calls) > 0 {
		stop = "tool_use"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	sent := 0
	event := func(kind string, of object) {
		of["type"] = kind
		b, err := json.Marshal(of)
		if err != nil {
			panic(err) // maps of strings and numbers
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, b)
		if sent++; sent == reply.CutAfter || reply.Stall {
			http.NewResponseController(w).Flush()
			if reply.Stall {
				<-r.Context().Done()
			}
			panic(http.ErrAbortHandler)
		}
	}
	event("message_start", object{"message": object{"id": "m", "type": "message", "role": "assistant", "content": []object{},
		"usage": object{"input_tokens": cmp.Or(reply.Prompt, token.Count(string(body))), "output_tokens": 1}}})
	for i, b := range blocks {
		delta := object{"type": "text_delta", "text": b["text"]}
		start := object{"type": "text", "text": ""}
		if b["type"] == "tool_use" {
			delta = object{"type": "input_json_delta", "partial_json": string(b["input"].(json.RawMessage))}
			start = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
		}
		event("content_block_start", object{"index": i, "content_block": start})
		event("content_block_delta", object{"index": i, "delta": delta})
		event("content_block_stop", object{"index": i})
	}
	event("message_delta", object{"delta": object{"stop_reason": stop}, "usage": object{"output_tokens": 50}})
	event("message_stop", object{})
}

func refuseMessage(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(object{"type": "error", "error": object{"type": "invalid_request_error", "message": message}})
}
