package eval

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// HotpotQA's original file is an array of questions with their context;
// 2WikiMultiHopQA took over its shape and added evidences, which need no
// reading: the supporting titles are the documents either way.

type hotpotRecord struct {
	ID       string `json:"_id"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Type     string `json:"type"`
	// A test split has no supporting facts.
	Supporting *[]supportingFact `json:"supporting_facts"`
	Context    []paragraph       `json:"context"`
}

func readHotpotQA(l *loader, path string) error {
	l.Files = append(l.Files, path)
	for r, err := range jsonArray(path) {
		if err != nil {
			return err
		}
		var q hotpotRecord
		if err := r.decode(&q); err != nil {
			return err
		}
		if err := l.add(r.position, q.task()); err != nil {
			return err
		}
	}
	l.documents = union(jsonArray(path), func(r record) ([]Document, error) {
		var q hotpotRecord
		if err := r.decode(&q); err != nil {
			return nil, err
		}
		docs := make([]Document, len(q.Context))
		for i, p := range q.Context {
			docs[i] = p.document()
		}
		return docs, nil
	})
	return nil
}

func (q *hotpotRecord) task() Task {
	t := Task{ID: q.ID, Question: q.Question, Type: q.Type, Unjudged: q.Supporting == nil}
	if q.Answer != "" {
		t.Answers = []string{q.Answer}
	}
	if t.Unjudged {
		return t
	}
	ids := map[string]string{}
	for _, p := range q.Context {
		if _, taken := ids[p.title]; !taken {
			ids[p.title] = p.document().ID
		}
	}
	for _, fact := range *q.Supporting {
		id, ok := ids[fact.title]
		if !ok {
			// Not in the context, so not in the corpus: Resolve reports it.
			id = fmt.Sprintf("(paragraph %q)", fact.title)
		}
		t.Gold = append(t.Gold, id)
	}
	t.Gold = distinct(t.Gold)
	t.Hops = len(t.Gold)
	return t
}

// paragraph is [title, [sentence, …]].
type paragraph struct {
	title     string
	sentences []string
}

func (p *paragraph) UnmarshalJSON(data []byte) error {
	return pair(data, &p.title, &p.sentences, "a paragraph is [title, [sentence, …]]")
}

// document joins the sentences. HotpotQA's begin with the space that parts them
// from the one before, 2Wiki's do not.
func (p paragraph) document() Document {
	var b strings.Builder
	for _, s := range p.sentences {
		last, _ := utf8.DecodeLastRuneInString(b.String())
		first, _ := utf8.DecodeRuneInString(s)
		if b.Len() > 0 && s != "" && !unicode.IsSpace(last) && !unicode.IsSpace(first) {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	return passage(p.title, strings.TrimSpace(b.String()))
}

// supportingFact is [title, sentence number].
type supportingFact struct {
	title    string
	sentence int
}

func (f *supportingFact) UnmarshalJSON(data []byte) error {
	return pair(data, &f.title, &f.sentence, "a supporting fact is [title, sentence number]")
}

// pair reads a JSON array of two values of different types.
func pair(data []byte, a, b any, shape string) error {
	var parts []json.RawMessage
	if json.Unmarshal(data, &parts) != nil || len(parts) != 2 ||
		json.Unmarshal(parts[0], a) != nil || json.Unmarshal(parts[1], b) != nil {
		return fmt.Errorf("%s", shape)
	}
	return nil
}
