package trigram

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// plainSet is the definition of a text's trigrams.
func plainSet(text string) map[Trigram]bool {
	set := map[Trigram]bool{}
	for i := 0; i+3 <= len(text); i++ {
		s := foldString(text[i : i+3])
		set[Trigram(s[0])<<16|Trigram(s[1])<<8|Trigram(s[2])] = true
	}
	return set
}

func TestCollectorFindsEachTrigramOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var c Collector
	for range 2000 {
		text := make([]byte, rng.IntN(60))
		for i := range text {
			text[i] = "abAB \xc3\xff\x00"[rng.IntN(8)]
		}
		got := c.Append(nil, string(text))
		slices.Sort(got)
		if want := slices.Sorted(maps.Keys(plainSet(string(text)))); !slices.Equal(got, want) {
			t.Fatalf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestCollectorAppendsInTextOrder(t *testing.T) {
	var c Collector
	found := c.Append(nil, "Hello")
	found = c.Append(found, "hello hello")
	var b strings.Builder
	for _, tri := range found {
		b.WriteString(tri.String())
	}
	if got, want := b.String(), `"hel""ell""llo""hel""ell""llo""lo ""o h"" he"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func BenchmarkCollector(b *testing.B) {
	var c Collector
	var found []Trigram
	texts := passages()
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			found = c.Append(found[:0], text)
		}
	}
}

// passages are 2,000 texts of about 100 words, with words drawn by rank so that
// trigrams repeat as they do in prose.
func passages() []string {
	rng := rand.New(rand.NewPCG(3, 4))
	words := make([]string, 20_000)
	for i := range words {
		for range 2 + rng.IntN(9) {
			words[i] += string("etaoinshrdlucmfwygpbvk"[min(rng.IntN(22), rng.IntN(22))])
		}
	}
	zipf := rand.NewZipf(rng, 1.1, 4, uint64(len(words)-1))
	texts := make([]string, 2000)
	for i := range texts {
		var b strings.Builder
		for range 100 {
			b.WriteString(words[zipf.Uint64()])
			b.WriteByte(' ')
		}
		texts[i] = b.String()
	}
	return texts
}
