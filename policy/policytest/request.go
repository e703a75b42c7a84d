package policytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/winnow-search/winnow/token"
)

// request is a chat completion as it is asked for. What is not here is refused.
type request struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Tools         []tool    `json:"tools"`
	MaxTokens     *int      `json:"max_tokens"`
	MaxCompletion *int      `json:"max_completion_tokens"`
	Temperature   *float64  `json:"temperature"`
	TopP          *float64  `json:"top_p"`
	Seed          *int64    `json:"seed"`
	Stream        bool      `json:"stream"`
	Options       struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	Effort   string         `json:"reasoning_effort"`
	Template map[string]any `json:"chat_template_kwargs"`
}

type message struct {
	Role             string  `json:"role"`
	Content          *string `json:"content"`
	ReasoningContent *string `json:"reasoning_content"`
	Reasoning        *string `json:"reasoning"`
	Calls            []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	CallID string `json:"tool_call_id"`
}

type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Strict      *bool           `json:"strict"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func parse(body []byte) (*request, error) {
	var q request
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return nil, err
	}
	if q.MaxTokens != nil && q.MaxCompletion != nil {
		return nil, errors.New("max_tokens and max_completion_tokens exclude each other")
	}
	if (q.MaxTokens != nil || q.MaxCompletion != nil) && q.maxTokens() < 1 {
		return nil, errors.New("max_tokens must be at least 1")
	}
	if q.Options.Usage && !q.Stream {
		return nil, errors.New("stream_options is only allowed when streaming")
	}
	if err := q.checkTools(); err != nil {
		return nil, err
	}
	return &q, q.checkMessages()
}

func (q *request) checkTools() error {
	names := map[string]bool{}
	for _, t := range q.Tools {
		name := t.Function.Name
		var schema struct {
			Type       string                     `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
			Required   []string                   `json:"required"`
			Additional *bool                      `json:"additionalProperties"`
		}
		switch err := json.Unmarshal(t.Function.Parameters, &schema); {
		case t.Type != "function" || !toolName.MatchString(name) || names[name]:
			return fmt.Errorf("tool %q is no function with a name of its own", name)
		case err != nil || schema.Type != "object" || schema.Properties == nil:
			return fmt.Errorf("the parameters of %s are no schema of an object", name)
		case t.Function.Strict != nil && *t.Function.Strict && (len(schema.Required) != len(schema.Properties) || schema.Additional == nil || *schema.Additional):
			return fmt.Errorf("the schema of %s does not allow strict mode", name)
		}
		names[name] = true
	}
	return nil
}

// checkMessages holds the rules of the order: a user's message first and after
// it, and behind every assistant's message one result for each of its calls,
// before anything else.
func (q *request) checkMessages() error {
	open := map[string]bool{}
	for i, m := range q.Messages {
		fault := func(format string, of ...any) error {
			return fmt.Errorf("messages[%d]: %s", i, fmt.Sprintf(format, of...))
		}
		if m.Role != "tool" && len(open) > 0 {
			return fault("an assistant message with tool_calls must be followed by a tool message for each tool_call_id; %d are missing", len(open))
		}
		if m.Role != "assistant" && (m.Content == nil || m.Calls != nil || m.Reasoning != nil || m.ReasoningContent != nil) {
			return fault("a message of the role %s has content and nothing else", m.Role)
		}
		switch m.Role {
		case "system":
			if i > 0 {
				return fault("a system message must be the first")
			}
		case "user":
		case "tool":
			if !open[m.CallID] {
				return fault("tool_call_id %q is that of no call before it", m.CallID)
			}
			delete(open, m.CallID)
		case "assistant":
			if i == 0 || m.Content == nil && len(m.Calls) == 0 {
				return fault("an assistant message must follow another and have content or tool_calls")
			}
			for _, c := range m.Calls {
				var arguments map[string]json.RawMessage
				switch {
				case c.ID == "" || open[c.ID]:
					return fault("id %q of a call is empty or there twice", c.ID)
				case c.Type != "function" || !toolName.MatchString(c.Function.Name):
					return fault("%q can't be the name of a function", c.Function.Name)
				case json.Unmarshal([]byte(c.Function.Arguments), &arguments) != nil || arguments == nil:
					return fault("the arguments of %s are not a JSON object: %s", c.Function.Name, c.Function.Arguments)
				}
				open[c.ID] = true
			}
		default:
			return fault("unknown role %q", m.Role)
		}
	}
	if n := len(q.Messages); n == 0 || len(open) > 0 || q.Messages[n-1].Role == "assistant" || q.Messages[n-1].Role == "system" {
		return errors.New("messages must end with a user's message or with all results of the last calls")
	}
	return nil
}

func (q *request) maxTokens() int {
	for _, n := range []*int{q.MaxTokens, q.MaxCompletion} {
		if n != nil {
			return *n
		}
	}
	return 0
}

func (q *request) tokens() (n int) {
	text := func(s *string) {
		if s != nil {
			n += token.Count(*s)
		}
	}
	for _, m := range q.Messages {
		n += 4
		text(m.Content)
		text(m.Reasoning)
		text(m.ReasoningContent)
		for _, c := range m.Calls {
			n += token.Count(c.Function.Name) + token.Count(c.Function.Arguments)
		}
	}
	for _, t := range q.Tools {
		n += token.Count(t.Function.Description) + token.Count(string(t.Function.Parameters))
	}
	return n
}
