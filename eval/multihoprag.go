package eval

import (
	"cmp"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"github.com/winnow-search/winnow"
)

// MultiHop-RAG is two arrays, news articles in corpus.json and questions in
// MultiHopRAG.json. An article is known by its URL. Questions have no ids and
// get their place in the file. Those with an empty evidence list are asked of
// nothing in the corpus.

type ragQuestion struct {
	Query    string `json:"query"`
	Answer   string `json:"answer"`
	Type     string `json:"question_type"`
	Evidence []struct {
		URL   string `json:"url"`
		Title string `json:"title"`
	} `json:"evidence_list"`
}

type ragArticle struct {
	Title     string `json:"title"`
	Author    string `json:"author"`
	Source    string `json:"source"`
	Category  string `json:"category"`
	Published string `json:"published_at"`
	URL       string `json:"url"`
	Body      string `json:"body"`
}

func readMultiHopRAG(l *loader, path string) error {
	if l.folder {
		path = filepath.Join(path, "MultiHopRAG.json")
	}
	l.Files = append(l.Files, path)
	n := 0
	for r, err := range jsonArray(path) {
		if err != nil {
			return err
		}
		n++
		var q ragQuestion
		if err := r.decode(&q); err != nil {
			return err
		}
		t := Task{ID: "mhr-" + strconv.Itoa(n), Question: q.Query, Type: q.Type}
		if q.Answer != "" {
			t.Answers = []string{q.Answer}
		}
		for _, e := range q.Evidence {
			t.Gold = append(t.Gold, cmp.Or(e.URL, e.Title))
		}
		t.Gold = distinct(t.Gold)
		t.Hops = len(t.Gold)
		if err := l.add(r.position, t); err != nil {
			return err
		}
	}
	corpus := filepath.Join(filepath.Dir(path), "corpus.json")
	if _, err := os.Stat(corpus); err == nil {
		l.Files = append(l.Files, corpus)
		l.documents = articles(corpus)
	}
	return nil
}

func articles(path string) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		seen := map[string]string{} // id → content
		for r, err := range jsonArray(path) {
			var a ragArticle
			if err == nil {
				err = r.decode(&a)
			}
			d := a.document()
			if err == nil && d.ID == "" {
				err = r.problem(Malformed, "the article has neither URL nor title")
			}
			content := contentID("", d.Title, d.Text)
			before, again := seen[d.ID]
			if err == nil && again && before != content {
				err = r.problem(Duplicate, "two different articles have the URL %q", d.ID)
			}
			if err != nil {
				yield(Document{}, err)
				return
			}
			if again {
				continue
			}
			seen[d.ID] = content
			if !yield(d, nil) {
				return
			}
		}
	}
}

func (a *ragArticle) document() Document {
	d := Document{ID: cmp.Or(a.URL, a.Title), Title: a.Title, Text: a.Body, Metadata: winnow.Metadata{}}
	for key, value := range map[string]string{
		"author": a.Author, "source": a.Source, "category": a.Category, "published_at": a.Published, "url": a.URL,
	} {
		if value != "" {
			d.Metadata[key] = value
		}
	}
	return d
}
