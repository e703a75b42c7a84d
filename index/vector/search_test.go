package vector

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/segment"
)

const dim = 96

// windows gives most chunks one vector, some several, and some none.
func windows(s *space, n int) []chunk {
	var list []chunk
	for ord := range n {
		switch count := s.rng.IntN(8); {
		case count == 0:
		case count == 1:
			list = append(list, chunk{uint32(ord), s.vectors(2 + s.rng.IntN(4))})
		default:
			list = append(list, chunk{uint32(ord), s.vectors(1)})
		}
	}
	return list
}

func TestSearchGivesAsManyResultsAsThereAre(t *testing.T) {
	const n = 9000
	s := newSpace(2, dim)
	chunks := windows(s, n)
	c := column(t, dim, chunks)
	for _, allowed := range []int{0, 1, 10, 60, 300, 2000, n} {
		deny := segment.NewBits(n)
		deny.Not(n)
		for _, ord := range rand.New(rand.NewPCG(3, 3)).Perm(n)[:allowed] {
			deny[ord/64] &^= 1 << (ord % 64)
		}
		there := 0
		for _, ch := range chunks {
			if !deny.Has(ch.ord) {
				there++
			}
		}
		for _, k := range []int{1, 50, 700} {
			got := search(t, s.vector(), k, Part{Column: c, Deny: deny})
			if len(got) != min(k, there) {
				t.Errorf("%d results for k = %d and %d chunks", len(got), k, there)
			}
			seen := map[uint32]bool{}
			for i, r := range got {
				if deny.Has(r.Ord) || !c.Has(r.Ord) || seen[r.Ord] {
					t.Fatalf("chunk %d must not be a result", r.Ord)
				}
				seen[r.Ord] = true
				if i > 0 && got[i-1].Score < r.Score {
					t.Fatal("results out of order")
				}
			}
		}
	}
}

// The candidates of a scan are vectors: here one chunk has more of them, and
// nearer ones, than are rescored.
func TestAChunkOfManyWindowsDoesNotCrowdOutOthers(t *testing.T) {
	s := newSpace(4, dim)
	q := s.vector()
	var near []winnow.Vector
	for range 3000 {
		v := slices.Clone(q)
		v[s.rng.IntN(dim)] += 0.01
		near = append(near, v)
	}
	chunks := []chunk{{0, near}}
	for ord := range 5000 {
		chunks = append(chunks, chunk{uint32(1 + ord), s.vectors(1)})
	}
	got := search(t, q, 20, Part{Column: column(t, dim, chunks)})
	if len(got) != 20 || got[0].Ord != 0 {
		t.Errorf("%d results, the first is chunk %d", len(got), got[0].Ord)
	}
}

func TestAChunkScoresByItsBestVector(t *testing.T) {
	s := newSpace(5, dim)
	chunks := windows(s, 3000)
	c := column(t, dim, chunks)
	best := map[uint32]float64{}
	q := s.vector()
	for _, ch := range chunks {
		best[ch.ord] = -1
		for _, v := range ch.vectors {
			best[ch.ord] = max(best[ch.ord], dot(q, v))
		}
	}
	for _, r := range append(search(t, q, 100, Part{Column: c}), searchExact(t, q, 3000, Part{Column: c})...) {
		if diff := r.Score - best[r.Ord]; diff > 0.005 || diff < -0.005 {
			t.Errorf("chunk %d scores %.4f instead of %.4f", r.Ord, r.Score, best[r.Ord])
		}
	}
}

func TestSearchIsExactWhereLittleIsAllowed(t *testing.T) {
	const n = 9000
	s := newSpace(6, dim)
	c := column(t, dim, windows(s, n))
	deny := segment.NewBits(n)
	deny.Not(n)
	for range 150 {
		ord := s.rng.IntN(n)
		deny[ord/64] &^= 1 << (ord % 64)
	}
	for range 20 {
		q := s.vector()
		got, want := search(t, q, 50, Part{Column: c, Deny: deny}), searchExact(t, q, 50, Part{Column: c, Deny: deny})
		if !reflect.DeepEqual(got, want) {
			t.Fatal("differs from the exact scan")
		}
	}
}

func TestPartsAreSearchedAsOne(t *testing.T) {
	s := newSpace(7, dim)
	docs := s.vectors(12000)
	// Parts of different size, and a sorted one whose centre lies elsewhere.
	slices.SortFunc(docs[6000:], func(a, b winnow.Vector) int { return int(1000 * (dot(a, docs[0]) - dot(b, docs[0]))) })
	var parts []Part
	var first []int
	for lo := 0; lo < len(docs); {
		hi := min(len(docs), lo+100+s.rng.IntN(3000))
		parts = append(parts, Part{Column: column(t, dim, one(docs[lo:hi])), Segment: len(parts)})
		first = append(first, lo)
		lo = hi
	}
	found, asked := 0, 0
	for range 20 {
		q := s.vector()
		got := search(t, q, 50, parts...)
		want := searchExact(t, q, 50, parts...)
		if len(got) != 50 {
			t.Fatalf("%d results", len(got))
		}
		for _, r := range got {
			if diff := r.Score - dot(q, docs[first[r.Segment]+int(r.Ord)]); diff > 0.005 || diff < -0.005 {
				t.Fatal("a result has the score of another chunk")
			}
			if slices.Contains(want, r) {
				found++
			}
		}
		asked += 50
	}
	if got := float64(found) / float64(asked); got < 0.985 {
		t.Errorf("recall@50 = %.3f over %d parts", got, len(parts))
	}
}

func TestEqualVectorsComeInTheOrderOfChunks(t *testing.T) {
	s := newSpace(8, dim)
	v := s.vector()
	docs := slices.Repeat([]winnow.Vector{v}, 5000)
	for i, r := range search(t, v, 50, Part{Column: column(t, dim, one(docs))}) {
		if r.Ord != uint32(i) {
			t.Fatalf("result %d is chunk %d", i, r.Ord)
		}
	}
}

func TestSearchHasTheSameResultWithEveryKernel(t *testing.T) {
	s := newSpace(9, dim)
	c := column(t, dim, windows(s, 9000))
	queries := s.vectors(10)
	var want [][]bm25.Scored
	for _, k := range kernels() {
		c.kernel = k
		var got [][]bm25.Scored
		for _, q := range queries {
			got = append(got, search(t, q, 50, Part{Column: c}))
		}
		if want == nil {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s differs from %s", k.name, kernels()[0].name)
		}
	}
}

func TestSearchesRunSideBySide(t *testing.T) {
	s := newSpace(12, dim)
	part := Part{Column: column(t, dim, windows(s, 5000))}
	queries := s.vectors(8)
	got := make([][]bm25.Scored, len(queries))
	var wait sync.WaitGroup
	for i, q := range queries {
		wait.Go(func() { got[i] = search(t, q, 50, part) })
	}
	wait.Wait()
	for i, q := range queries {
		if !reflect.DeepEqual(got[i], search(t, q, 50, part)) {
			t.Errorf("query %d has another result among others", i)
		}
	}
}

func TestSearchOfNothing(t *testing.T) {
	s := newSpace(10, dim)
	empty := column(t, dim, nil)
	full := column(t, dim, one(s.vectors(3000)))
	for name, got := range map[string][]bm25.Scored{
		"no parts":     search(t, s.vector(), 5),
		"empty column": search(t, s.vector(), 5, Part{Column: empty}),
		"none wanted":  search(t, s.vector(), 0, Part{Column: full}),
	} {
		if len(got) > 0 {
			t.Errorf("%s: %d results", name, len(got))
		}
	}
	broken := s.vector()
	broken[3] = float32(math.NaN())
	for _, q := range []winnow.Vector{make(winnow.Vector, dim), broken} {
		if got := search(t, q, 5, Part{Column: full}); len(got) != 5 || got[0].Score != 0 {
			t.Errorf("a query without direction: %v", got)
		}
	}
}

func TestAQueryOfAnotherSpaceIsRefused(t *testing.T) {
	s := newSpace(11, dim)
	c := column(t, dim, one(s.vectors(10)))
	q := NewQuery(newSpace(11, 2*dim).vector())
	if err := Search(q, []Part{{Column: c}}, newTop(5)); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("Search: %v", err)
	}
	if err := SearchExact(q, []Part{{Column: c}}, newTop(5)); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("SearchExact: %v", err)
	}
	if _, _, err := c.Score(q, 0); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("Score: %v", err)
	}
}
