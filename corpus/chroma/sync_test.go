package chroma_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/corpus/chroma/chromatest"
	"github.com/winnow-search/winnow/corpus/corpustest"
	"github.com/winnow-search/winnow/embed/static"
)

func plain(id, text string) *winnow.Document {
	return &winnow.Document{ID: id, Title: id, Chunks: []winnow.Chunk{{Text: text, Lines: [2]int{1, 1}}}}
}

// servers are those that a test of a single node runs against: ours, and a real
// one where there is one.
func servers(t *testing.T, test func(t *testing.T, server string)) {
	t.Run("fake", func(t *testing.T) { test(t, chromatest.Start(t, chromatest.Options{}).URL) })
	t.Run("real", func(t *testing.T) { test(t, realServer(t)) })
}

func TestACompanionFollowsItsCollection(t *testing.T) {
	servers(t, func(t *testing.T, server string) {
		c := written(t, server, names()(), []*winnow.Document{plain("a", "apples are red"), plain("b", "bananas are yellow")})
		k := chroma.NewCompanion(t.TempDir(), chroma.CompanionOptions{})
		sync := func(full bool) *chroma.Synced {
			t.Helper()
			s, err := k.Sync(t.Context(), c, chroma.SyncOptions{Embedder: static.New(), Full: full})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		found := func(text string) []string {
			t.Helper()
			corpus, err := k.Open(c, options())
			if err != nil {
				t.Fatal(err)
			}
			defer corpus.Close()
			r, err := corpus.Search(t.Context(), winnow.Query{Text: text, K: 1, Legs: []winnow.Leg{winnow.LegBM25}})
			if err != nil {
				t.Fatal(err)
			}
			if corpus.Coverage() != 1 {
				t.Errorf("%v of it has vectors", corpus.Coverage())
			}
			var texts []string
			for _, h := range r.Hits {
				texts = append(texts, h.Text)
			}
			return texts
		}
		if s := sync(false); s.Put != 2 || s.Records != 2 {
			t.Errorf("the first sync: %+v", s)
		}
		if s := sync(false); s.Put+s.Deleted != 0 {
			t.Errorf("where nothing changed: %+v", s)
		}
		put(t, c, plain("c", "cherries are small"))
		if s := sync(false); s.Put != 1 || len(found("cherries")) != 1 {
			t.Errorf("a new record: %+v", s)
		}
		put(t, c, plain("a", "apples are green"))
		if s := sync(false); s.Put != 1 || !slices.Equal(found("apples"), []string{"apples are green"}) {
			t.Errorf("a record that changed in place: %+v, %v", s, found("apples"))
		}
		w := chroma.NewWriter(c, static.New())
		if err := w.Delete(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		if s := sync(true); s.Deleted != 1 || s.Records != 2 || len(found("bananas")) != 0 {
			t.Errorf("a record that is gone: %+v", s)
		}
	})
}

func TestACollectionMadeAgainIsFollowedAnew(t *testing.T) {
	s := chromatest.Start(t, chromatest.Options{})
	k := chroma.NewCompanion(t.TempDir(), chroma.CompanionOptions{})
	for _, text := range []string{"apples are red", "bananas are yellow"} {
		client := dial(t, s.URL, "again", chroma.Options{})
		c := written(t, s.URL, "again", []*winnow.Document{plain("a", text)})
		if _, err := k.Sync(t.Context(), c, chroma.SyncOptions{}); err != nil {
			t.Fatal(err)
		}
		corpus, err := k.Open(c, chroma.CorpusOptions{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := corpus.Read(t.Context(), winnow.ReadQuery{ID: "a"})
		if err != nil || d.Text() != text {
			t.Errorf("it holds %+v (%v), want %q", d, err, text)
		}
		corpus.Close()
		if err := client.Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A sync that is interrupted keeps what it read, and the next one goes on.
func TestAnInterruptedSyncGoesOn(t *testing.T) {
	fail := false
	served := 0
	s := chromatest.Start(t, chromatest.Options{Before: func(w http.ResponseWriter, r *http.Request) bool {
		if !fail || !strings.HasSuffix(r.URL.Path, "/get") {
			return false
		}
		if served++; served <= 3 { // the ids, the sample, the first page
			return false
		}
		w.WriteHeader(http.StatusBadRequest)
		return true
	}})
	var docs []*winnow.Document
	for i := range 2500 {
		docs = append(docs, plain(fmt.Sprintf("d%04d", i), fmt.Sprintf("document number %d", i)))
	}
	c := written(t, s.URL, "many", docs)
	k := chroma.NewCompanion(t.TempDir(), chroma.CompanionOptions{})
	fail = true
	if _, err := k.Sync(t.Context(), c, chroma.SyncOptions{}); err == nil {
		t.Fatal("a sync whose server fails succeeds")
	}
	fail = false
	state, err := k.State(c)
	if err != nil || state.Records == 0 || state.Records == len(docs) || state.Complete {
		t.Fatalf("after the failure it is %+v (%v)", state, err)
	}
	synced, err := k.Sync(t.Context(), c, chroma.SyncOptions{})
	if err != nil || synced.Put != len(docs)-state.Records || synced.Records != len(docs) {
		t.Errorf("the next sync: %+v (%v)", synced, err)
	}
}

// Chunks of one document that come on different pages make one document.
func TestADocumentOnSeveralPagesIsOne(t *testing.T) {
	s := chromatest.Start(t, chromatest.Options{Cloud: true}) // pages of 300
	long := &winnow.Document{ID: "long"}
	for i := range 700 {
		long.Chunks = append(long.Chunks, winnow.Chunk{Text: fmt.Sprintf("part %d\n", i), Lines: [2]int{i + 1, i + 1}})
	}
	c := written(t, s.URL, "long-one", []*winnow.Document{plain("a", "before"), long, plain("z", "after")})
	corpus := opened(t, c, options())
	d, err := corpus.Read(t.Context(), winnow.ReadQuery{ID: "long"})
	if err != nil || d.Text() != long.Text() {
		t.Fatalf("it has %d chunks (%v)", len(d.Chunks), err)
	}
	if r, err := corpus.Search(t.Context(), winnow.Query{Text: "part 613", K: 1}); err != nil || r.Hits[0].Ordinal != 613 {
		t.Errorf("found %+v (%v)", r, err)
	}
}

func TestTwoCompanionsOfOneCollectionGiveTheSameAnswers(t *testing.T) {
	servers(t, func(t *testing.T, server string) {
		c := written(t, server, names()(), corpustest.Library())
		one, two := opened(t, c, options()), opened(t, c, options())
		for _, text := range []string{"berry", "sweet apple", "the gate in winter", "a basket of sort x"} {
			a, err := one.Search(t.Context(), winnow.Query{Text: text, K: 20})
			if err != nil {
				t.Fatal(err)
			}
			b, err := two.Search(t.Context(), winnow.Query{Text: text, K: 20})
			if err != nil || fmt.Sprint(a.Hits) != fmt.Sprint(b.Hits) {
				t.Errorf("%q gives two answers (%v)", text, err)
			}
		}
	})
}

func TestAnotherModelOfTheSameLengthIsRefused(t *testing.T) {
	servers(t, func(t *testing.T, server string) {
		c := written(t, server, names()(), corpustest.Library())
		if err := c.Check(t.Context(), static.New(), chroma.Layout{}); err != nil {
			t.Errorf("the embedder that made the vectors is refused: %v", err)
		}
		err := c.Check(t.Context(), turned{static.New()}, chroma.Layout{})
		if winnow.CodeOf(err) != winnow.BadInput || !strings.Contains(err.Error(), "another model") {
			t.Errorf("another model gives %v", err)
		}
	})
}

// turned is a model with the name and length of another, and a space of its own.
type turned struct{ *static.Model }

func (m turned) Embed(ctx context.Context, texts []string) ([][]winnow.Vector, error) {
	vs, err := m.Model.Embed(ctx, texts)
	for _, windows := range vs {
		for _, v := range windows {
			slices.Reverse(v)
		}
	}
	return vs, err
}

// A layout that was guessed from too little is guessed again.
func TestALayoutIsGuessedAgainWhenThereIsMore(t *testing.T) {
	s := chromatest.Start(t, chromatest.Options{})
	c := written(t, s.URL, "grows", nil)
	k := chroma.NewCompanion(t.TempDir(), chroma.CompanionOptions{})
	documents := func() int {
		t.Helper()
		if _, err := k.Sync(t.Context(), c, chroma.SyncOptions{}); err != nil {
			t.Fatal(err)
		}
		corpus, err := k.Open(c, chroma.CorpusOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer corpus.Close()
		return corpus.Info().Documents
	}
	if n := documents(); n != 0 {
		t.Errorf("an empty collection has %d documents", n)
	}
	post := func(ids ...string) {
		t.Helper()
		texts, vectors, metadatas := make([]string, len(ids)), make([][]float64, len(ids)), make([]map[string]any, len(ids))
		for i, id := range ids {
			texts[i], vectors[i] = "text of "+id, []float64{1, float64(i)}
		}
		upsert(t, s.URL, c.ID, map[string]any{"ids": ids, "documents": texts, "embeddings": vectors, "metadatas": metadatas})
	}
	post("a_0")
	if n := documents(); n != 1 {
		t.Errorf("one record makes %d documents", n)
	}
	post("a_1", "b_0", "b_1", "c_0", "c_1")
	if n := documents(); n != 3 {
		t.Errorf("chunks of three documents make %d", n)
	}
}

// A document that is written again loses the chunks that it no longer has.
func TestADocumentWrittenAgainIsReplaced(t *testing.T) {
	servers(t, func(t *testing.T, server string) {
		c := written(t, server, names()(), corpustest.Library())
		before, err := c.Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		put(t, c, plain("apples.md", "only one chunk is left"), plain("pears", "first"), plain("pears", "and then this"))
		after, err := c.Count(t.Context())
		if err != nil || after != before-3 {
			t.Errorf("%d records, then %d, want 3 less (%v)", before, after, err)
		}
		corpus := opened(t, c, options())
		if d, err := corpus.Read(t.Context(), winnow.ReadQuery{ID: "pears"}); err != nil || d.Text() != "and then this" {
			t.Errorf("pears is %+v (%v)", d, err)
		}
	})
}
