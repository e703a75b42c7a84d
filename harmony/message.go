package harmony

import (
	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/token"
)

// prefix writes the system, developer and user messages. The bytes of the first
// two are the same for every question of a day, so that a server's cache holds
// them.
func prefix(w writer, v *winnow.View) {
	begin(w, "system")
	w.text("You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\n")
	if v.Date != "" {
		w.text("Current date: " + v.Date + "\n")
	}
	w.text("\nReasoning: high\n\n# Valid channels: analysis, commentary, final. Channel must be included for every message.")
	if len(v.Tools) > 0 {
		w.text("\nCalls to these tools must go to the commentary channel: 'functions'.")
	}
	w.special(token.End)
	if len(v.Tools) > 0 {
		begin(w, "developer")
		w.text(Declare(v.Tools))
		w.special(token.End)
	}
	user(w, v.Prompt)
}

func begin(w writer, role string) {
	w.special(token.Start)
	w.text(role)
	w.special(token.Message)
}

func user(w writer, text string) {
	begin(w, "user")
	w.text(text)
	w.special(token.End)
}

// action writes reasoning, words and calls, each a message of the assistant.
func action(w writer, a *winnow.Action) {
	said := func(channel, text string) {
		if text == "" {
			return
		}
		w.special(token.Start)
		w.text("assistant")
		w.special(token.Channel)
		w.text(channel)
		w.special(token.Message)
		w.text(text)
		w.special(token.End)
	}
	said("analysis", a.Reasoning)
	said("commentary", a.Text)
	for _, c := range a.Calls {
		w.special(token.Start)
		w.text("assistant to=functions." + c.Tool)
		w.special(token.Channel)
		w.text("commentary ")
		w.special(token.Constrain)
		w.text("json")
		w.special(token.Message)
		w.text(c.Arguments)
		w.special(token.Call)
	}
}

// results writes the answers to a turn's calls: a JSON string for a call, a JSON
// list for a batch. content writes what result i says, escaped.
func results(w writer, calls []winnow.Call, of []winnow.Result, content func(i int)) {
	for i := 0; i < len(of); {
		call := of[i].Call
		name := of[i].Tool
		batch := call < len(calls) && calls[call].Tool == Batch
		if call < len(calls) {
			name = calls[call].Tool
		}
		w.special(token.Start)
		w.text("functions." + name + " to=assistant")
		w.special(token.Channel)
		w.text("commentary")
		w.special(token.Message)
		if !batch {
			w.text(`"`)
			content(i)
			w.text(`"`)
			w.special(token.End)
			i++
			continue
		}
		for first := true; i < len(of) && of[i].Call == call; i++ {
			if first {
				w.text(`[{"type": "tool_result", "name": "`)
			} else {
				w.text(`, {"type": "tool_result", "name": "`)
			}
			first = false
			w.text(of[i].Tool + `", "content": ["`)
			content(i)
			w.text(`"]}`)
		}
		w.text("]")
		w.special(token.End)
	}
}
