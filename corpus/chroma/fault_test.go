package chroma_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/corpus/chroma/chromatest"
	"github.com/winnow-search/winnow/corpus/corpustest"
)

// faulty stands between a client and a server, and does to requests what its
// fault says; nil lets them through.
type faulty struct {
	url   string
	fault atomic.Pointer[func(http.ResponseWriter, *http.Request)]
	calls atomic.Int64
}

func between(t *testing.T, server string) *faulty {
	t.Helper()
	to, err := url.Parse("http://" + strings.TrimPrefix(server, "chroma://"))
	if err != nil {
		t.Fatal(err)
	}
	f := &faulty{}
	proxy := httputil.NewSingleHostReverseProxy(to)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.calls.Add(1)
		if fault := f.fault.Load(); fault != nil {
			io.Copy(io.Discard, r.Body) // or it would not be seen that the client has left
			(*fault)(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	f.url = "chroma://" + strings.TrimPrefix(s.URL, "http://")
	return f
}

func (f *faulty) set(fault func(http.ResponseWriter, *http.Request)) {
	if fault == nil {
		f.fault.Store(nil)
		return
	}
	f.fault.Store(&fault)
}

// Whatever a server does in the middle of a run, a search answers with what the
// companion has, says so, and comes back to the server when it is well again.
func TestAServerThatFailsCostsAWarning(t *testing.T) {
	servers(t, func(t *testing.T, server string) {
		f := between(t, server)
		c := written(t, f.url, names()(), corpustest.Library())
		patientClient := dial(t, f.url, c.Name, chroma.Options{Timeout: 50 * time.Millisecond})
		hurried, err := patientClient.Collection(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		well := opened(t, c, options())
		q := winnow.Query{Text: "a berry in the basket", K: 12}
		want, err := well.Search(t.Context(), q)
		if err != nil || len(want.Warnings) != 0 {
			t.Fatalf("without a fault: %v (%v)", want, err)
		}
		same := func(a, b *winnow.Results) bool {
			return slices.EqualFunc(a.Hits, b.Hits, func(a, b winnow.Hit) bool { return a.ID == b.ID })
		}
		answer := func(status int) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		}
		for name, fault := range map[string]func(http.ResponseWriter, *http.Request){
			"429": answer(429), "500": answer(500), "413": answer(413), "503": answer(503),
			"reset":          func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			"delayed":        func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			"nonsense":       func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"ids": [`)) },
			"another answer": func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"ids": []}`)) },
		} {
			corpus := opened(t, hurried, options())
			f.set(fault)
			start := time.Now()
			got, err := corpus.Search(t.Context(), q)
			f.set(nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if !same(got, want) || len(got.Warnings) == 0 {
				t.Errorf("%s: %d hits, warnings %q", name, len(got.Hits), got.Warnings)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("%s: it took %v", name, took)
			}
			if got, err := corpus.Search(t.Context(), q); err != nil || !same(got, want) {
				t.Errorf("%s: the next search gives %v (%v)", name, got, err)
			}
			next, asked := opened(t, c, options()), f.calls.Load()
			if got, err := next.Search(t.Context(), q); err != nil || !same(got, want) || len(got.Warnings) != 0 || f.calls.Load() == asked {
				t.Errorf("%s: the next question gives %v (%v)", name, got, err)
			}
		}
	})
}

// A request that is cancelled does not take those that wait with it with it.
func TestWhoLeavesABatchLeavesAlone(t *testing.T) {
	hold := make(chan struct{})
	var holding atomic.Bool
	s := chromatest.Start(t, chromatest.Options{Before: func(w http.ResponseWriter, r *http.Request) bool {
		if holding.Load() && strings.HasSuffix(r.URL.Path, "/query") {
			<-hold
		}
		return false
	}})
	corpus := opened(t, written(t, s.URL, "library", corpustest.Library()), options())
	holding.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			own := t.Context()
			if i%2 == 0 {
				own = ctx
			}
			r, err := corpus.Search(own, winnow.Query{Text: "berry", K: 5})
			if i%2 == 0 {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("a cancelled search gives %v", err)
				}
			} else if err != nil || len(r.Hits) != 5 {
				t.Errorf("another one gives %v (%v)", r, err)
			}
		})
	}
	cancel()
	close(hold)
	wg.Wait()
}

func TestNewRecordsAreSaidToBeMissing(t *testing.T) {
	servers(t, func(t *testing.T, server string) {
		c := written(t, server, names()(), corpustest.Library())
		corpus := opened(t, c, options())
		put(t, c, plain("new", "a berry in the basket, quite new"))
		r, err := corpus.Search(t.Context(), winnow.Query{Text: "a berry in the basket, quite new", K: 5})
		if err != nil || len(r.Hits) != 5 {
			t.Fatalf("%+v (%v)", r, err)
		}
		if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "newer than its companion") }) {
			t.Errorf("the warnings are %q", r.Warnings)
		}
	})
}
