package harmony

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/policy/reply"
)

// actionOf makes an action of a reply to a view. ok is false where the reply
// neither calls nor answers; what it thought and said is there all the same.
func actionOf(messages []message, v *winnow.View) (a winnow.Action, ok bool) {
	r := reader{view: v}
	for _, m := range messages {
		r.read(m)
	}
	a = winnow.Action{Reasoning: join(r.reasoning), Text: join(append(r.said, r.final...)), Calls: r.calls, Warnings: r.warnings}
	if r.final != nil {
		a.Answer = answerOf(join(r.final), v)
	} else if len(a.Calls) == 0 {
		if a.Answer = reply.Answer(a.Text); a.Answer != nil {
			a.Answer.Flags = append(a.Answer.Flags, "the answer was not on the final channel")
		}
	}
	return a, len(a.Calls) > 0 || a.Answer != nil
}

// reader sorts messages by what they do.
type reader struct {
	view      *winnow.View
	reasoning []string
	said      []string
	final     []string
	calls     []winnow.Call
	warnings  []string
}

func (r *reader) read(m message) {
	to := m.recipient
	if to == "assistant" || to == "user" || to == "all" {
		to = ""
	}
	holds := strings.HasPrefix(strings.TrimSpace(m.content), "{") || strings.HasPrefix(strings.TrimSpace(m.content), "[")
	switch {
	case to != "" && (holds || m.channel == "" || m.channel == "commentary"):
		r.call(to, m.content)
	case holds && (m.call || m.channel == "commentary" || m.channel == "") && r.unaddressed(m):
	case strings.TrimSpace(m.content) == "":
	case m.channel == "analysis":
		r.reasoning = append(r.reasoning, m.content)
	case m.channel == "final":
		r.final = append(r.final, m.content)
	default:
		r.said = append(r.said, m.content)
	}
}

// unaddressed reads a call whose recipient is missing: one that names its tool
// inside, a batch, or one that was sent as a call and has a tool's parameters.
func (r *reader) unaddressed(m message) bool {
	given, _, ok := arguments(m.content)
	if !ok {
		return false
	}
	if list := batch(given); len(list) > 0 && list[0].name() != "" {
		r.warn("a call named no recipient")
		r.call(harmony.Batch, given)
		return true
	}
	var one inner
	if json.Unmarshal([]byte(given), &one) == nil && one.name() != "" && one.arguments() != "" {
		r.warn("a call named no recipient")
		r.call(one.name(), one.arguments())
		return true
	}
	if !m.call {
		return false
	}
	var named map[string]json.RawMessage
	if json.Unmarshal([]byte(given), &named) != nil || len(named) == 0 {
		return false
	}
	for i := range r.view.Tools {
		// The first that fits: search_corpus stands before whatever else takes a
		// query.
		if t := &r.view.Tools[i]; takes(t, named) {
			r.warn("a call named no recipient")
			r.call(t.Name, given)
			return true
		}
	}
	return false
}

// takes reports whether arguments are those of a tool: all that it needs, and
// nothing that it does not know.
func takes(t *winnow.Tool, given map[string]json.RawMessage) bool {
	known := 0
	for _, p := range t.Parameters {
		if _, ok := given[p.Name]; ok {
			known++
		} else if !p.Optional {
			return false
		}
	}
	return known == len(given)
}

// call takes in a call with its name and arguments mended.
func (r *reader) call(to, content string) {
	tool, changed := r.tool(to)
	if changed {
		r.warn("the name of a tool was mended")
	}
	given, changed, ok := arguments(content)
	switch {
	case !ok:
		r.warn("the arguments of a call are not JSON")
	case changed:
		r.warn("the arguments of a call were mended")
	}
	if tool != harmony.Batch || !ok {
		r.calls = append(r.calls, winnow.Call{Tool: tool, Arguments: given})
		return
	}
	r.batch(given)
}

// batch takes in several calls that came as one. They stay one where the view
// declares the tool for it, as the model wrote them if nothing had to be mended;
// elsewhere they become calls of their own.
func (r *reader) batch(arguments string) {
	list := batch(arguments)
	mended := len(list) == 0
	var b strings.Builder
	var calls []winnow.Call
	for _, c := range list {
		name, changed := r.tool(c.name())
		if name == "" {
			mended = true
			continue // cut off before it said what it is
		}
		given := cmp.Or(c.arguments(), "{}")
		mended = mended || changed || c.foreign() || given != string(c.Parameters)
		calls = append(calls, winnow.Call{Tool: name, Arguments: given})
		b.WriteString(`, {"tool_name": "` + name + `", "parameters": ` + given + `}`)
	}
	if !r.declared(harmony.Batch) && len(calls) > 0 {
		r.calls = append(r.calls, calls...)
		return
	}
	if mended && len(calls) > 0 {
		r.warn("a batch of calls was mended")
		arguments = "[" + b.String()[len(", "):] + "]"
	}
	r.calls = append(r.calls, winnow.Call{Tool: harmony.Batch, Arguments: arguments})
}

// tool is the declared tool that a name means, or the name itself. Names lose
// the namespace and whatever the model let run into them.
func (r *reader) tool(to string) (name string, changed bool) {
	to = strings.TrimSpace(to)
	to, _, _ = strings.Cut(to, "<|")
	bare := strings.TrimPrefix(to, "functions.")
	if r.declared(bare) {
		return bare, false
	}
	plain := letters(strings.TrimPrefix(to, "functions"))
	if strings.HasPrefix(plain, letters(harmony.Batch)) {
		return harmony.Batch, bare != harmony.Batch // OpenAI's own is multi_tool_use.parallel
	}
	for i := range r.view.Tools {
		if n := r.view.Tools[i].Name; letters(n) == plain {
			return n, true
		}
	}
	return strings.Map(nameRune, bare), false
}

func (r *reader) declared(tool string) bool {
	for i := range r.view.Tools {
		if r.view.Tools[i].Name == tool {
			return true
		}
	}
	return false
}

// letters reduces a name to what models do not get wrong.
func letters(name string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, strings.ToLower(name))
}

// nameRune keeps what may stand in the name of a tool.
func nameRune(c rune) rune {
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' {
		return c
	}
	return -1
}

func (r *reader) warn(warning string) {
	for _, w := range r.warnings {
		if w == warning {
			return
		}
	}
	r.warnings = append(r.warnings, warning)
}

func join(texts []string) string {
	var kept []string
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n\n")
}
