package harmony

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/winnow-search/winnow/token"
)

const key = "sk-secret-1234"

// server is as strict as vLLM's endpoint of completions: it knows its fields and
// their ranges, its one model and its context, and says what is wrong in the
// same words.
type server struct {
	t       *testing.T
	context int
	textual bool // takes and returns text only, as servers do that know no ids
	mute    bool // writes special tokens as nothing
	reads   int  // of a prompt, silently; 0 is all
	replies []string
	// before may answer a request in place of the server.
	before func(n int, w http.ResponseWriter, r *http.Request) bool

	mutex    sync.Mutex
	tries    int
	requests []sent
}

// sent is a request that was served.
type sent struct {
	prompt any // []token.ID or string
	body   map[string]json.RawMessage
}

func (s *server) refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "BadRequestError", "param": nil, "code": status}})
	w.Write(b)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.tries++
	if s.before != nil && s.before(s.tries, w, r) {
		return
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/completions" {
		http.NotFound(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+key {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":"Unauthorized: %s"}`, r.Header.Get("Authorization"))
		return
	}
	var body map[string]json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Header.Get("Content-Type") != "application/json" {
		s.refuse(w, 400, "JSON decode error")
		return
	}
	var model string
	if json.Unmarshal(body["model"], &model); model != "context-1" {
		s.refuse(w, 404, fmt.Sprintf("The model `%s` does not exist.", model))
		return
	}
	var ids []token.ID
	var text string
	isText := json.Unmarshal(body["prompt"], &text) == nil
	if isText {
		ids = sampled(text)
	} else if s.textual || json.Unmarshal(body["prompt"], &ids) != nil {
		s.refuse(w, 400, "json: cannot unmarshal array into Go struct field CompletionRequest.prompt of type string")
		return
	}
	var fields struct {
		MaxTokens   *int     `json:"max_tokens"`
		Temperature *float64 `json:"temperature"`
		TopP        *float64 `json:"top_p"`
		Seed        *int64   `json:"seed"`
		Stop        []uint32 `json:"stop_token_ids"`
		ReturnIDs   bool     `json:"return_token_ids"`
		SkipSpecial *bool    `json:"skip_special_tokens"`
	}
	all, _ := json.Marshal(body)
	if err := json.Unmarshal(all, &fields); err != nil {
		s.refuse(w, 400, err.Error())
		return
	}
	for _, id := range ids {
		if id >= 201088 {
			s.refuse(w, 400, fmt.Sprintf("Token id %d is out of vocabulary", id))
			return
		}
	}
	switch {
	case len(body) != 9:
		s.refuse(w, 400, fmt.Sprintf("%d fields", len(body)))
	case fields.MaxTokens == nil || *fields.MaxTokens < 1:
		s.refuse(w, 400, "max_tokens must be at least 1")
	case fields.Temperature == nil || *fields.Temperature < 0 || fields.TopP == nil || *fields.TopP <= 0 || *fields.TopP > 1:
		s.refuse(w, 400, "temperature must be non-negative and top_p in (0, 1]")
	case fields.Seed == nil || fields.SkipSpecial == nil || *fields.SkipSpecial:
		s.refuse(w, 400, "seed or skip_special_tokens")
	case len(ids)+*fields.MaxTokens > s.context:
		s.refuse(w, 400, fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d tokens.", s.context, len(ids)+*fields.MaxTokens))
	case len(s.replies) == 0:
		s.t.Error("one request too many")
		s.refuse(w, 400, "no reply left")
	default:
		var prompt any = ids
		if isText {
			prompt = text
		}
		s.requests = append(s.requests, sent{prompt, body})
		s.answer(w, ids, s.replies[0], *fields.MaxTokens, fields.Stop, fields.ReturnIDs)
		s.replies = s.replies[1:]
	}
}

// answer samples a reply: up to a stop token, which stays out of the text, or to
// the greatest length.
func (s *server) answer(w http.ResponseWriter, prompt []token.ID, reply string, room int, stop []uint32, withIDs bool) {
	out := sampled(reply)
	choice := map[string]any{"index": 0, "finish_reason": "stop", "stop_reason": nil, "logprobs": nil}
	read := out
	for i, id := range out {
		for _, s := range stop {
			if uint32(id) == s && choice["stop_reason"] == nil {
				out, read = out[:i+1], out[:i]
				choice["stop_reason"] = id
			}
		}
	}
	if len(out) > room {
		out, read = out[:room], out[:room]
		choice["finish_reason"], choice["stop_reason"] = "length", nil
	}
	text := token.Decode(read)
	if s.mute {
		text = written.ReplaceAllString(text, "")
	}
	choice["text"] = text
	if withIDs && !s.textual && !s.mute {
		choice["token_ids"], choice["prompt_token_ids"] = out, prompt
	}
	n := len(prompt)
	if s.reads > 0 {
		n = min(n, s.reads)
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"id": "cmpl-1", "object": "text_completion", "model": "context-1", "choices": []any{choice},
		"usage": map[string]any{"prompt_tokens": n, "completion_tokens": len(out), "total_tokens": n + len(out), "prompt_tokens_details": map[string]int{"cached_tokens": 3}}})
}

// serve starts the server and a policy that asks it and does not really wait;
// the pauses it would have made are returned by the function.
func serve(t *testing.T, s *server, o Options) (*Policy, func() []time.Duration) {
	t.Helper()
	s.t = t
	if s.context == 0 {
		s.context = 32768
	}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	if o.BaseURL == "" {
		o.BaseURL = h.URL + "/v1"
	}
	if o.Model == "" {
		o.Model = "context-1"
	}
	if o.Key == "" {
		o.Key = key
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var pauses []time.Duration
	p.sleep = func(ctx context.Context, d time.Duration) error {
		pauses = append(pauses, d)
		return ctx.Err()
	}
	return p, func() []time.Duration { return pauses }
}
