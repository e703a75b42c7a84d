package ingest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
)

// Session logs of coding assistants are JSONL files of events. The tools agree
// on little more than that a message has a role and a content which is a text or
// a list of parts, so the reader looks for that shape at any depth instead of
// knowing each tool: it passes through wrappers, takes text where text is, and
// names the tool where a tool is called or answers.

// isSession reports whether a JSONL file is a session log: one of its first
// lines holds a message.
func isSession(data []byte) bool {
	for range 50 {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole && !json.Valid(line) {
			return false
		}
		if event := parseEvent(line); len(event.parts) > 0 {
			return true
		}
		data = rest
	}
	return false
}

// readSession reads a log as one document: a section per part of a message,
// headed by the request that it serves, with role, tool and time as metadata.
func readSession(src *source) (*draft, error) {
	var s sessionText
	left := 0
	for line := range bytes.Lines(src.data) {
		if s.text.Len() > src.maxText {
			break
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if !json.Valid(line) {
			left++
			continue
		}
		s.event(parseEvent(line))
	}
	if left > 0 {
		src.warn("%d lines that are not JSON are left out", left)
	}
	d := &draft{title: s.title, text: src.limit(s.text.String(), false), sections: s.sections, metadata: s.metadata}
	if d.title == "" {
		d.title = s.request
	}
	return d, nil
}

// sessionText renders events.
type sessionText struct {
	text     strings.Builder
	sections []section
	metadata winnow.Metadata
	title    string            // the log's own summary
	request  string            // the first thing the user asked
	heading  string            // the last thing the user asked
	tools    map[string]string // call id → tool
}

func (s *sessionText) event(e sessionEvent) {
	if e.summary != "" && s.title == "" {
		s.title = oneLine(e.summary)
	}
	if s.metadata == nil {
		s.metadata, s.tools = winnow.Metadata{}, map[string]string{}
	}
	for key, value := range e.session {
		if _, known := s.metadata[key]; !known {
			s.metadata[key] = value
		}
	}
	for _, p := range e.parts {
		s.part(e, p)
	}
}

func (s *sessionText) part(e sessionEvent, p sessionPart) {
	if blank(p.text) {
		return
	}
	role, tool := e.role, p.tool
	if p.result {
		role = "tool"
		if tool == "" {
			tool = s.tools[p.call]
		}
	} else if p.call != "" {
		s.tools[p.call] = tool
	}
	if role == "user" {
		s.heading = oneLine(p.text)
		if s.request == "" {
			s.request = s.heading
		}
	}
	metadata := winnow.Metadata{"role": role}
	label := role
	if tool != "" {
		metadata["tool"] = tool
		label += " " + tool
	}
	if e.time != "" {
		metadata["time"] = e.time
	}
	s.sections = append(s.sections, section{at: s.text.Len(), heading: s.heading, metadata: metadata})
	s.text.WriteString(label)
	s.text.WriteString(": ")
	s.text.WriteString(strings.TrimSpace(p.text))
	s.text.WriteString("\n\n")
}

// sessionEvent is one line of a log.
type sessionEvent struct {
	role    string
	time    string
	summary string
	session winnow.Metadata // facts about the whole session
	parts   []sessionPart
}

// sessionPart is a piece of a message: said, a call, or a call's result.
type sessionPart struct {
	text   string
	tool   string
	call   string // id that joins a result to its call
	result bool
}

// sessionFacts are fields of events that hold for the whole session, and their
// metadata keys.
var sessionFacts = map[string]string{
	"sessionId": "session", "session_id": "session", "cwd": "cwd", "gitBranch": "branch", "model": "model",
}

func parseEvent(line []byte) sessionEvent {
	value, err := decodeJSON(line)
	if err != nil {
		return sessionEvent{}
	}
	var e sessionEvent
	object, ok := value.(map[string]any)
	if !ok {
		return e
	}
	e.read(object, 0)
	return e
}

// maxNesting bounds the wrappers around a message.
const maxNesting = 6

// read takes what it knows from an object and descends into its wrappers.
func (e *sessionEvent) read(o map[string]any, depth int) {
	if depth > maxNesting {
		return
	}
	for field, key := range sessionFacts {
		if v := stringOf(o[field]); v != "" {
			if e.session == nil {
				e.session = winnow.Metadata{}
			}
			e.session[key] = v
		}
	}
	for _, field := range [...]string{"timestamp", "time", "created_at", "ts"} {
		if v := stringOf(o[field]); v != "" && e.time == "" {
			e.time = v
		}
	}
	kind := stringOf(o["type"])
	if kind == "summary" || kind == "ai-title" || kind == "custom-title" {
		e.summary = firstString(o, "summary", "title", "aiTitle", "customTitle")
	}
	role := stringOf(o["role"])
	switch {
	case isRole(role):
		e.role = role
	case e.role == "" && isRole(kind):
		e.role = kind
	}
	switch {
	case isCall(kind), isResult(kind):
		if e.role == "" {
			e.role = "assistant"
		}
		e.parts = append(e.parts, partOf(o))
		return
	case isRole(role) || kind == "message" || kind == "reasoning":
		if e.role == "" {
			e.role = "assistant"
		}
		e.content(o)
		return
	}
	for _, wrapper := range [...]string{"message", "payload", "item", "data", "event"} {
		switch inner := o[wrapper].(type) {
		case map[string]any:
			e.read(inner, depth+1)
		case string:
			if e.role != "" && wrapper == "message" {
				e.parts = append(e.parts, sessionPart{text: inner})
			}
		}
	}
	if messages, ok := o["messages"].([]any); ok {
		for _, m := range messages {
			if inner, ok := m.(map[string]any); ok {
				e.read(inner, depth+1)
			}
		}
	}
	if len(e.parts) == 0 && e.role != "" {
		e.content(o)
	}
}

// content reads the parts of a message.
func (e *sessionEvent) content(o map[string]any) {
	result := e.role == "tool" || e.role == "function"
	for _, field := range [...]string{"content", "summary", "text"} {
		switch c := o[field].(type) {
		case string:
			e.parts = append(e.parts, sessionPart{
				text: c, result: result, tool: stringOf(o["name"]), call: stringOf(o["tool_call_id"]),
			})
		case []any:
			for _, item := range c {
				switch item := item.(type) {
				case string:
					e.parts = append(e.parts, sessionPart{text: item})
				case map[string]any:
					e.parts = append(e.parts, partOf(item))
				}
			}
		default:
			continue
		}
		break
	}
	if calls, ok := o["tool_calls"].([]any); ok {
		for _, call := range calls {
			if call, ok := call.(map[string]any); ok {
				e.parts = append(e.parts, partOf(call))
			}
		}
	}
}

func isRole(s string) bool {
	switch s {
	case "user", "human", "assistant", "model", "ai", "system", "developer", "tool", "function":
		return true
	}
	return false
}

func isCall(kind string) bool {
	return strings.HasSuffix(kind, "tool_use") || strings.HasSuffix(kind, "_call") || kind == "tool-call"
}

func isResult(kind string) bool {
	return strings.HasSuffix(kind, "tool_result") || strings.HasSuffix(kind, "_call_output") || kind == "tool-result"
}

// partOf reads a part in any of the known notations.
func partOf(o map[string]any) sessionPart {
	kind := stringOf(o["type"])
	p := sessionPart{call: firstString(o, "call_id", "tool_use_id", "tool_call_id", "id")}
	switch {
	case isResult(kind):
		p.result = true
		p.tool = stringOf(o["name"])
		p.text = plainText(firstOf(o, "content", "output", "result"), 0)
	case isCall(kind) || o["function"] != nil:
		if function, ok := o["function"].(map[string]any); ok {
			o = function
		}
		p.tool = stringOf(o["name"])
		if p.tool == "" {
			p.tool = strings.TrimSuffix(kind, "_call")
		}
		p.text = plainText(firstOf(o, "input", "arguments", "args", "action"), 0)
	default:
		p.call = ""
		p.text = plainText(firstOf(o, "text", "thinking", "content", "input_text", "output_text"), 0)
	}
	return p
}

func firstOf(o map[string]any, keys ...string) any {
	for _, key := range keys {
		if v, ok := o[key]; ok && v != nil {
			return v
		}
	}
	return nil
}

func firstString(o map[string]any, keys ...string) string {
	for _, key := range keys {
		if s := stringOf(o[key]); s != "" {
			return s
		}
	}
	return ""
}

// plainText renders what a tool was given or gave: text as it is, parts one
// below the other, other objects as "key: value" lines. A text that is itself
// JSON, as arguments often are, is unpacked. Images are left out.
func plainText(value any, depth int) string {
	if depth > maxNesting {
		return ""
	}
	switch v := value.(type) {
	case string:
		if strings.HasPrefix(v, "{") {
			if inner, err := decodeJSON([]byte(v)); err == nil {
				return plainText(inner, depth+1)
			}
		}
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "true"
		}
		return "false"
	case []any:
		var parts []string
		for _, item := range v {
			if text := plainText(item, depth+1); text != "" {
				parts = append(parts, text)
			}
		}
		return strings.Join(parts, "\n")
	case map[string]any:
		switch kind := stringOf(v["type"]); {
		case kind == "image" || kind == "input_image" || kind == "image_url":
			return ""
		case kind != "":
			if text := stringOf(v["text"]); text != "" {
				return text
			}
		}
		var b strings.Builder
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(key + ": " + plainText(v[key], depth+1))
		}
		return b.String()
	}
	return ""
}
