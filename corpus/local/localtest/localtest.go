// Package localtest makes corpora of the embedded engine for tests, on disk as
// they are for users.
package localtest

import (
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/index"
)

// Open returns a corpus over documents, with the vectors of all tiers, that is
// closed when the test ends.
func Open(t testing.TB, docs []*winnow.Document, o local.Options) *local.Corpus {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ix, err := index.Create(t.TempDir(), index.Settings{})
	must(err)
	defer ix.Close()
	w, err := ix.Writer()
	must(err)
	for _, d := range docs {
		must(w.Put(t.Context(), d))
	}
	must(w.Commit(t.Context()))
	must(w.Close())
	for _, tier := range o.Tiers {
		must(ix.Fill(t.Context(), tier.Embedder, index.FillOptions{}))
	}
	c, err := local.Open(ix, o)
	must(err)
	t.Cleanup(func() { c.Close() })
	return c
}
