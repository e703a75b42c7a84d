package builtin

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/corpus/local/localtest"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/ingest"
	"github.com/winnow-search/winnow/rerank"
)

// indexed is a corpus of documents, searched by words and links as it is with
// --embedder off: no vectors, whose last bits differ from processor to processor.
func indexed(t testing.TB, docs []*winnow.Document) winnow.Corpus {
	t.Helper()
	ranker, err := rerank.Builtin("", index.Features)
	if err != nil {
		t.Fatal(err)
	}
	return localtest.Open(t, docs, local.Options{Collection: "test", Ranker: ranker})
}

// village is the corpus of the regression gate: wiki pages, mails, code, notes,
// news and rules about a place that does not exist.
func village(t testing.TB) winnow.Corpus {
	t.Helper()
	files := os.DirFS("../../eval/testdata/gate/corpus")
	var docs []*winnow.Document
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		read, _, err := ingest.Read(path, data)
		docs = append(docs, read...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) < 50 {
		t.Fatalf("the corpus has %d documents", len(docs))
	}
	return indexed(t, docs)
}

// invented are n documents of random sentences, which call each other by name.
func invented(r *rand.Rand, n int) []*winnow.Document {
	docs := make([]*winnow.Document, n)
	for i := range docs {
		var text strings.Builder
		for range r.IntN(40) {
			text.WriteString(inventedSentence(r, n) + " ")
			if r.IntN(8) == 0 {
				text.WriteString("\n\n")
			}
		}
		title := nameOf(i)
		if r.IntN(5) == 0 {
			title = ""
		}
		docs[i] = ingest.New(fmt.Sprintf("d%03d", i), title, text.String(), nil)
	}
	return docs
}

func inventedSentence(r *rand.Rand, n int) string {
	words := []string{"The"}
	for range 3 + r.IntN(12) {
		words = append(words, lexicon[min(r.IntN(len(lexicon)), r.IntN(len(lexicon)))])
		if n > 0 && r.IntN(6) == 0 {
			words = append(words, nameOf(r.IntN(n)))
		}
	}
	return strings.Join(words, " ") + "."
}

func nameOf(i int) string {
	return given[i%len(given)] + " " + given[(i/len(given)+3)%len(given)] + "son"
}

var (
	lexicon = strings.Fields("river bridge town mill harbour painted built in 1874 of the founder market light school 1901 which “quoted words” who " +
		"and brother <|end|> a_b_c first born ferry 12,000 museum wrote later than 東京 größe архив [c1] readFile\x00 it's")
	given = strings.Fields("Ada Bram Celia Doran Edda Falk Greta Hollis Ines Jory Kerra Lowen")
)

// ask answers a question and returns the trajectory, which must be whole.
func ask(t testing.TB, m *Model, o agent.Options) *winnow.Trajectory {
	t.Helper()
	o.Policy = m.Policy()
	trajectory, err := agent.Do(t.Context(), o)
	if err != nil {
		t.Fatalf("the run did not begin: %v", err)
	}
	if end := trajectory.End(); end == nil || end.Failure != nil {
		t.Fatalf("the run ended as %+v", end)
	}
	return trajectory
}

func written(t testing.TB, trajectory *winnow.Trajectory) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := trajectory.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
