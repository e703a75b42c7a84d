package policytest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/winnow-search/winnow/token"
)

// object is a JSON object of a reply.
type object = map[string]any

func (r *Reply) finish() string {
	if len(r.Calls) > 0 {
		return cmp.Or(r.Finish, "tool_calls")
	}
	return cmp.Or(r.Finish, "stop")
}

func (r *Reply) usage() object {
	completion := token.Count(r.Reasoning) + token.Count(r.Text)
	for _, c := range r.Calls {
		completion += token.Count(c.Arguments)
	}
	return object{"prompt_tokens": r.Prompt, "completion_tokens": completion, "total_tokens": r.Prompt + completion,
		"prompt_tokens_details": object{"cached_tokens": r.Cached}}
}

func (r *Reply) call(i int) object {
	c := r.Calls[i]
	return object{"id": cmp.Or(c.ID, fmt.Sprintf("chatcmpl-tool-%d", i)), "type": "function",
		"function": object{"name": c.Tool, "arguments": c.Arguments}}
}

func (r *Reply) whole(w http.ResponseWriter) {
	m := object{"role": "assistant", "content": r.Text, cmp.Or(r.Field, "reasoning_content"): r.Reasoning}
	var calls []object
	for i := range r.Calls {
		calls = append(calls, r.call(i))
	}
	m["tool_calls"] = calls
	write(w, object{"object": "chat.completion", "usage": r.usage(), "choices": []object{{"index": 0, "message": m, "finish_reason": r.finish()}}})
}

// deltas are the reply in small pieces. The calls come fragment by fragment, by
// turns, so that a client that goes by order and not by index mixes them up.
func (r *Reply) deltas() []object {
	out := []object{{"role": "assistant", "content": nil}}
	for _, p := range pieces(r.Reasoning) {
		out = append(out, object{cmp.Or(r.Field, "reasoning_content"): p})
	}
	for _, p := range pieces(r.Text) {
		out = append(out, object{"content": p})
	}
	rest := make([][]string, len(r.Calls))
	for i := range r.Calls {
		c := r.call(i)
		c["index"] = i
		c["function"] = object{"name": r.Calls[i].Tool, "arguments": ""}
		out = append(out, object{"tool_calls": []object{c}})
		rest[i] = pieces(r.Calls[i].Arguments)
	}
	for more := true; more; {
		more = false
		for i := range rest {
			if len(rest[i]) > 0 {
				out = append(out, object{"tool_calls": []object{{"index": i, "function": object{"arguments": rest[i][0]}}}})
				rest[i], more = rest[i][1:], true
			}
		}
	}
	return out
}

// pieces cuts a text every few runes.
func pieces(text string) (out []string) {
	for r := []rune(text); len(r) > 0; {
		n := min(7, len(r))
		out = append(out, string(r[:n]))
		r = r[n:]
	}
	return out
}

func (r *Reply) stream(w http.ResponseWriter, q *http.Request, usage bool) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	sent := 0
	send := func(value any) {
		b, err := json.Marshal(value)
		if err != nil {
			panic(err) // maps of strings and numbers
		}
		fmt.Fprintf(w, "data: %s\n\n", b)
		if sent++; sent == r.CutAfter || sent == 1 && r.Stall {
			http.NewResponseController(w).Flush()
		}
		if sent == r.CutAfter {
			panic(http.ErrAbortHandler)
		}
		if r.Stall {
			<-q.Context().Done()
			panic(http.ErrAbortHandler)
		}
	}
	chunk := func(delta object, finish any) object {
		return object{"object": "chat.completion.chunk", "choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	fmt.Fprint(w, ": comments keep the connection open\n\n")
	for _, d := range r.deltas() {
		send(chunk(d, nil))
	}
	send(chunk(object{}, r.finish()))
	if usage {
		send(object{"object": "chat.completion.chunk", "choices": []object{}, "usage": r.usage()})
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}
