// Package judge finds out what is right where no gold is known: people, or a
// model, look at what the runs have found and say whether it helps.
//
// The best documents of all runs are pooled, as TREC does it, and shown in an
// order that says nothing about who found them or how high. So no run can profit
// from a judge who knows it, and a document is judged once however many runs
// found it. What was traded away is completeness: what no run found is never
// judged, so recall is that of the pool, and a run that is added later may have
// found documents that nobody has judged. The share of those is always said.
package judge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval/folder"
)

// Verdict is what a judge says of a document.
type Verdict string

const (
	Relevant    Verdict = "relevant"
	NotRelevant Verdict = "not_relevant"
	Unsure      Verdict = "unsure"
)

// Valid reports whether it is one of the three.
func (v Verdict) Valid() bool { return v == Relevant || v == NotRelevant || v == Unsure }

// Person is the judge who is no model.
const Person = "person"

// Label is one verdict.
type Label struct {
	Question string    `json:"question"`
	Document string    `json:"document"`
	Verdict  Verdict   `json:"verdict"`
	By       string    `json:"by"` // Person, or the model's name
	At       time.Time `json:"at"`
}

// Pair is a question and a document.
type Pair struct{ Question, Document string }

// Book holds the labels of runs. They lie in the folder of every run that they
// were made for, and a later one replaces an earlier one of the same judge.
type Book struct {
	by    map[string]map[Pair]Label
	files []*os.File
}

// Open reads the labels of runs.
func Open(runs []*folder.Run) (*Book, error) {
	b := &Book{by: map[string]map[Pair]Label{}}
	for _, r := range runs {
		f, err := os.OpenFile(r.LabelsPath(), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
		b.files = append(b.files, f)
		whole, err := b.read(f, r.LabelsPath())
		if err == nil { // a line that was cut off is no label
			if err = f.Truncate(whole); err == nil {
				_, err = f.Seek(whole, io.SeekStart)
			}
		}
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	return b, nil
}

// Read reads the labels of runs without the right to add any.
func Read(runs []*folder.Run) (*Book, error) {
	b := &Book{by: map[string]map[Pair]Label{}}
	for _, r := range runs {
		f, err := os.Open(r.LabelsPath())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		_, err = b.read(f, r.LabelsPath())
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *Book) read(in io.Reader, path string) (whole int64, err error) {
	lines := bufio.NewReader(in)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, nil
		}
		if err != nil {
			return whole, err
		}
		var l Label
		if json.Unmarshal(line, &l) != nil || !l.Verdict.Valid() || l.Question == "" || l.Document == "" || l.By == "" {
			return whole, &winnow.Error{Code: winnow.Corrupt, Message: fmt.Sprintf("%s:%d: this is no label", path, n), Hint: "take the line out"}
		}
		whole += int64(len(line))
		b.note(l)
	}
}

func (b *Book) note(l Label) {
	of := b.by[l.By]
	if of == nil {
		of = map[Pair]Label{}
		b.by[l.By] = of
	}
	pair := Pair{l.Question, l.Document}
	if old, ok := of[pair]; !ok || !l.At.Before(old.At) {
		of[pair] = l
	}
}

// Add writes a label down before it counts: a person's work is not lost.
func (b *Book) Add(l Label) error {
	if l.At.IsZero() {
		l.At = time.Now().UTC()
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		return err
	}
	for _, f := range b.files {
		if _, err := f.Write(line.Bytes()); err != nil {
			return err
		}
		if l.By != Person {
			continue // a model can be asked again
		}
		if err := f.Sync(); err != nil {
			return err
		}
	}
	b.note(l)
	return nil
}

// By returns what a judge said of a document.
func (b *Book) By(judge string, p Pair) (Verdict, bool) {
	l, ok := b.by[judge][p]
	return l.Verdict, ok
}

// Judges are those who said something, the person first.
func (b *Book) Judges() []string {
	var models []string
	for _, judge := range sorted(b.by) {
		if judge != Person {
			models = append(models, judge)
		}
	}
	if len(b.by[Person]) > 0 {
		return append([]string{Person}, models...)
	}
	return models
}

// Verdict is what counts for a document: the person's word goes before that of
// models, and among these the first by name.
func (b *Book) Verdict(p Pair) (Verdict, bool) {
	for _, judge := range b.Judges() {
		if v, ok := b.By(judge, p); ok {
			return v, true
		}
	}
	return "", false
}

// Close closes the files.
func (b *Book) Close() error {
	var errs []error
	for _, f := range b.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
