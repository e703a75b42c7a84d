package chroma_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/corpus/chroma/chromatest"
	"github.com/winnow-search/winnow/corpus/corpustest"
	"github.com/winnow-search/winnow/embed/static"
	"github.com/winnow-search/winnow/index"
)

// dial returns a client of a collection.
func dial(t testing.TB, server, collection string, o chroma.Options) *chroma.Client {
	t.Helper()
	a, err := chroma.ParseAddress(server + "/" + collection)
	if err != nil {
		t.Fatal(err)
	}
	c, err := chroma.NewClient(a, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// written is a collection that holds documents. It is deleted with the test.
func written(t testing.TB, server, name string, docs []*winnow.Document) *chroma.Collection {
	t.Helper()
	client := dial(t, server, name, chroma.Options{})
	c, err := client.Make(t.Context(), nil, chroma.Function{Type: "unknown"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Drop(context.Background()) })
	put(t, c, docs...)
	if c, err = client.Collection(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func put(t testing.TB, c *chroma.Collection, docs ...*winnow.Document) {
	t.Helper()
	w := chroma.NewWriter(c, static.New())
	for _, d := range docs {
		if err := w.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// opened is the corpus of a collection with a fresh companion.
func opened(t testing.TB, c *chroma.Collection, o chroma.CorpusOptions) *chroma.Corpus {
	t.Helper()
	k := chroma.NewCompanion(t.TempDir(), chroma.CompanionOptions{})
	if _, err := k.Sync(t.Context(), c, chroma.SyncOptions{Embedder: o.Embedder}); err != nil {
		t.Fatal(err)
	}
	corpus, err := k.Open(c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { corpus.Close() })
	return corpus
}

func options() chroma.CorpusOptions {
	return chroma.CorpusOptions{Collection: "library", Embedder: static.New(), Ranker: index.Unranked, WordRanker: index.Unranked}
}

// names makes each collection of a run another.
func names() func() string {
	n := 0
	return func() string {
		n++
		return fmt.Sprintf("winnow-test-%d-%d-%d", os.Getpid(), time.Now().UnixNano(), n)
	}
}

func TestASingleNodeWithItsCompanionKeepsThePromisesOfACorpus(t *testing.T) {
	s, name := chromatest.Start(t, chromatest.Options{}), names()
	corpustest.Run(t, func(t *testing.T, docs []*winnow.Document) winnow.Corpus {
		return opened(t, written(t, s.URL, name(), docs), options())
	})
}

func TestTheSearchAPIKeepsThePromisesOfACorpus(t *testing.T) {
	s, name := chromatest.Start(t, chromatest.Options{Cloud: true}), names()
	corpustest.Run(t, func(t *testing.T, docs []*winnow.Document) winnow.Corpus {
		r, err := chroma.OpenRemote(t.Context(), written(t, s.URL, name(), docs), chroma.Layout{}, options())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	})
}

// realServer is the address of a Chroma server to test against.
func realServer(t testing.TB) string {
	t.Helper()
	url := os.Getenv("WINNOW_TEST_CHROMA")
	if url == "" {
		const why = "no Chroma server to test against: set WINNOW_TEST_CHROMA=chroma://host:port, or run .ci/chroma, which starts one"
		if os.Getenv("WINNOW_E2E") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	return url
}

func TestARealServerKeepsThePromisesOfACorpus(t *testing.T) {
	server, name := realServer(t), names()
	corpustest.Run(t, func(t *testing.T, docs []*winnow.Document) winnow.Corpus {
		return opened(t, written(t, server, name(), docs), options())
	})
}
