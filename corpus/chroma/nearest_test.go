package chroma

import (
	"encoding/json"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestSearchesThatMeetGoTogether(t *testing.T) {
	var requests, vectors atomic.Int64
	c, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Vectors [][]float64 `json:"query_embeddings"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		requests.Add(1)
		vectors.Add(int64(len(in.Vectors)))
		ids, distances := [][]string{}, [][]float64{}
		for _, v := range in.Vectors { // the answer tells the question
			ids, distances = append(ids, []string{"far", string(rune('A' + int(v[0])))}), append(distances, []float64{1, 0})
		}
		json.NewEncoder(w).Encode(map[string]any{"ids": ids, "distances": distances})
	}, Options{})
	n := newNear(&Collection{client: c, limits: Limits{Reads: 1}})
	n.slots <- struct{}{} // the server is busy
	var wg sync.WaitGroup
	const together = 20
	for i := range together {
		wg.Go(func() {
			ids, err := n.ask(t.Context(), question{n: 64}, winnow.Vector{float32(i)})
			if want := string(rune('A' + i)); err != nil || !slices.Equal(ids, []string{want, "far"}) {
				t.Errorf("question %d gets %v (%v)", i, ids, err)
			}
		})
	}
	wg.Go(func() {
		if _, err := n.ask(t.Context(), question{n: 128}, winnow.Vector{1}); err != nil {
			t.Error(err)
		}
	})
	waiting := func() (all int) {
		n.mu.Lock()
		defer n.mu.Unlock()
		for _, b := range n.waiting {
			all += len(b.vectors)
		}
		return all
	}
	for waiting() != together-batchMost+1 { // a full batch waits no more
		runtime.Gosched()
	}
	<-n.slots
	wg.Wait()
	if requests.Load() != 3 || vectors.Load() != together+1 {
		t.Errorf("%d requests for %d vectors, want 3: a full one, the rest, and the one that asks for more", requests.Load(), vectors.Load())
	}
}

func TestRecordsAtTheSameDistanceHaveOneOrder(t *testing.T) {
	replies := []string{`{"ids": [["c", "a", "b"]], "distances": [[0.5, 0.5, 0.2]]}`, `{"ids": [["b", "a", "c"]], "distances": [[0.2, 0.5, 0.5]]}`}
	next := 0
	c, _ := client(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(replies[next]))
		next++
	}, Options{})
	n := newNear(&Collection{client: c, limits: Limits{Reads: 1}})
	for range replies {
		if ids, err := n.ask(t.Context(), question{n: 3}, winnow.Vector{1}); err != nil || !slices.Equal(ids, []string{"b", "a", "c"}) {
			t.Errorf("the order is %v (%v)", ids, err)
		}
	}
}

func TestAServerThatFailsIsSparedForAWhile(t *testing.T) {
	well := false
	calls := 0
	c, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		if calls++; !well {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Write([]byte(`{"ids": [["r"]], "distances": [[0]]}`))
	}, Options{})
	col := &Collection{client: c, limits: Limits{Reads: 1}}
	corpus := &Corpus{collection: col, near: newNear(col), chunkCount: 1, records: table{{id: "r", document: "d"}}}
	ask := func() (answered bool, said []string) {
		t.Helper()
		chunks, ok, err := corpus.nearest(t.Context(), &winnow.Scope{}, winnow.Vector{1}, 1, func(string) bool { return true }, &said)
		if err != nil || ok && !slices.Equal(chunks, []string{"d_0"}) {
			t.Fatalf("%v (%v)", chunks, err)
		}
		return ok, said
	}
	if ok, said := ask(); ok || len(said) != 1 || calls != impatient.attempts {
		t.Errorf("a server that fails: %v, %d calls, %q", ok, calls, said)
	}
	well = true
	if ok, said := ask(); ok || len(said) != 1 || calls != impatient.attempts {
		t.Errorf("just after: %v, %d calls, %q", ok, calls, said)
	}
	corpus.until.Add(-int64(spared)) // a while later
	if ok, said := ask(); !ok || len(said) != 0 || calls != impatient.attempts+1 {
		t.Errorf("a while later: %v, %d calls, %q", ok, calls, said)
	}
}

func TestTheServerIsAskedForEnoughToLeaveOutWhatIsExcluded(t *testing.T) {
	var asked []int
	c, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			N int `json:"n_results"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		asked = append(asked, in.N)
		ids := make([]string, in.N)
		for i := range ids {
			ids[i] = "r" + strings.Repeat("x", i)
		}
		json.NewEncoder(w).Encode(map[string]any{"ids": [][]string{ids}})
	}, Options{})
	col := &Collection{client: c, limits: Limits{Reads: 1}}
	corpus := &Corpus{collection: col, near: newNear(col), chunkCount: 10_000}
	for i := range 2000 {
		corpus.records = append(corpus.records, entry{id: "r" + strings.Repeat("x", i), document: "d", ordinal: i})
	}
	for _, test := range []struct {
		excluded int
		passes   func(string) bool
		want     []int
		ok       bool
	}{
		{0, func(string) bool { return true }, []int{64}, true},
		{100, func(string) bool { return true }, []int{256}, true},
		{0, func(id string) bool { return strings.HasSuffix(id, "0") }, []int{64, 256, 1024}, true},
		{0, func(string) bool { return false }, []int{64, 256, 1024}, false},
		{3000, func(string) bool { return true }, nil, false},
	} {
		asked = nil
		var said []string
		scope := &winnow.Scope{ExcludeChunks: make([]string, test.excluded)}
		chunks, ok, err := corpus.nearest(t.Context(), scope, winnow.Vector{1}, 50, test.passes, &said)
		if err != nil || ok != test.ok || !slices.Equal(asked, test.want) || ok && len(chunks) < 50 || len(said) != 0 {
			t.Errorf("%d excluded: asked for %v, %d chunks, %v, %q (%v)", test.excluded, asked, len(chunks), ok, said, err)
		}
	}
}
