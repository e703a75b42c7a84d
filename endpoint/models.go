package endpoint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Model is one that an OpenAI-compatible server serves.
type Model struct {
	ID string `json:"id"`
	// Context is the number of tokens that prompt and reply may have together, 0
	// where the server does not say.
	Context int `json:"context"`
}

// ParseModels reads the list at /v1/models, by name. Where a model's context
// stands in it differs from server to server.
func ParseModels(body []byte) ([]Model, error) {
	var list struct {
		Data []struct {
			ID      string `json:"id"`
			VLLM    int    `json:"max_model_len"`
			Gateway int    `json:"context_length"`
			Llama   struct {
				Context int `json:"n_ctx"`
			} `json:"meta"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, ErrForm
	}
	models := make([]Model, len(list.Data))
	for i, m := range list.Data {
		models[i] = Model{m.ID, max(m.VLLM, m.Gateway, m.Llama.Context)}
	}
	slices.SortFunc(models, func(a, b Model) int { return strings.Compare(a.ID, b.ID) })
	return models, nil
}

// Served finds a model by name, nil if it is not there. Ollama lists names with
// the tag that is the default.
func Served(models []Model, name string) *Model {
	for i := range models {
		if models[i].ID == name || models[i].ID == name+":latest" {
			return &models[i]
		}
	}
	return nil
}

// maxListed is how many models a hint names.
const maxListed = 12

// Names lists models for a hint.
func Names(models []Model) string {
	var names []string
	for _, m := range models[:min(len(models), maxListed)] {
		names = append(names, m.ID)
	}
	hint := strings.Join(names, ", ")
	if more := len(models) - len(names); more > 0 {
		hint += fmt.Sprintf(" or one of %d others", more)
	}
	if hint == "" {
		return "load a model into the server; it serves none"
	}
	return hint
}

// WindowHint says how to give a model a larger context.
func WindowHint(tokens int) string {
	return fmt.Sprintf("a context of at least %d tokens on the server (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; vLLM: --max-model-len; SGLang: --context-length; llama.cpp: --ctx-size), or a smaller --budget", tokens)
}

// Sentence finds what a server says in the body of a refusal, whose form differs:
// OpenAI's, FastAPI's, plain text. Web pages say nothing.
func Sentence(body []byte) string {
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "<") {
		return ""
	}
	var fields struct {
		Error, Detail, Message json.RawMessage
	}
	if json.Unmarshal(body, &fields) != nil {
		return text
	}
	for _, raw := range []json.RawMessage{fields.Error, fields.Detail, fields.Message} {
		var said string
		var of struct {
			Message string
			Code    any
		}
		switch {
		case len(raw) == 0 || string(raw) == "null":
			continue
		case json.Unmarshal(raw, &said) == nil:
		case json.Unmarshal(raw, &of) == nil && of.Message != "":
			said = of.Message
			if code, ok := of.Code.(string); ok && code != "" {
				said += " (" + code + ")"
			}
		default:
			said = string(raw)
		}
		return said
	}
	return text
}
