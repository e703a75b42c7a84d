package local

import (
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/ingest"
)

func put(t *testing.T, ix *index.Index, id, text string) {
	t.Helper()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(t.Context(), ingest.New(id, id, text, nil)); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) (*index.Index, *Corpus) {
	t.Helper()
	ix, err := index.Create(t.TempDir(), index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	put(t, ix, "a", "apples are red")
	c, err := Open(ix, Options{Collection: "fruit"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return ix, c
}

func TestEverythingSaysItsCollection(t *testing.T) {
	_, c := open(t)
	r, err := c.Search(t.Context(), winnow.Query{Text: "apples"})
	if err != nil || len(r.Hits) != 1 || r.Hits[0].Collection != "fruit" {
		t.Errorf("search gives %+v (%v)", r, err)
	}
	m, err := c.Grep(t.Context(), winnow.GrepQuery{Pattern: "red"})
	if err != nil || len(m.Matches) != 1 || m.Matches[0].Chunk.Collection != "fruit" {
		t.Errorf("grep gives %+v (%v)", m, err)
	}
	d, err := c.Read(t.Context(), winnow.ReadQuery{ID: "a"})
	if err != nil || len(d.Chunks) != 1 || d.Chunks[0].Collection != "fruit" {
		t.Errorf("read gives %+v (%v)", d, err)
	}
	if d, err := c.Describe(t.Context()); err != nil || d.Documents != 1 {
		t.Errorf("describe gives %+v (%v)", d, err)
	}
}

func TestNeighboursSayTheirCollection(t *testing.T) {
	ix, _ := open(t)
	put(t, ix, "Golden Delicious", "A sweet apple.")
	put(t, ix, "orchard", "We grow Golden Delicious here.")
	c, err := Open(ix, Options{Collection: "fruit"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	n, err := c.Neighbours(t.Context(), winnow.LinkQuery{From: []string{"orchard"}})
	if err != nil || len(n.Neighbours) != 1 || n.Neighbours[0].Document != "Golden Delicious" || n.Neighbours[0].Collection != "fruit" {
		t.Errorf("neighbours gives %+v (%v)", n, err)
	}
}

func TestACorpusStaysAtItsGeneration(t *testing.T) {
	ix, before := open(t)
	put(t, ix, "b", "bananas are yellow")
	after, err := Open(ix, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	for c, want := range map[*Corpus]int{before: 0, after: 1} {
		r, err := c.Search(t.Context(), winnow.Query{Text: "bananas"})
		if err != nil || len(r.Hits) != want {
			t.Errorf("%d hits (%v), want %d", len(r.Hits), err, want)
		}
	}
}

func TestErrorsPassThrough(t *testing.T) {
	_, c := open(t)
	if _, err := c.Read(t.Context(), winnow.ReadQuery{ID: "nothing"}); winnow.CodeOf(err) != winnow.NotFound {
		t.Errorf("an unknown id gives %v", err)
	}
	if _, err := c.Grep(t.Context(), winnow.GrepQuery{Pattern: "("}); winnow.CodeOf(err) != winnow.BadPattern {
		t.Errorf("a bad pattern gives %v", err)
	}
	if _, err := c.Search(t.Context(), winnow.Query{Text: "x", Scope: winnow.Scope{Where: []byte("{")}}); winnow.CodeOf(err) != winnow.BadFilter {
		t.Errorf("a bad filter gives %v", err)
	}
}
