package vector

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/index/segment"
)

// space makes vectors that have neighbours, as embeddings do: clusters of
// clusters, variance that falls from dimension to dimension, and a common
// direction. Random vectors are all equally far from each other and would judge
// nothing.
type space struct {
	rng    *rand.Rand
	dim    int
	common []float64
	topics [][]float64
}

func newSpace(seed uint64, dim int) *space {
	s := &space{rng: rand.New(rand.NewPCG(seed, 1)), dim: dim}
	s.common = s.noise()
	for range 40 {
		s.topics = append(s.topics, s.noise())
	}
	return s
}

func (s *space) noise() []float64 {
	x := make([]float64, s.dim)
	for i := range x {
		x[i] = s.rng.NormFloat64() * math.Pow(float64(1+i), -0.4)
	}
	return x
}

func (s *space) vector() winnow.Vector {
	topic, other, noise := s.topics[s.rng.IntN(len(s.topics))], s.topics[s.rng.IntN(len(s.topics))], s.noise()
	v := make(winnow.Vector, s.dim)
	for i := range v {
		v[i] = float32(0.5*s.common[i] + topic[i] + 0.5*other[i] + 0.7*noise[i])
	}
	return unitLength(v)
}

func (s *space) vectors(n int) []winnow.Vector {
	list := make([]winnow.Vector, n)
	for i := range list {
		list[i] = s.vector()
	}
	return list
}

func unitLength(v winnow.Vector) winnow.Vector {
	norm := float32(1 / math.Sqrt(dot(v, v)))
	for i := range v {
		v[i] *= norm
	}
	return v
}

func dot(a, b winnow.Vector) float64 {
	var sum float64
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// chunk is an ordinal and its vectors.
type chunk struct {
	ord     uint32
	vectors []winnow.Vector
}

func one(vectors []winnow.Vector) []chunk {
	list := make([]chunk, len(vectors))
	for i, v := range vectors {
		list[i] = chunk{uint32(i), []winnow.Vector{v}}
	}
	return list
}

func build(t testing.TB, dim int, chunks []chunk) string {
	t.Helper()
	b, err := NewBuilder("test/1", dim)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chunks {
		if err := b.Add(c.ord, c.vectors...); err != nil {
			t.Fatal(err)
		}
	}
	return writeFile(t, b.Write)
}

func writeFile(t testing.TB, write func(*segment.Writer) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "column")
	w, err := segment.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string) *Column {
	t.Helper()
	f, err := segment.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	c, err := Open(f)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func column(t testing.TB, dim int, chunks []chunk) *Column { return open(t, build(t, dim, chunks)) }

func newTop(k int) *bm25.Top {
	return &bm25.Top{K: k, Before: func(a, b bm25.Scored) bool { return a.Segment < b.Segment }}
}

func search(t testing.TB, v winnow.Vector, k int, parts ...Part) []bm25.Scored {
	t.Helper()
	top := newTop(k)
	if err := Search(NewQuery(v), parts, top); err != nil {
		t.Fatal(err)
	}
	return top.Sorted()
}

func searchExact(t testing.TB, v winnow.Vector, k int, parts ...Part) []bm25.Scored {
	t.Helper()
	top := newTop(k)
	if err := SearchExact(NewQuery(v), parts, top); err != nil {
		t.Fatal(err)
	}
	return top.Sorted()
}

// realVectors reads little-endian float32 rows of 384 from the folder that
// WINNOW_VECTORS names.
func realVectors(t testing.TB, pattern string) (list []winnow.Vector) {
	t.Helper()
	dir := os.Getenv("WINNOW_VECTORS")
	if dir == "" {
		t.Skip("WINNOW_VECTORS names no folder of *.docs.f32 and *.questions.f32")
	}
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(names) == 0 {
		t.Fatal("no ", pattern, " in ", dir)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for ; len(data) > 0; data = data[4*384:] {
			v := make(winnow.Vector, 384)
			for i := range v {
				v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
			}
			list = append(list, v)
		}
	}
	return list
}

// jittered makes n vectors from real ones: each is moved by a part of the
// difference of two others, so that the noise has the shape of the space.
func jittered(real []winnow.Vector, n int, amount float32) []winnow.Vector {
	rng := rand.New(rand.NewPCG(7, 7))
	pick := func() winnow.Vector { return real[rng.IntN(len(real))] }
	list := make([]winnow.Vector, n)
	for i := range list {
		a, b, c := pick(), pick(), pick()
		v := make(winnow.Vector, len(a))
		for j := range v {
			v[j] = a[j] + amount*(b[j]-c[j])
		}
		list[i] = unitLength(v)
	}
	return list
}
