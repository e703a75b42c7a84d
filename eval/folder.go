package eval

import (
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// Our own shape: corpus.jsonl with id, title, text and metadata, and
// questions.jsonl with one Task a line, of which only the question is needed.

func readFolder(l *loader, folder string) error {
	if err := readQuestions(l, filepath.Join(folder, "questions.jsonl")); err != nil {
		return err
	}
	corpus := filepath.Join(folder, "corpus.jsonl")
	if _, err := os.Stat(corpus); err != nil {
		return nil // questions for a collection that is elsewhere
	}
	l.useCorpus(corpus)
	return nil
}

// useCorpus takes a corpus in our own shape.
func (l *loader) useCorpus(path string) {
	l.Files = append(l.Files, path)
	l.CorpusFile = path
	l.documents = corpusLines(path, func(r record) (Document, error) {
		var d Document
		err := r.decode(&d)
		return d, err
	})
}

func readQuestions(l *loader, path string) error {
	l.Files = append(l.Files, path)
	for r, err := range jsonLines(path) {
		if err != nil {
			return err
		}
		var t Task
		if err := r.decode(&t); err != nil {
			return err
		}
		if t.ID == "" {
			t.ID = contentID("q", t.Question)
		}
		t.Unjudged = t.Gold == nil && t.Grades == nil && t.Facts == nil
		t.Grades = positive(t.Grades)
		if t.Gold == nil && t.Facts == nil {
			t.Gold = sortedKeys(t.Grades)
		}
		if err := l.add(r.position, t); err != nil {
			return err
		}
	}
	return nil
}

// readLines reads the plainest form of all: a question a line, and lines that
// begin with # for people.
func readLines(l *loader, path string) error {
	l.Files = append(l.Files, path)
	for line, err := range textLines(path) {
		if err != nil {
			return err
		}
		if strings.HasPrefix(line.text, "#") {
			continue
		}
		if err := l.add(line.position, Task{ID: contentID("q", line.text), Question: line.text, Unjudged: true}); err != nil {
			return err
		}
	}
	return nil
}

// corpusLines yields the documents of a JSONL file and refuses an id that comes
// twice: which of the two texts is gold could not be told.
func corpusLines(path string, decode func(record) (Document, error)) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		seen := map[string]int{}
		for r, err := range jsonLines(path) {
			var d Document
			if err == nil {
				d, err = decode(r)
			}
			if err == nil && d.ID == "" {
				err = r.problem(Malformed, "the document has no id")
			}
			if first, again := seen[d.ID]; err == nil && again {
				err = r.problem(Duplicate, "the document id %q is used twice, first on line %d", d.ID, first)
			}
			if err != nil {
				yield(Document{}, err)
				return
			}
			seen[d.ID] = r.line
			if !yield(d, nil) {
				return
			}
		}
	}
}
