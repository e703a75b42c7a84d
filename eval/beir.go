package eval

import (
	"os"
	"path/filepath"

	"github.com/winnow-search/winnow"
)

// BEIR: corpus.jsonl and queries.jsonl with _id and text, and one qrels file per
// split. Questions that a split does not judge are not part of it.

type beirRecord struct {
	ID       string          `json:"_id"`
	Title    string          `json:"title"`
	Text     string          `json:"text"`
	Metadata winnow.Metadata `json:"metadata"`
}

func readBEIR(l *loader, path string) error {
	folder, judgements := path, path
	if l.folder {
		judgements = beirSplit(matching(filepath.Join(folder, "qrels"), "*.tsv"))
	} else {
		folder = filepath.Dir(filepath.Dir(path))
		l.Name = title(folder, true) + "/" + title(path, false)
	}
	if judgements == "" {
		p := position{file: filepath.Join(folder, "qrels")}.problem(UnknownFormat, "there is no test.tsv and no single split to choose")
		p.Hint = "name the split's file instead of the folder"
		return p
	}
	queries := filepath.Join(folder, "queries.jsonl")
	l.Files = append(l.Files, queries, judgements)
	judged, err := readQrels(judgements)
	if err != nil {
		return err
	}
	for r, err := range jsonLines(queries) {
		if err != nil {
			return err
		}
		var q beirRecord
		if err := r.decode(&q); err != nil {
			return err
		}
		if judged.grades[q.ID] == nil {
			continue
		}
		if err := l.add(r.position, judged.task(q.ID, q.Text)); err != nil {
			return err
		}
	}
	judged.missing(l, judgements)
	corpus := filepath.Join(folder, "corpus.jsonl")
	if _, err := os.Stat(corpus); err != nil {
		return nil
	}
	l.Files = append(l.Files, corpus)
	l.documents = corpusLines(corpus, func(r record) (Document, error) {
		var d beirRecord
		err := r.decode(&d)
		return Document{ID: d.ID, Title: d.Title, Text: d.Text, Metadata: d.Metadata}, err
	})
	return nil
}

// beirSplit takes the test split, as published figures do, or the only one.
func beirSplit(splits []string) string {
	for _, file := range splits {
		if filepath.Base(file) == "test.tsv" {
			return file
		}
	}
	if len(splits) == 1 {
		return splits[0]
	}
	return ""
}
