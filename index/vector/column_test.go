package vector

import (
	"bytes"
	"math"
	"os"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/segment"
)

func TestAColumnHoldsWhatWasAdded(t *testing.T) {
	s := newSpace(1, dim)
	chunks := windows(s, 500)
	c := column(t, dim, chunks)
	if c.Space() != "test/1" || c.Dim() != dim || c.Covered() != len(chunks) {
		t.Errorf("space %s, %d dimensions, %d chunks", c.Space(), c.Dim(), c.Covered())
	}
	at := map[uint32][]winnow.Vector{}
	for _, ch := range chunks {
		at[ch.ord] = ch.vectors
	}
	for ord := range uint32(600) {
		got, err := c.Vectors(ord)
		if err != nil {
			t.Fatal(err)
		}
		if c.Has(ord) != (len(at[ord]) > 0) || len(got) != len(at[ord]) {
			t.Fatalf("chunk %d has %d vectors instead of %d", ord, len(got), len(at[ord]))
		}
		for i, v := range got {
			if cos := dot(v, at[ord][i]); cos < 0.9999 || cos > 1.0001 {
				t.Errorf("chunk %d: cosine %.5f with what was added", ord, cos)
			}
		}
	}
}

func TestProductsOfChunksAreThoseOfTheirNearestVectors(t *testing.T) {
	s := newSpace(2, dim)
	chunks, others := windows(s, 60), windows(s, 60)
	a, b := column(t, dim, chunks), column(t, dim, others)
	for _, x := range chunks {
		for _, y := range others {
			want := -1.0
			for _, v := range x.vectors {
				for _, w := range y.vectors {
					want = max(want, dot(v, w))
				}
			}
			got, ok, err := a.Dot(x.ord, b, y.ord)
			if err != nil || !ok || math.Abs(got-want) > 0.01 {
				t.Fatalf("%.4f instead of %.4f (%v, %v)", got, want, ok, err)
			}
		}
	}
	if _, ok, err := a.Dot(1000, b, others[0].ord); ok || err != nil {
		t.Errorf("a chunk without vectors: %v, %v", ok, err)
	}
	if _, ok, err := a.Score(NewQuery(s.vector()), 1000); ok || err != nil {
		t.Errorf("a chunk without vectors: %v, %v", ok, err)
	}
	if _, _, err := a.Dot(chunks[0].ord, column(t, 8, nil), 0); err == nil {
		t.Error("columns of different spaces were compared")
	}
}

func TestOnlyDirectionsCount(t *testing.T) {
	s := newSpace(3, dim)
	v := s.vector()
	long := make(winnow.Vector, dim)
	for i, f := range v {
		long[i] = 1000 * f
	}
	c := column(t, dim, []chunk{{0, []winnow.Vector{long}}, {1, []winnow.Vector{make(winnow.Vector, dim)}}})
	for _, q := range []winnow.Vector{v, long} {
		if score, _, _ := c.Score(NewQuery(q), 0); math.Abs(score-1) > 0.001 {
			t.Errorf("cosine with itself is %.4f", score)
		}
	}
	if score, _, _ := c.Score(NewQuery(v), 1); score != 0 {
		t.Errorf("cosine with a vector without direction is %.4f", score)
	}
}

func TestBadVectorsAreRefused(t *testing.T) {
	b, err := NewBuilder("test/1", 3)
	if err != nil {
		t.Fatal(err)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range []winnow.Vector{nil, {1, 0}, {1, 0, 0, 0}, {1, nan, 0}, {0, 0, inf}} {
		if err := b.Add(0, winnow.Vector{1, 0, 0}, v); winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("%v: %v", v, err)
		}
	}
	if err := b.Add(5, winnow.Vector{1, 0, 0}); err != nil {
		t.Fatal(err)
	}
	if err := b.Add(5, winnow.Vector{1, 0, 0}); err == nil {
		t.Error("a chunk was added twice")
	}
	for _, dim := range []int{-1, 0, MaxDim + 1} {
		if _, err := NewBuilder("test/1", dim); winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("%d dimensions: %v", dim, err)
		}
	}
	if c := open(t, writeFile(t, b.Write)); c.Len() != 1 || !c.Has(5) {
		t.Error("a refused chunk left traces")
	}
}

func TestAMergedColumnIsTheOneBuiltFromTheStart(t *testing.T) {
	s := newSpace(4, dim)
	const n = 700
	var sources []*Column
	var remaps [][]uint32
	merged := map[uint32][]winnow.Vector{}
	owner := s.rng.Perm(n) // interleaves the sources
	for part := range 4 {
		if part == 2 {
			sources, remaps = append(sources, nil), append(remaps, nil)
			continue
		}
		chunks := windows(s, 150)
		remap := make([]uint32, 160)
		next := uint32(0)
		for old := range remap {
			remap[old] = segment.Dead
			if s.rng.IntN(5) == 0 {
				continue
			}
			for owner[next]%4 != part {
				next++
			}
			remap[old] = next
			next++
		}
		for _, ch := range chunks {
			if ord := remap[ch.ord]; ord != segment.Dead {
				merged[ord] = ch.vectors
			}
		}
		sources, remaps = append(sources, column(t, dim, chunks)), append(remaps, remap)
	}
	var chunks []chunk
	for ord := range uint32(n) {
		if v := merged[ord]; v != nil {
			chunks = append(chunks, chunk{ord, v})
		}
	}
	got, err := os.ReadFile(writeFile(t, func(w *segment.Writer) error { return Merge(w, sources, remaps) }))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(build(t, dim, chunks))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("files differ")
	}
}

func TestMergeRefusesOtherSpaces(t *testing.T) {
	w, err := segment.Create(t.TempDir() + "/column")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := Merge(w, []*Column{column(t, 64, nil), column(t, 65, nil)}, make([][]uint32, 2)); err == nil {
		t.Error("columns of 64 and 65 dimensions were merged")
	}
	if err := Merge(w, []*Column{nil}, make([][]uint32, 1)); err == nil {
		t.Error("nothing was merged")
	}
}

// Every damaged byte is noticed, at the latest when it is used.
func TestDamageIsNoticed(t *testing.T) {
	s := newSpace(5, dim)
	path := build(t, dim, one(s.vectors(300)))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	q := NewQuery(s.vector())
	use := func() error {
		f, err := segment.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		c, err := Open(f)
		if err != nil {
			return err
		}
		if err := Search(q, []Part{{Column: c}}, newTop(300)); err != nil {
			return err
		}
		return SearchExact(q, []Part{{Column: c}}, newTop(300))
	}
	if err := use(); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(data); at += 997 {
		data[at] ^= 0x10
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := use(); winnow.CodeOf(err) != winnow.Corrupt {
			t.Errorf("byte %d of %d: %v", at, len(data), err)
		}
		data[at] ^= 0x10
	}
}

func TestSectionsThatDoNotFitAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		head string
		code winnow.Code
	}{
		"no header":   {``, winnow.Corrupt},
		"no numbers":  {`{}`, winnow.Corrupt},
		"too large":   {`{"version":1,"dim":9000}`, winnow.Corrupt},
		"negative":    {`{"version":1,"dim":64,"vectors":-1}`, winnow.Corrupt},
		"no sections": {`{"version":1,"dim":64,"vectors":1}`, winnow.Corrupt},
		"later":       {`{"version":2,"dim":64}`, winnow.TooNew},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := segment.Open(writeFile(t, func(w *segment.Writer) error {
				w.Begin("column")
				_, err := w.Write([]byte(test.head))
				return err
			}))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := Open(f); winnow.CodeOf(err) != test.code {
				t.Errorf("%v", err)
			}
		})
	}
}

// A header that passes the checksum but was written by something else must not
// bring the reader down.
func FuzzHeader(f *testing.F) {
	f.Add([]byte(`{"version":1,"space":"test/1","dim":96,"vectors":700,"covered":700,"factor":1e-6,"shift":1e-6}`))
	f.Add([]byte(`{"version":1,"dim":100,"vectors":700,"covered":3,"factor":1e300,"shift":-1e300}`))
	f.Add([]byte(`{"version":1,"dim":65,"vectors":700,"factor":-1}`))
	f.Add([]byte(`{"version":-1,"dim":96,"vectors":700}`))
	f.Add([]byte(`[]`))
	s := newSpace(6, dim)
	whole := column(f, dim, one(s.vectors(700)))
	query := s.vector()
	f.Fuzz(func(t *testing.T, head []byte) {
		path := writeFile(t, func(w *segment.Writer) error {
			for name, values := range map[string]segment.Uint32s{"owner": whole.owner, "first": whole.first} {
				var list []uint32
				for i := range values.Len() {
					list = append(list, values.At(i))
				}
				w.Uint32s(name, list)
			}
			for name, section := range map[string]segment.Section{"codes": whole.codes, "vectors": whole.vectors} {
				data, err := section.All()
				if err != nil {
					return err
				}
				w.Begin(name)
				w.Write(data)
			}
			w.Begin("mean")
			w.Write(make([]byte, 4*whole.width))
			w.Begin("column")
			_, err := w.Write(head)
			return err
		})
		file, err := segment.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		c, err := Open(file)
		if err != nil {
			return
		}
		top := newTop(20)
		if err := Search(NewQuery(query[:min(dim, c.Dim())]), []Part{{Column: c}}, top); err == nil && len(top.Sorted()) != 20 {
			t.Error("results are missing")
		}
	})
}
