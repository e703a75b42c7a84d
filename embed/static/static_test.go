package static

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func embed(t testing.TB, texts ...string) [][]winnow.Vector {
	t.Helper()
	vectors, err := New().Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

func dot(a, b winnow.Vector) float64 {
	var s float64
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func TestRelatedTextsAreCloserThanUnrelatedOnes(t *testing.T) {
	for _, c := range []struct{ text, near, far string }{
		{"Where was the composer born?", "He was a musician who wrote symphonies, born in Vienna.", "The reactor is cooled with liquid sodium."},
		{"cheap flights to Portugal", "Airline tickets to Lisbon at a low price", "Granite is an igneous rock made of quartz and feldspar"},
		{"symptoms of influenza", "Signs of flu include fever and a cough", "The court dismissed the appeal"},
		{"sort a list of integers", "an algorithm that orders an array of numbers", "the cathedral has two towers"},
	} {
		v := embed(t, c.text, c.near, c.far)
		if near, far := dot(v[0][0], v[1][0]), dot(v[0][0], v[2][0]); near < far+0.1 {
			t.Errorf("%q: %.2f to %q, %.2f to %q", c.text, near, c.near, far, c.far)
		}
	}
}

func TestVectorsHaveUnitLength(t *testing.T) {
	for i, v := range embed(t, "a", "the of and", "naïve 東京", strings.Repeat("word ", 100_000), "\U0001F980") {
		if len(v) != 1 || len(v[0]) != Dim || math.Abs(dot(v[0], v[0])-1) > 1e-5 {
			t.Errorf("text %d: %d vectors, square %v", i, len(v), dot(v[0], v[0]))
		}
	}
}

func TestEmptyTextHasNoVector(t *testing.T) {
	for _, text := range []string{"", " \n\t", "\u200b", "\x00"} {
		if v := embed(t, text)[0]; v != nil {
			t.Errorf("%q has %d vectors", text, len(v))
		}
	}
}

func TestBadTableIsRefused(t *testing.T) {
	flipped := slices.Clone(builtinTable)
	flipped[len(flipped)/2] ^= 1
	later := slices.Clone(builtinTable)
	later[len(magic)-1]++
	for name, file := range map[string][]byte{
		"empty": nil, "cut": builtinTable[:len(builtinTable)-1], "flipped bit": flipped, "later version": later,
	} {
		if _, err := newModel(file).Embed(context.Background(), []string{"x"}); winnow.CodeOf(err) != winnow.Corrupt {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCancelledEmbedStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New().Embed(ctx, []string{"x"}); err != context.Canceled {
		t.Errorf("err = %v", err)
	}
}

// BenchmarkChunks embeds chunks of 100 words on one core.
func BenchmarkChunks(b *testing.B) {
	words := strings.Fields(strings.Repeat("The committee approved Dr. Okonkwo's proposal for a regional archive in 1987. ", 9))
	texts := []string{strings.Join(words[:100], " ")}
	m := New()
	for b.Loop() {
		if _, err := m.Embed(context.Background(), texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "chunks/s")
}
