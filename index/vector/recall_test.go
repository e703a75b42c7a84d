package vector

import (
	"fmt"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
)

// recall is the share of the k nearest by a float scan that Search finds, and
// that SearchExact finds, which is as many as int8 can tell.
func recall(t *testing.T, docs, queries []winnow.Vector, k int, part Part) (found, findable float64) {
	t.Helper()
	each := 1 / float64(k*len(queries))
	for _, q := range queries {
		truth := newTop(k)
		for i, d := range docs {
			truth.Offer(uint32(i), dot(q, d))
		}
		is := map[uint32]bool{}
		for _, s := range truth.Sorted() {
			is[s.Ord] = true
		}
		for _, s := range search(t, q, k, part) {
			if is[s.Ord] {
				found += each
			}
		}
		for _, s := range searchExact(t, q, k, part) {
			if is[s.Ord] {
				findable += each
			}
		}
	}
	return found, findable
}

func TestSearchFindsTheNeighboursOfAFloatScan(t *testing.T) {
	for _, dim := range []int{64, 100, 384, 1536} {
		t.Run(fmt.Sprint(dim), func(t *testing.T) {
			s := newSpace(1, dim)
			n := min(10000, 4_000_000/dim)
			docs, queries := s.vectors(n), s.vectors(20)
			c := column(t, dim, one(docs))
			if got, _ := recall(t, docs, queries, 50, Part{Column: c}); got < 0.985 {
				t.Errorf("recall@50 = %.3f", got)
			}
		})
	}
}

func TestSeveralWindowsCostNoNeighbours(t *testing.T) {
	s := newSpace(2, dim)
	var chunks []chunk
	for ord, v := range s.vectors(3000) {
		ch := chunk{ord: uint32(ord)}
		for range 8 { // of one text, so near to each other
			w := slices.Clone(v)
			for i, f := range s.noise() {
				w[i] += 0.03 * float32(f)
			}
			ch.vectors = append(ch.vectors, w)
		}
		chunks = append(chunks, ch)
	}
	part := Part{Column: column(t, dim, chunks)}
	found := 0
	for _, q := range s.vectors(20) {
		want := searchExact(t, q, 50, part)
		for _, r := range search(t, q, 50, part) {
			if slices.Contains(want, r) {
				found++
			}
		}
	}
	if got := float64(found) / (20 * 50); got < 0.985 {
		t.Errorf("recall@50 = %.3f of chunks with %d vectors", got, part.Column.Len())
	}
}

func TestRecallOfRealVectors(t *testing.T) {
	real, questions := realVectors(t, "*.docs.f32"), realVectors(t, "*.questions.f32")
	every := func(n int) (some []winnow.Vector) {
		for i := 0; i < len(questions); i += max(1, len(questions)/n) {
			some = append(some, questions[i])
		}
		return some
	}
	for _, set := range []struct {
		name    string
		docs    []winnow.Vector
		queries int
	}{
		{"1000", real[:1000], 200},
		{"4000", real[:4000], 200},
		{"all", real, 200},
		{"100,000 by jitter", jittered(real, 100_000, 0.5), 50},
		{"1,000,000 by jitter", jittered(real, 1_000_000, 0.5), 20},
	} {
		t.Run(set.name, func(t *testing.T) {
			if testing.Short() && len(set.docs) > len(real) {
				t.Skip("takes a minute")
			}
			c := column(t, 384, one(set.docs))
			for _, k := range []int{10, 50, 200} {
				got, exact := recall(t, set.docs, every(set.queries), k, Part{Column: c})
				t.Logf("recall@%d = %.4f with %d rescored, %.4f with all", k, got, rescored(k, len(set.docs)), exact)
				if got < 0.98 {
					t.Errorf("recall@%d = %.4f", k, got)
				}
			}
		})
	}
}
