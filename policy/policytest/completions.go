package policytest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/token"
)

// completion is a raw completion as it is asked for. What is not here is refused.
type completion struct {
	Model       string          `json:"model"`
	Prompt      json.RawMessage `json:"prompt"`
	MaxTokens   *int            `json:"max_tokens"`
	Temperature *float64        `json:"temperature"`
	TopP        *float64        `json:"top_p"`
	Seed        *int64          `json:"seed"`
	Stop        []token.ID      `json:"stop_token_ids"`
	ReturnIDs   bool            `json:"return_token_ids"`
	SkipSpecial *bool           `json:"skip_special_tokens"`

	ids []token.ID
}

// vocabulary is the number of ids that a harmony model has.
const vocabulary = 201088

func (s *Server) parseCompletion(body []byte) (*completion, error) {
	var q completion
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return nil, err
	}
	var text string
	switch err := json.Unmarshal(q.Prompt, &text); {
	case err == nil:
		q.ids = special(text)
	case s.Textual:
		return nil, errors.New("json: cannot unmarshal array into Go struct field CompletionRequest.prompt of type string")
	case json.Unmarshal(q.Prompt, &q.ids) != nil:
		return nil, errors.New("the prompt is neither a text nor a list of ids")
	}
	if slices.ContainsFunc(q.ids, func(id token.ID) bool { return id >= vocabulary }) {
		return nil, errors.New("a token id is out of vocabulary")
	}
	switch {
	case q.MaxTokens != nil && *q.MaxTokens < 1:
		return nil, errors.New("max_tokens must be at least 1")
	case q.Temperature != nil && *q.Temperature < 0:
		return nil, errors.New("temperature must be non-negative")
	case q.TopP != nil && (*q.TopP <= 0 || *q.TopP > 1):
		return nil, errors.New("top_p must be in (0, 1]")
	}
	return &q, checkHarmony(q.ids)
}

// room is what the reply may have: where nothing is said, 16 tokens, as
// completions have always had it.
func (q *completion) room() int {
	if q.MaxTokens == nil {
		return 16
	}
	return *q.MaxTokens
}

// checkHarmony holds a prompt to whole messages. No server does; but a model that
// is shown something else answers with nonsense, which a script would hide.
func checkHarmony(ids []token.ID) error {
	const between, header, content = 0, 1, 2
	state := between
	for i, id := range ids {
		switch {
		case state == between && id == token.Start:
			state = header
		case state == header && id == token.Message:
			state = content
		case state == header && (id == token.Channel || id == token.Constrain || !id.Special()):
		case state == content && (id == token.End || id == token.Call || id == token.Return):
			state = between
		case state == content && !id.Special():
		default:
			return fmt.Errorf("the prompt is not harmony at token %d", i)
		}
	}
	if state != between {
		return errors.New("the prompt ends within a message")
	}
	return nil
}

// harmony is the reply as a harmony model samples it, calls of one turn in a
// batch.
func (r *Reply) harmony() string {
	var b strings.Builder
	message := func(to, channel, text, end string) {
		b.WriteString("<|start|>assistant" + to + "<|channel|>" + channel + "<|message|>" + text + end)
	}
	if r.Reasoning != "" {
		message("", "analysis", r.Reasoning, "<|end|>")
	}
	switch len(r.Calls) {
	case 0:
	case 1:
		message(" to=functions."+r.Calls[0].Tool, "commentary <|constrain|>json", r.Calls[0].Arguments, "<|call|>")
	default:
		var list []string
		for _, c := range r.Calls {
			list = append(list, `{"tool_name": "`+c.Tool+`", "parameters": `+c.Arguments+"}")
		}
		message(" to=functions."+harmony.Batch, "commentary <|constrain|>json", "["+strings.Join(list, ", ")+"]", "<|call|>")
	}
	if r.Text != "" {
		message("", "final", r.Text, "<|return|>")
	}
	return b.String()
}

// completeText answers a raw completion: the reply up to a stop token, which
// stays out of the text, or up to its greatest length.
func (s *Server) completeText(w http.ResponseWriter, r *http.Request, body []byte) {
	q, err := s.parseCompletion(body)
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	reply, ok := s.admit(w, body, q.Model, len(q.ids), q.room())
	if !ok {
		return
	}
	out := special(reply.harmony())
	finish, reason := "stop", any(nil)
	text := out
	if i := slices.IndexFunc(out, func(id token.ID) bool { return slices.Contains(q.Stop, id) }); i >= 0 {
		reason = out[i]
		out, text = out[:i+1], out[:i]
	}
	if len(out) > q.room() {
		out, text = out[:q.room()], out[:q.room()]
		finish, reason = "length", nil
	}
	choice := object{"index": 0, "finish_reason": cmp.Or(reply.Finish, finish), "stop_reason": reason, "logprobs": nil, "text": token.Decode(text)}
	if q.SkipSpecial == nil || *q.SkipSpecial {
		choice["text"] = spelled.ReplaceAllString(token.Decode(text), "")
	}
	if q.ReturnIDs && !s.Textual {
		choice["token_ids"], choice["prompt_token_ids"] = out, q.ids
	}
	n := cmp.Or(reply.Prompt, len(q.ids))
	answer, err := json.Marshal(object{"object": "text_completion", "model": q.Model, "choices": []object{choice},
		"usage": object{"prompt_tokens": n, "completion_tokens": len(out), "total_tokens": n + len(out), "prompt_tokens_details": object{"cached_tokens": reply.Cached}}})
	if err != nil {
		panic(err) // maps of strings and numbers
	}
	w.Header().Set("Content-Type", "application/json")
	if reply.CutAfter > 0 || reply.Stall {
		w.Write(answer[:len(answer)/2])
		http.NewResponseController(w).Flush()
		if reply.Stall {
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	}
	w.Write(answer)
}

// spelled matches special tokens in text.
var spelled = regexp.MustCompile(`<\|[a-z_0-9]+\|>`)

// special encodes a text in which special tokens are spelled out.
func special(text string) (ids []token.ID) {
	named := map[string]token.ID{}
	for _, id := range []token.ID{token.Return, token.Constrain, token.Channel, token.Start, token.End, token.Message, token.Call} {
		named[token.Decode([]token.ID{id})] = id
	}
	from := 0
	for _, at := range spelled.FindAllStringIndex(text, -1) {
		if id, ok := named[text[at[0]:at[1]]]; ok {
			ids = append(token.Append(ids, text[from:at[0]]), id)
			from = at[1]
		}
	}
	return token.Append(ids, text[from:])
}
