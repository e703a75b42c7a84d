package eval

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
)

// Load reads a data set. The path is a folder or a file of any [Format]; a BEIR
// folder stands for its test split, and qrels/NAME.tsv in it for another one.
//
// A fault that makes the whole set unreliable is returned as a *[Problem];
// questions that can't be scored are left out and listed in Problems.
func Load(path string) (*Dataset, error) {
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: "there is no data set at " + path}
	}
	if err != nil {
		return nil, err
	}
	read, format := detect(path, info.IsDir())
	if read == nil {
		p := position{file: path}.problem(UnknownFormat, "this is no data set that Winnow can read")
		p.Hint = "a folder with corpus.jsonl and questions.jsonl, a BEIR folder, or an original file of HotpotQA, 2WikiMultiHopQA, MuSiQue or MultiHop-RAG"
		return nil, p
	}
	l := &loader{
		Dataset: Dataset{Name: title(path, info.IsDir()), Format: format},
		folder:  info.IsDir(),
		seen:    map[string]position{},
	}
	if err := read(l, path); err != nil {
		return nil, err
	}
	if len(l.Tasks) == 0 {
		return nil, l.empty(path, "there is no question in it")
	}
	if err := l.Resolve(l.documents); err != nil {
		return nil, err
	}
	if len(l.Tasks) == 0 {
		return nil, l.empty(path, "none of its questions can be scored")
	}
	return &l.Dataset, nil
}

// loader is a data set on its way in.
type loader struct {
	Dataset
	folder bool                // whether the path is one
	seen   map[string]position // question ids
}

// add takes a task that a reader found at a place.
func (l *loader) add(at position, t Task) error {
	t.Question = strings.TrimSpace(t.Question)
	if t.Question == "" {
		return at.problem(Malformed, "the question is empty")
	}
	if t.ID == "" {
		return at.problem(Malformed, "the question has no id")
	}
	if first, again := l.seen[t.ID]; again {
		return at.problem(Duplicate, "the question id %q is used twice, first at %s:%d", t.ID, first.file, first.line)
	}
	l.seen[t.ID] = at
	t.at = at
	t.Gold = distinct(t.Gold)
	if t.Gold == nil && !t.Unjudged {
		t.Gold = []string{}
	}
	l.Tasks = append(l.Tasks, t)
	return nil
}

// drop lists a record that is no question.
func (l *loader) drop(at position, question, format string, args ...any) {
	p := at.problem(Unusable, format, args...)
	p.Question = question
	l.Problems = append(l.Problems, *p)
}

func (l *loader) empty(path, message string) *Problem {
	p := position{file: path}.problem(Empty, "%s", message)
	if len(l.Problems) > 0 {
		p.Hint = "the first that was left out: " + l.Problems[0].Error()
	}
	return p
}

// distinct keeps the first of equal values.
func distinct[S ~[]E, E comparable](values S) S {
	seen := make(map[E]bool, len(values))
	return slices.DeleteFunc(slices.Clone(values), func(v E) bool {
		again := seen[v]
		seen[v] = true
		return again
	})
}

// title is what people call a data set: its folder or file without extension.
func title(path string, folder bool) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute // so that "." has a name
	}
	base := filepath.Base(path)
	if folder {
		return base
	}
	return strings.TrimSuffix(base, filepath.Ext(base))
}
