package chroma

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma/chromatest"
	"github.com/winnow-search/winnow/embed/static"
)

// A server that fails every third time is slow to write to, to follow and to
// search, and nothing else.
func TestAServerThatStumblesIsWrittenFollowedAndSearched(t *testing.T) {
	faults := []func(http.ResponseWriter){
		func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
		func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
		func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
	}
	var requests, failed atomic.Int64
	s := chromatest.Start(t, chromatest.Options{Before: func(w http.ResponseWriter, _ *http.Request) bool {
		n := requests.Add(1)
		if n%3 != 0 {
			return false
		}
		failed.Add(1)
		faults[int(n/3)%len(faults)](w)
		return true
	}})
	a, err := ParseAddress(s.URL + "/stumbles")
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(a, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	col, err := c.Make(t.Context(), nil, Function{Type: "unknown"})
	if err != nil {
		t.Fatal(err)
	}
	e := static.New()
	w := NewWriter(col, e)
	const documents = 2500 // three pages
	for i := range documents {
		text := fmt.Sprintf("The basket number %d stands by the gate.", i)
		if err := w.Put(t.Context(), &winnow.Document{ID: fmt.Sprint("d", i), Chunks: []winnow.Chunk{{Text: text}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if col, err = c.Collection(t.Context()); err != nil {
		t.Fatal(err)
	}
	k := NewCompanion(t.TempDir(), CompanionOptions{})
	if synced, err := k.Sync(t.Context(), col, SyncOptions{Embedder: e}); err != nil || synced.Records != documents {
		t.Fatalf("%+v (%v)", synced, err)
	}
	corpus, err := k.Open(col, CorpusOptions{Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	defer corpus.Close()
	for i := range 9 {
		r, err := corpus.Search(t.Context(), winnow.Query{Text: fmt.Sprintf("basket number %d", 17*i), K: 3})
		if err != nil || len(r.Hits) != 3 || len(r.Warnings) != 0 || corpus.Coverage() != 1 {
			t.Errorf("search %d gives %+v (%v)", i, r, err)
		}
	}
	if failed.Load() < 10 {
		t.Errorf("%d requests failed of %d: that is no test", failed.Load(), requests.Load())
	}
}
