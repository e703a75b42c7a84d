package reply

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/winnow-search/winnow"
)

var (
	documentTag   = regexp.MustCompile(`(?i)<document\s+(?:id|doc_id|name)\s*=\s*("[^"]*"|'[^']*'|[^>]*)[^>]*>`)
	noneTag       = regexp.MustCompile(`(?i)<none\s*/?>`)
	justification = regexp.MustCompile(`(?is)<justification>(.*?)(?:</justification>|</document>|$)`)
	fence         = regexp.MustCompile("(?s)```[a-zA-Z]*\\s*\\n?(.*?)(?:```|$)")
)

// Answer reads the conclusion in a model's words: documents in tags, as the
// prompts ask for, or as JSON. It is nil if there is none.
func Answer(text string) *winnow.Answer {
	if a := tagged(text); a != nil {
		return a
	}
	if a := inJSON(text); a != nil {
		return a
	}
	if noneTag.MatchString(text) {
		return &winnow.Answer{Selected: []winnow.Choice{}}
	}
	return nil
}

func tagged(text string) *winnow.Answer {
	tags := documentTag.FindAllStringSubmatchIndex(text, -1)
	if len(tags) == 0 {
		return nil
	}
	a := &winnow.Answer{Selected: []winnow.Choice{}}
	for i, tag := range tags {
		end := len(text)
		if i+1 < len(tags) {
			end = tags[i+1][0]
		}
		c := winnow.Choice{ID: tagID(text[tag[2]:tag[3]])}
		if m := justification.FindStringSubmatch(text[tag[1]:end]); m != nil {
			c.Justification = strings.TrimSpace(m[1])
		}
		if c.ID != "" {
			a.Selected = append(a.Selected, c)
		}
	}
	return a
}

func tagID(id string) string {
	if id = strings.TrimSpace(id); len(id) >= 2 && (id[0] == '"' || id[0] == '\'') {
		if inner, _, ok := strings.Cut(id[1:], id[:1]); ok {
			return strings.TrimSpace(inner)
		}
	}
	return strings.TrimSpace(strings.TrimSuffix(id, "/"))
}

// maxOpenings bounds how many brackets in a text are tried as the beginning of
// JSON: an answer begins early, and trying is not free.
const maxOpenings = 16

// inJSON finds an answer written as JSON, alone, fenced or behind some words.
func inJSON(text string) *winnow.Answer {
	if m := fence.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	for at, tries := 0, 0; tries < maxOpenings; tries++ {
		next := strings.IndexAny(text[at:], "{[")
		if next < 0 {
			return nil
		}
		at += next
		var value any
		if json.NewDecoder(strings.NewReader(text[at:])).Decode(&value) == nil {
			if a := fromJSON(value); a != nil {
				return a
			}
		}
		at++
	}
	return nil
}

func fromJSON(value any) *winnow.Answer {
	switch v := value.(type) {
	case []any:
		return fromList(v)
	case map[string]any:
		for _, key := range []string{"documents", "selected", "ranking", "results", "answer"} {
			list, ok := v[key].([]any)
			if !ok {
				continue
			}
			a := fromList(list)
			if c, ok := v["confidence"].(float64); ok && a != nil {
				a.Confidence = &c
			}
			return a
		}
	}
	return nil
}

// fromList takes ids, or objects with an id. A list of anything else is not an
// answer.
func fromList(list []any) *winnow.Answer {
	a := &winnow.Answer{Selected: []winnow.Choice{}}
	for _, item := range list {
		var c winnow.Choice
		switch v := item.(type) {
		case string:
			c.ID = v
		case map[string]any:
			c.ID = first(v, "id", "doc_id", "document_id", "document", "chunk_id", "handle")
			c.Justification = first(v, "justification", "reason", "why")
		}
		if c.ID = strings.TrimSpace(c.ID); c.ID == "" {
			return nil
		}
		a.Selected = append(a.Selected, c)
	}
	return a
}

func first(object map[string]any, keys ...string) string {
	for _, k := range keys {
		if s, ok := object[k].(string); ok && s != "" {
			return s
		}
	}
	return ""
}
