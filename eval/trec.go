package eval

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// A TREC folder has one topics file and one qrels file, and a corpus.jsonl of
// ours where the documents are to be indexed from it. Topics are in the classic
// tagged form, or one "id<tab>question" a line.

func readTREC(l *loader, folder string) error {
	topics, judgements := matching(folder, "topics*"), matching(folder, "qrels*")
	if len(topics) > 1 || len(judgements) > 1 {
		p := position{file: folder}.problem(UnknownFormat, "there are several topics or qrels files in one folder")
		p.Hint = "keep one pair to a folder"
		return p
	}
	l.Files = append(l.Files, topics[0], judgements[0])
	judged, err := readQrels(judgements[0])
	if err != nil {
		return err
	}
	if err := readTopics(topics[0], func(at position, t topic) error {
		if judged.grades[t.id] == nil {
			return nil
		}
		return l.add(at, judged.task(t.id, t.question()))
	}); err != nil {
		return err
	}
	judged.missing(l, judgements[0])
	corpus := filepath.Join(folder, "corpus.jsonl")
	if _, err := os.Stat(corpus); err == nil {
		l.useCorpus(corpus)
	}
	return nil
}

// topic is one information need in the tagged form.
type topic struct {
	id     string
	fields map[string]string
}

// question is the title, the short form that published runs use, and the
// description where there is no title.
func (t topic) question() string {
	for _, field := range []string{"title", "desc"} {
		text := strings.Join(strings.Fields(t.fields[field]), " ")
		for _, label := range []string{"Topic:", "Description:"} {
			text = strings.TrimSpace(strings.TrimPrefix(text, label))
		}
		if text != "" {
			return text
		}
	}
	return ""
}

func readTopics(path string, add func(position, topic) error) error {
	var open *topic
	var start position
	field := ""
	for l, err := range textLines(path) {
		if err != nil {
			return err
		}
		tag, rest := tagOf(l.text)
		switch {
		case tag == "top":
			open, start, field = &topic{fields: map[string]string{}}, l.position, ""
		case open == nil:
			id, text, ok := strings.Cut(l.text, "\t")
			if !ok {
				return l.problem(Malformed, "a topic is a <top> element or a line of an id, a tab and a question")
			}
			if err := add(l.position, topic{id: strings.TrimSpace(id), fields: map[string]string{"title": text}}); err != nil {
				return err
			}
		case tag == "/top":
			open.id = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(open.fields["num"]), "Number:"))
			if err := add(start, *open); err != nil {
				return err
			}
			open = nil
		default:
			field = cmp.Or(tag, field)
			open.fields[field] += rest + " "
		}
	}
	if open != nil {
		return start.problem(Malformed, "the topic does not end")
	}
	return nil
}

// tagOf parts a line from the tag that it begins with, and from a closing tag at
// its end.
func tagOf(line string) (tag, rest string) {
	rest = line
	if strings.HasPrefix(line, "<") {
		if name, after, ok := strings.Cut(line[1:], ">"); ok {
			tag, rest = strings.ToLower(strings.TrimSpace(name)), after
		}
	}
	rest, _, _ = strings.Cut(rest, "</")
	return tag, rest
}
