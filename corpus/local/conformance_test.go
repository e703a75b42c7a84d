package local_test

import (
	"errors"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus"
	"github.com/winnow-search/winnow/corpus/corpustest"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/embed/static"
	"github.com/winnow-search/winnow/index"
)

// filled is a corpus over documents, with words, vectors and links.
func filled(t *testing.T, docs []*winnow.Document, name string, ranker index.Ranker) winnow.Corpus {
	t.Helper()
	ix, err := index.Create(t.TempDir(), index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if err := w.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	e := static.New()
	if err := errors.Join(w.Commit(t.Context()), w.Close(), ix.Fill(t.Context(), e, index.FillOptions{})); err != nil {
		t.Fatal(err)
	}
	c, err := local.Open(ix, local.Options{Collection: name, Tiers: []local.Tier{{Embedder: e, Ranker: ranker}}, Ranker: ranker})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestLocalKeepsThePromisesOfACorpus(t *testing.T) {
	for name, ranker := range map[string]index.Ranker{"fused": nil, "ranked": index.Unranked} {
		t.Run(name, func(t *testing.T) {
			corpustest.Run(t, func(t *testing.T, docs []*winnow.Document) winnow.Corpus { return filled(t, docs, "library", ranker) })
		})
	}
}

func TestJoinedKeepsThePromisesOfACorpus(t *testing.T) {
	corpustest.Run(t, func(t *testing.T, docs []*winnow.Document) winnow.Corpus {
		half := len(docs) / 2
		return corpus.Join(corpus.Member{Name: "left", Corpus: filled(t, docs[:half], "left", nil)},
			corpus.Member{Name: "right", Corpus: filled(t, docs[half:], "right", nil)})
	})
}
