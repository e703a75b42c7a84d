package minilm

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/embed/wordpiece"
)

// leastCosine is how close every vector must be to the fp16 model's.
const leastCosine = 0.998

func passages(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/passages.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// referenceVectors are those of the fp16 weights computed in float32 by an
// independent program, in the order of passages.txt.
func referenceVectors(t testing.TB) []winnow.Vector {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.f16")
	if err != nil {
		t.Fatal(err)
	}
	vectors := make([]winnow.Vector, len(data)/2/Dim)
	for i := range vectors {
		vectors[i] = make(winnow.Vector, Dim)
		for c := range vectors[i] {
			h := binary.LittleEndian.Uint16(data[2*(i*Dim+c):])
			magnitude := math.Ldexp(float64(h&0x3ff), -24)
			if exp := int(h >> 10 & 0x1f); exp > 0 {
				magnitude = math.Ldexp(float64(h&0x3ff|0x400), exp-25)
			}
			vectors[i][c] = float32(math.Copysign(magnitude, float64(int16(h))))
		}
	}
	return vectors
}

func cosine(a, b winnow.Vector) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

func mustEmbed(t testing.TB, m *Model, texts []string) [][]winnow.Vector {
	t.Helper()
	vectors, err := m.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

func newTestModel(t testing.TB, o Options) *Model {
	t.Helper()
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestVectorsAreCloseToTheReference(t *testing.T) {
	texts, want := passages(t), referenceVectors(t)
	if len(texts) != 200 || len(want) != 200 {
		t.Fatalf("%d passages, %d vectors", len(texts), len(want))
	}
	least, sum := 1.0, 0.0
	for i, v := range mustEmbed(t, newTestModel(t, Options{}), texts) {
		if len(v) != 1 {
			t.Fatalf("passage %d has %d vectors", i, len(v))
		}
		c := cosine(v[0], want[i])
		if c < leastCosine {
			t.Errorf("cosine %.5f: %.60s", c, texts[i])
		}
		least, sum = min(least, c), sum+c
	}
	t.Logf("cosine to the fp16 model: least %.5f, mean %.5f", least, sum/200)
}

func TestEmptyTextHasNoVector(t *testing.T) {
	m := newTestModel(t, Options{})
	for i, v := range mustEmbed(t, m, []string{"", "x", " \n\t", "\u200b"}) {
		if want := i == 1; (len(v) == 1) != want {
			t.Errorf("text %d has %d vectors", i, len(v))
		}
	}
	if v := mustEmbed(t, m, nil); len(v) != 0 {
		t.Errorf("no texts have %d vectors", len(v))
	}
}

func TestLongTextHasSeveralWindows(t *testing.T) {
	m := newTestModel(t, Options{})
	for words, windows := range map[int]int{1: 1, span: 1, span + 1: 2, 3*span - 1: 3, 100_000: MaxWindows} {
		v := mustEmbed(t, m, []string{strings.Repeat("river ", words)})[0]
		if len(v) != windows {
			t.Errorf("%d words have %d vectors, want %d", words, len(v), windows)
		}
	}
}

func TestWindowsTileTheTextBetweenWords(t *testing.T) {
	tok := wordpiece.New()
	wordLength := len(tok.Encode(nil, "electroencephalography", math.MaxInt32))
	for _, n := range []int{1, 61, 71, 91, 101, 113, 503, 1301} {
		text := strings.Repeat("electroencephalography ", n)
		want := tok.Encode(nil, text, math.MaxInt32)
		var got []int32
		windows := cut(tok, text)
		for i, w := range windows {
			if len(w) > maxTokens || w[0] != wordpiece.Start || w[len(w)-1] != wordpiece.End {
				t.Fatalf("%d words: window %d of %d tokens", n, i, len(w))
			}
			if room := len(windows)*span - len(want); tok.Continues(w[1]) && room >= wordLength*len(windows) {
				t.Errorf("%d words: window %d begins inside a word", n, i)
			}
			got = append(got, w[1:len(w)-1]...)
		}
		if !slices.Equal(got, want[:min(len(want), MaxWindows*span)]) {
			t.Errorf("%d words: the windows do not hold the text", n)
		}
	}
}

func TestVectorDoesNotDependOnItsCompany(t *testing.T) {
	m := newTestModel(t, Options{})
	texts := passages(t)[:40]
	together := mustEmbed(t, m, texts)
	for i := range texts {
		if alone := mustEmbed(t, m, texts[i:i+1]); !bitEqual(alone[0][0], together[i][0]) {
			t.Errorf("%q differs", texts[i])
		}
	}
}

func TestBadWeightsAreRefused(t *testing.T) {
	flipped := slices.Clone(builtinWeights)
	flipped[len(flipped)/2] ^= 1
	later := slices.Clone(builtinWeights)
	later[len(magic)-1]++
	for name, file := range map[string][]byte{
		"empty": nil, "cut": builtinWeights[:len(builtinWeights)-1], "flipped bit": flipped, "later version": later,
	} {
		_, err := newModel(file, portable(), 1).Embed(context.Background(), []string{"x"})
		if winnow.CodeOf(err) != winnow.Corrupt {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnknownKernelIsRefused(t *testing.T) {
	if _, err := New(Options{Kernel: "mmx"}); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("error %v", err)
	}
}

func TestCancelledEmbedStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newTestModel(t, Options{}).Embed(ctx, passages(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestConcurrentEmbedsAgree(t *testing.T) {
	m := newTestModel(t, Options{Workers: 3})
	texts := passages(t)[:12]
	want := mustEmbed(t, m, texts)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := m.Embed(context.Background(), texts)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range texts {
				if !bitEqual(got[i][0], want[i][0]) {
					t.Errorf("%q differs", texts[i])
				}
			}
		})
	}
	wg.Wait()
}
