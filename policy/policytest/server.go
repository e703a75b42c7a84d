// Package policytest is a server for tests of policies that ask models: it speaks
// OpenAI's chat completions, raw completions of a harmony model and Anthropic's
// Messages API, streams, calls tools, fails and stalls as it is told to, and
// refuses whatever the strictest of the real servers would refuse. One script
// serves all three.
//
// It exists because a lenient mock proves nothing: requests that a mock takes and
// vLLM does not are the commonest fault of such clients.
package policytest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/winnow-search/winnow"
)

// Server answers each request with the next reply of its script, the last one
// over and over. It is an http.Handler whose paths begin with /v1.
type Server struct {
	// Model is the only one served; empty means "test".
	Model string `json:"model"`
	// Key must be sent, if it is not empty.
	Key string `json:"key"`
	// Context is the number of tokens that prompt and reply may have together; 0
	// means no limit.
	Context int `json:"context"`
	// Toolless refuses requests with tools, in the words of servers that were
	// started without a parser for them.
	Toolless bool `json:"toolless"`
	// Textual takes and returns text only in raw completions, as servers do that
	// know no ids.
	Textual bool    `json:"textual"`
	Script  []Reply `json:"script"`

	mu       sync.Mutex
	requests []json.RawMessage
}

// Reply is what the server does with a request.
type Reply struct {
	Reasoning string `json:"reasoning"`
	// Field is the one that reasoning is sent in; empty means reasoning_content.
	Field string        `json:"field"`
	Text  string        `json:"text"`
	Calls []winnow.Call `json:"calls"`
	// Finish is the reason for the end; empty means the one that fits.
	Finish string `json:"finish"`
	// Prompt is the number of prompt tokens reported; 0 means those that were
	// sent.
	Prompt int `json:"prompt"`
	Cached int `json:"cached"`

	// Whole sends one JSON object where a stream was asked for.
	Whole bool `json:"whole"`
	// CutAfter breaks the connection off after so many events, if it is not 0.
	CutAfter int `json:"cut_after"`
	// Stall sends nothing more after the first event, until the client leaves.
	Stall bool `json:"stall"`

	// Status and Body are sent instead of all this, if Status is not 0.
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   string            `json:"body"`
}

// Requests are the bodies of the completions asked for so far, those refused
// left out.
func (s *Server) Requests() []json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]json.RawMessage{}, s.requests...)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.Key && r.Header.Get("X-Api-Key") != s.Key {
		// Some servers repeat the key, which no client may show.
		refuse(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: "+r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"))
		return
	}
	model := object{"id": s.model(), "object": "model", "type": "model", "max_model_len": s.Context}
	if r.Method == http.MethodGet {
		switch r.URL.Path {
		case "/v1/models":
			write(w, object{"object": "list", "data": []object{model}})
		case "/v1/models/" + s.model():
			write(w, model)
		default:
			refuse(w, http.StatusNotFound, "", "Not Found")
		}
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	switch r.URL.Path {
	case "/v1/chat/completions":
		s.complete(w, r, body)
	case "/v1/completions":
		s.completeText(w, r, body)
	case "/v1/messages":
		s.converse(w, r, body)
	default:
		refuse(w, http.StatusNotFound, "", "Not Found")
	}
}

func (s *Server) model() string { return cmp.Or(s.Model, "test") }

func (s *Server) complete(w http.ResponseWriter, r *http.Request, body []byte) {
	q, err := parse(body)
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	if s.Toolless && len(q.Tools) > 0 {
		refuse(w, http.StatusBadRequest, "invalid_request_error", `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`)
		return
	}
	reply, ok := s.admit(w, body, q.Model, q.tokens(), q.maxTokens())
	if !ok {
		return
	}
	reply.Prompt = cmp.Or(reply.Prompt, q.tokens())
	if reply.Whole || !q.Stream {
		reply.whole(w)
		return
	}
	reply.stream(w, r, q.Options.Usage)
}

// admit refuses what has the wrong model or does not fit its context, and gives
// the next reply of the script to the rest, unless that is a refusal itself.
func (s *Server) admit(w http.ResponseWriter, body []byte, model string, prompt, room int) (Reply, bool) {
	if model != s.model() {
		refuse(w, http.StatusNotFound, "model_not_found", fmt.Sprintf("The model `%s` does not exist.", model))
		return Reply{}, false
	}
	if n := prompt + room; s.Context > 0 && n > s.Context {
		refuse(w, http.StatusBadRequest, "invalid_request_error",
			fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d tokens (max_tokens or max_completion_tokens included).", s.Context, n))
		return Reply{}, false
	}
	reply, ok := s.next(body)
	if !ok {
		refuse(w, http.StatusInternalServerError, "", "the script is empty")
		return Reply{}, false
	}
	if reply.Status != 0 {
		for name, value := range reply.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(reply.Status)
		io.WriteString(w, reply.Body)
		return Reply{}, false
	}
	return reply, true
}

func (s *Server) next(body []byte) (Reply, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, body)
	if len(s.Script) == 0 {
		return Reply{}, false
	}
	return s.Script[min(len(s.requests), len(s.Script))-1], true
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "code": code}})
}

func write(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(value)
}
