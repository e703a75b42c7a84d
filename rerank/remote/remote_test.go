package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/token"
)

// server is a reranker that scores a document by its length and answers in the
// reverse order of the documents, as none of the real ones promise not to.
type server struct {
	*httptest.Server
	// list is the field that holds the documents, wrap the one that holds the
	// results ("" for a bare list), score that of a score.
	list, wrap, score string

	mu       sync.Mutex
	requests []request
	refused  int
}

type request struct {
	path, key string
	fields    map[string]json.RawMessage
	documents []string
}

func serve(t *testing.T, list, wrap, score string) *server {
	s := &server{list: list, wrap: wrap, score: score}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	got := request{path: r.URL.Path, key: r.Header.Get("Authorization")}
	if err := json.NewDecoder(r.Body).Decode(&got.fields); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if json.Unmarshal(got.fields[s.list], &got.documents) != nil || len(got.documents) == 0 {
		s.mu.Lock()
		s.refused++
		s.mu.Unlock()
		http.Error(w, "missing field "+s.list, http.StatusUnprocessableEntity)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, got)
	s.mu.Unlock()
	results := []map[string]any{}
	for i, d := range slices.Backward(got.documents) {
		results = append(results, map[string]any{"index": i, s.score: float64(len(d)), "document": d})
	}
	if s.wrap == "" {
		json.NewEncoder(w).Encode(results)
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"id": "x", s.wrap: results, "usage": map[string]int{"total_tokens": 1}})
}

func newReranker(t *testing.T, o Options) *Reranker {
	t.Helper()
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func hits(texts ...string) []winnow.Hit {
	out := make([]winnow.Hit, len(texts))
	for i, text := range texts {
		out[i].Text = text
	}
	return out
}

func TestEveryShapeIsSpoken(t *testing.T) {
	for _, c := range []struct {
		name, path        string
		list, wrap, score string
		query             string
		shape             Shape
	}{
		{name: "Cohere v2", path: "/v2/rerank", list: "documents", wrap: "results", score: "relevance_score", query: "query"},
		{name: "Jina", path: "/v1/rerank", list: "documents", wrap: "results", score: "relevance_score", query: "query"},
		{name: "vLLM rerank", path: "/rerank", list: "documents", wrap: "results", score: "relevance_score", query: "query"},
		{name: "a list under data", path: "/v1/rerank", list: "documents", wrap: "data", score: "relevance_score", query: "query"},
		{name: "TEI by option", path: "/v1/rerank", list: "texts", score: "score", query: "query", shape: TEI},
		{name: "TEI by trial", path: "/rerank", list: "texts", score: "score", query: "query"},
		{name: "vLLM score", path: "/score", list: "text_2", wrap: "data", score: "score", query: "text_1"},
		{name: "vLLM score below a version", path: "/v1/score", list: "text_2", wrap: "data", score: "score", query: "text_1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.list, c.wrap, c.score)
			r := newReranker(t, Options{URL: s.URL + c.path, Model: "m", Key: "secret\n", Shape: c.shape})
			scores, err := r.Rerank(t.Context(), "which?", hits("a", "ccc", "bb"))
			if err != nil {
				t.Fatal(err)
			}
			if want := []float64{1, 3, 2}; !slices.Equal(scores, want) {
				t.Errorf("scores %v, want %v", scores, want)
			}
			got := s.requests[0]
			if got.path != c.path || got.key != "Bearer secret" {
				t.Errorf("request to %s with %q", got.path, got.key)
			}
			if string(got.fields["model"]) != `"m"` || string(got.fields[c.query]) != `"which?"` {
				t.Errorf("model %s, query %s", got.fields["model"], got.fields[c.query])
			}
		})
	}
}

func TestAServerThatTurnsOutToBeTEIIsRemembered(t *testing.T) {
	s := serve(t, "texts", "", "score")
	r := newReranker(t, Options{URL: s.URL})
	for range 3 {
		if _, err := r.Rerank(t.Context(), "q", hits("a")); err != nil {
			t.Fatal(err)
		}
	}
	if s.refused != 1 || len(s.requests) != 3 {
		t.Errorf("%d refusals and %d requests, want 1 and 3", s.refused, len(s.requests))
	}
	if got := s.requests[0]; string(got.fields["truncate"]) != "true" || got.fields["model"] != nil {
		t.Errorf("request %v", got.fields)
	}
}

func TestARefusalOfBothShapesIsTheFirstOne(t *testing.T) {
	s := serve(t, "nothing", "", "score")
	r := newReranker(t, Options{URL: s.URL + "/rerank"})
	_, err := r.Rerank(t.Context(), "q", hits("a"))
	if winnow.CodeOf(err) != winnow.BadInput || !strings.Contains(err.Error(), "422: missing field nothing") || s.refused != 2 {
		t.Errorf("%v after %d requests", err, s.refused)
	}
}

func TestEndpointsAreCompleted(t *testing.T) {
	for given, want := range map[string]string{
		"http://h":                "http://h/rerank",
		"http://h/":               "http://h/rerank",
		"http://h/v1":             "http://h/v1/rerank",
		"http://h/v1/":            "http://h/v1/rerank",
		"http://h/v2/rerank":      "http://h/v2/rerank",
		"http://h/score":          "http://h/score",
		" https://h:8/reranking ": "https://h:8/reranking",
		"http://h/v1?x=1":         "http://h/v1/rerank?x=1",
	} {
		u, err := parseURL(given)
		if err != nil || u.String() != want {
			t.Errorf("%q: %v %v, want %s", given, u, err, want)
		}
	}
}

func TestOptionsThatCannotBeUsedAreRefused(t *testing.T) {
	for name, o := range map[string]Options{
		"no URL":              {},
		"no scheme":           {URL: "localhost:8000/rerank"},
		"no host":             {URL: "http:///rerank"},
		"another scheme":      {URL: "file:///etc/passwd"},
		"bad URL":             {URL: "http://user:hush@host:port/rerank"},
		"unknown shape":       {URL: "http://h", Shape: "jina"},
		"unknown prompt":      {URL: "http://h", Prompt: "gemma"},
		"idle instruction":    {URL: "http://h/v1/rerank", Model: "Qwen3-Reranker-4B", Instruction: "Find laws"},
		"unused by plainness": {URL: "http://h/score", Model: "Qwen3-Reranker-4B", Prompt: Plain, Instruction: "Find laws"},
	} {
		_, err := New(o)
		var e *winnow.Error
		if !errors.As(err, &e) || e.Code != winnow.BadInput || e.Hint == "" || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheNameIsTheModelOrTheHost(t *testing.T) {
	if name := newReranker(t, Options{URL: "http://h:80/v1/rerank", Model: "bge"}).Name(); name != "bge" {
		t.Error(name)
	}
	if name := newReranker(t, Options{URL: "http://u:p@h:80/v1/rerank?key=x"}).Name(); name != "h:80" {
		t.Error(name)
	}
}

func TestADocumentIsTitleHeadingAndText(t *testing.T) {
	r := newReranker(t, Options{URL: "http://h"})
	for _, c := range []struct {
		chunk winnow.Chunk
		want  string
	}{
		{winnow.Chunk{Title: "T", Heading: "A > B", Text: " text\n"}, "T\nA > B\ntext"},
		{winnow.Chunk{Title: "T", Heading: "T", Text: "text"}, "T\ntext"},
		{winnow.Chunk{Heading: "H", Text: "text"}, "H\ntext"},
		{winnow.Chunk{Title: "T"}, "T"},
		{winnow.Chunk{Text: " \n\t"}, ""},
	} {
		if got := r.document(&c.chunk); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestLongTextsAreCutToTheLimit(t *testing.T) {
	s := serve(t, "documents", "results", "relevance_score")
	r := newReranker(t, Options{URL: s.URL + "/v1/rerank", MaxTokens: 50})
	long := strings.Repeat("winnowing the wheat ", 50_000) // 100k tokens and more
	if _, err := r.Rerank(t.Context(), long, hits(long, "short")); err != nil {
		t.Fatal(err)
	}
	got := s.requests[0]
	var query string
	json.Unmarshal(got.fields["query"], &query)
	for _, text := range []string{query, got.documents[0]} {
		if n := token.Count(text); n < 45 || n > 50 {
			t.Errorf("%d tokens sent of %q…", n, text[:20])
		}
	}
	if got.documents[1] != "short" {
		t.Errorf("a short document came as %q", got.documents[1])
	}
}

func TestNothingToScoreMakesNoCall(t *testing.T) {
	r := newReranker(t, Options{URL: "http://127.0.0.1:1/rerank"})
	for _, h := range [][]winnow.Hit{nil, hits("", "  ")} {
		if scores, err := r.Rerank(t.Context(), "q", h); err != nil || len(scores) != len(h) {
			t.Errorf("%v %v", scores, err)
		}
	}
	if _, err := r.Rerank(t.Context(), " ", hits("a")); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("an empty query: %v", err)
	}
}

func TestAHitWithoutTextIsNotSentAndScoresLowest(t *testing.T) {
	s := serve(t, "documents", "results", "relevance_score")
	r := newReranker(t, Options{URL: s.URL + "/v1/rerank"})
	scores, err := r.Rerank(t.Context(), "q", hits("", "dddd", " ", "bb"))
	if err != nil || !slices.Equal(scores, []float64{2, 4, 2, 2}) || len(s.requests[0].documents) != 2 {
		t.Errorf("%v %v", scores, err)
	}
}

func TestCandidatesAreSentInBatchesAFewAtATime(t *testing.T) {
	var underWay, most, calls atomic.Int32
	s := serve(t, "documents", "results", "relevance_score")
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := underWay.Add(1)
		defer underWay.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		calls.Add(1)
		s.ServeHTTP(w, r)
	}))
	defer gate.Close()
	var h []winnow.Hit
	var want []float64
	for i := range 23 {
		h = append(h, hits(strings.Repeat("x", i+1))...)
		want = append(want, float64(i+1))
	}
	r := newReranker(t, Options{URL: gate.URL + "/v1/rerank", Batch: 5, Parallel: 2})
	scores, err := r.Rerank(t.Context(), "q", h)
	if err != nil || !slices.Equal(scores, want) {
		t.Fatalf("%v %v", scores, err)
	}
	if calls.Load() != 5 || most.Load() > 2 {
		t.Errorf("%d calls, %d at a time; want 5 and at most 2", calls.Load(), most.Load())
	}
	for _, got := range s.requests {
		if len(got.documents) > 5 {
			t.Errorf("a batch of %d", len(got.documents))
		}
	}
}

func TestBatchesSuitTheServer(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want int
	}{
		{Options{URL: "http://h/v2/rerank"}, 100},
		{Options{URL: "http://h/score"}, 100},
		{Options{URL: "http://h/rerank"}, 32},
		{Options{URL: "http://h/v1/rerank", Shape: TEI}, 32},
		{Options{URL: "http://h/rerank", Batch: 7}, 7},
	} {
		if got := newReranker(t, c.o).batchSize(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.o, got, c.want)
		}
	}
}

func TestOneFailedBatchFailsTheCall(t *testing.T) {
	s := serve(t, "documents", "results", "relevance_score")
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "poison") {
			http.Error(w, `{"detail":"no"}`, http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		s.ServeHTTP(w, r)
	}))
	defer gate.Close()
	r := newReranker(t, Options{URL: gate.URL + "/v1/rerank", Batch: 1})
	scores, err := r.Rerank(t.Context(), "q", hits("a", "b", "poison", "c"))
	if scores != nil || winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("%v %v", scores, err)
	}
}

func TestTheContextEndsTheCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	}))
	defer hang.Close()
	r := newReranker(t, Options{URL: hang.URL})
	if _, err := r.Rerank(ctx, "q", hits("a")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestASlowServerIsGivenUpAndNotAskedAgain(t *testing.T) {
	var calls atomic.Int32
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer hang.Close()
	r := newReranker(t, Options{URL: hang.URL, Timeout: 50 * time.Millisecond})
	_, err := r.Rerank(t.Context(), "q", hits("a"))
	if winnow.CodeOf(err) != winnow.Unavailable || !strings.Contains(fmt.Sprint(err), "within 50ms") || calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}
