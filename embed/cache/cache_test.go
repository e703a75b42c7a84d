package cache

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-search/winnow"
)

// fake embeds a text by its hash, one vector for each part between bars, and
// notes what it was asked for.
type fake struct {
	name string
	dims int
	late bool // does not know its dimension before it was first asked
	fail error
	bend func([][]winnow.Vector) [][]winnow.Vector

	mu    sync.Mutex
	calls int
	asked []string
}

func (f *fake) Name() string { return f.name }

func (f *fake) Dim() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.late && f.calls == 0 {
		return 0
	}
	return f.dims
}

func (f *fake) Embed(_ context.Context, texts []string) ([][]winnow.Vector, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	f.asked = append(f.asked, texts...)
	if f.fail != nil {
		return nil, f.fail
	}
	out := make([][]winnow.Vector, len(texts))
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		for part := range strings.SplitSeq(text, "|") {
			out[i] = append(out[i], vectorFor(part, f.dims))
		}
	}
	if f.bend != nil {
		out = f.bend(out)
	}
	return out, nil
}

// vectorFor is a random direction that depends on the text alone.
func vectorFor(text string, dim int) winnow.Vector {
	h := fnv.New64a()
	h.Write([]byte(text))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make(winnow.Vector, dim)
	var square float64
	for i := range v {
		v[i] = float32(r.NormFloat64())
		square += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(square))
	}
	return v
}

const space = "fake/1"

func open(t testing.TB, f *fake, dir string) *Embedder {
	t.Helper()
	e, err := New(f, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func newFake() *fake { return &fake{name: space, dims: 48} }

func embed(t testing.TB, e *Embedder, texts ...string) [][]winnow.Vector {
	t.Helper()
	vectors, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

// mustAsk embeds texts and checks which of them reached the other embedder.
func mustAsk(t testing.TB, f *fake, e *Embedder, texts, want []string) [][]winnow.Vector {
	t.Helper()
	f.asked = nil
	vectors := embed(t, e, texts...)
	if !slices.Equal(f.asked, want) {
		t.Errorf("asked for %q, want %q", f.asked, want)
	}
	return vectors
}

func equal(a, b [][]winnow.Vector) bool {
	return slices.EqualFunc(a, b, func(x, y []winnow.Vector) bool {
		return slices.EqualFunc(x, y, func(v, w winnow.Vector) bool { return slices.Equal(v, w) })
	})
}

func TestATextIsComputedOnceAndItsVectorsStayTheSame(t *testing.T) {
	dir, f := t.TempDir(), newFake()
	texts := []string{"one", "two|parts", "", " ", "three"}
	first := mustAsk(t, f, open(t, f, dir), texts, []string{"one", "two|parts", " ", "three"})
	again := newFake()
	second := mustAsk(t, again, open(t, again, dir), texts, nil)
	if again.calls != 0 {
		t.Errorf("%d calls for nothing", again.calls)
	}
	if !equal(first, second) {
		t.Error("vectors differ between the first and the second time")
	}
	for i, want := range []int{1, 2, 0, 0, 1} {
		if len(second[i]) != want {
			t.Errorf("%q has %d vectors, want %d", texts[i], len(second[i]), want)
		}
	}
}

func TestOnlyWhatIsMissingIsComputedInOneCall(t *testing.T) {
	f := newFake()
	e := open(t, f, t.TempDir())
	embed(t, e, "b", "d")
	before := f.calls
	vectors := mustAsk(t, f, e, []string{"a", "b", "c", "d", "e"}, []string{"a", "c", "e"})
	if f.calls != before+1 {
		t.Errorf("%d calls", f.calls-before)
	}
	for i, text := range []string{"a", "b", "c", "d", "e"} {
		if c := cosine(vectors[i][0], vectorFor(text, f.dims)); c < 0.999999 {
			t.Errorf("%q has a vector of another: cosine %v", text, c)
		}
	}
}

func TestATextThatIsThereTwiceIsComputedOnce(t *testing.T) {
	f := newFake()
	e := open(t, f, t.TempDir())
	vectors := mustAsk(t, f, e, []string{"x", "y", "x", "x"}, []string{"x", "y"})
	if !equal(vectors[:1], vectors[2:3]) {
		t.Error("the same text has two vectors")
	}
	vectors[0][0][0] = 42
	if vectors[2][0][0] == 42 {
		t.Error("two places share memory")
	}
}

func TestRoundingIsFineAndDoesNotAddUp(t *testing.T) {
	for i := range 200 {
		v := vectorFor(fmt.Sprint(i), 384)
		once := vectorsOf(appendRecord(nil, key{}, []winnow.Vector{v}))[0]
		if c := cosine(v, once); c < 1-1e-8 {
			t.Errorf("cosine %v", c)
		}
		record := appendRecord(nil, key{}, []winnow.Vector{once})
		if want := appendRecord(nil, key{}, []winnow.Vector{v}); !slices.Equal(record[headSize+4:], want[headSize+4:]) {
			t.Error("rounding what is rounded changed it")
		}
	}
	zero := make(winnow.Vector, 3)
	if got := vectorsOf(appendRecord(nil, key{}, []winnow.Vector{zero}))[0]; !slices.Equal(got, zero) {
		t.Errorf("a zero vector came back as %v", got)
	}
}

func cosine(a, b winnow.Vector) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

func TestAnErrorPassesThroughAndWhatWasKeptStays(t *testing.T) {
	f := newFake()
	e := open(t, f, t.TempDir())
	embed(t, e, "a")
	f.fail = &winnow.Error{Code: winnow.Unavailable, Message: "down"}
	if _, err := e.Embed(t.Context(), []string{"a", "b"}); !errors.Is(err, f.fail) {
		t.Errorf("error %v", err)
	}
	mustAsk(t, f, e, []string{"a"}, nil)
	f.fail = nil
	mustAsk(t, f, e, []string{"a", "b"}, []string{"b"})
}

func TestVectorsThatAreNoneAreRefusedAndNotKept(t *testing.T) {
	for name, bend := range map[string]func([][]winnow.Vector) [][]winnow.Vector{
		"NaN":             func(v [][]winnow.Vector) [][]winnow.Vector { v[1][0][3] = float32(math.NaN()); return v },
		"infinite":        func(v [][]winnow.Vector) [][]winnow.Vector { v[1][0][0] = float32(math.Inf(-1)); return v },
		"wrong dimension": func(v [][]winnow.Vector) [][]winnow.Vector { v[0][0] = v[0][0][:5]; return v },
		"half a batch":    func(v [][]winnow.Vector) [][]winnow.Vector { return v[:1] },
		"too many":        func(v [][]winnow.Vector) [][]winnow.Vector { return append(v, v[0]) },
	} {
		f := newFake()
		e := open(t, f, t.TempDir())
		f.bend = bend
		if _, err := e.Embed(t.Context(), []string{"a", "b"}); winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("%s: %v", name, err)
		}
		f.bend = nil
		mustAsk(t, f, e, []string{"a", "b"}, []string{"a", "b"})
	}
}

func TestSpacesDoNotMix(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"model/1", "model_1", "model 1", "MODEL/1", strings.Repeat("長い名前", 100), "../../x", "", "."} {
		f := &fake{name: name, dims: 8}
		mustAsk(t, f, open(t, f, dir), []string{"a"}, []string{"a"})
		mustAsk(t, f, open(t, f, dir), []string{"a"}, nil)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 8 {
		t.Errorf("%d files, want 8 (%v)", len(files), err)
	}
	for _, file := range files {
		if info, _ := file.Info(); info.Mode().Perm() != 0o600 || strings.HasPrefix(file.Name(), ".") {
			t.Errorf("%s has mode %v", file.Name(), info.Mode())
		}
	}
}

func TestAFileUnderAnothersNameServesNothing(t *testing.T) {
	dir, f, g := t.TempDir(), newFake(), &fake{name: "other", dims: 48}
	e := open(t, f, dir)
	embed(t, e, "a")
	if err := os.Rename(e.store.path, filepath.Join(dir, fileName("other"))); err != nil {
		t.Fatal(err)
	}
	mustAsk(t, g, open(t, g, dir), []string{"a"}, []string{"a"})
}

func TestTheDimensionIsKnownFromWhatIsKept(t *testing.T) {
	dir, f := t.TempDir(), &fake{name: space, dims: 16, late: true}
	e := open(t, f, dir)
	if e.Dim() != 0 {
		t.Errorf("%d dimensions before anything is known", e.Dim())
	}
	embed(t, e, "a", " ")
	again := &fake{name: space, dims: 16, late: true}
	e = open(t, again, dir)
	if e.Dim() != 16 {
		t.Errorf("%d dimensions", e.Dim())
	}
	mustAsk(t, again, e, []string{"a", " "}, nil)
}

func TestVectorsOfAnotherDimensionAreComputedAnew(t *testing.T) {
	for name, g := range map[string]*fake{
		"known from the start": {name: space, dims: 24},
		"learnt on the way":    {name: space, dims: 32, late: true},
	} {
		dir := t.TempDir()
		embed(t, open(t, newFake(), dir), "a", "b")
		e := open(t, g, dir)
		vectors := embed(t, e, "a", "c", "b")
		for _, v := range vectors {
			if len(v) != 1 || len(v[0]) != g.dims {
				t.Fatalf("%s: %d dimensions, want %d", name, len(v[0]), g.dims)
			}
		}
		mustAsk(t, g, e, []string{"a", "b", "c"}, nil)
	}
}

func TestManyCallsAtATime(t *testing.T) {
	dir := t.TempDir()
	f, g := newFake(), newFake()
	handles := []*Embedder{open(t, f, dir), open(t, g, dir)}
	want := embed(t, open(t, newFake(), t.TempDir()), numbered(0, 60)...)
	var wg sync.WaitGroup
	for n := range 12 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			for range 10 {
				start := r.IntN(50)
				texts := numbered(start, start+10)
				vectors, err := handles[n%2].Embed(t.Context(), texts)
				if err != nil || !equal(vectors, want[start:start+10]) {
					t.Errorf("wrong vectors (%v)", err)
				}
			}
		})
	}
	wg.Wait()
	h := newFake()
	mustAsk(t, h, open(t, h, dir), numbered(10, 50), nil)
	for _, e := range handles {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func numbered(from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		out = append(out, fmt.Sprintf("text %d", i))
	}
	return out
}

func TestAFolderThatCannotBeUsedIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := New(newFake(), file)
	var e *winnow.Error
	if !errors.As(err, &e) || e.Code != winnow.BadInput || e.Hint == "" {
		t.Error(err)
	}
}

func TestACacheThatFailsDoesNotStopTheEmbedder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	f := newFake()
	e := open(t, f, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if vectors := mustAsk(t, f, e, []string{"a"}, []string{"a"}); len(vectors[0]) != 1 {
		t.Error("no vector")
	}
	if err := e.Close(); winnow.CodeOf(err) != winnow.Unavailable {
		t.Errorf("closed with %v", err)
	}
}
