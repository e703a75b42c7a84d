package main

import (
	"encoding/json"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
	"github.com/winnow-search/winnow/token"
)

var (
	cases = flag.Int("cases", 5000, "random strings of each kind to compare")
	data  = flag.String("data", os.Getenv("WINNOW_DATA"), "list of folders, each with a corpus.jsonl to compare")
)

func reference(t testing.TB) *vocabulary {
	v, err := newVocabulary()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func compare(t *testing.T, v *vocabulary, text string) {
	t.Helper()
	want := v.encode(text)
	got := token.Append(nil, text)
	if !slices.EqualFunc(got, want, func(a token.ID, b uint) bool { return uint(a) == b }) {
		t.Fatalf("%q\n got %v\nwant %v", text, got, want)
	}
	if n := token.Count(text); n != len(want) {
		t.Fatalf("Count(%q) = %d, want %d", text, n, len(want))
	}
}

func TestMixedFragmentsAreEncodedAlike(t *testing.T) {
	v := reference(t)
	for _, text := range mixed(rand.New(rand.NewPCG(rand.Uint64(), 0)), *cases) {
		compare(t, v, text)
	}
}

// Random code points, half of them ASCII, in runs that begin and end anywhere.
func TestRandomCodePointsAreEncodedAlike(t *testing.T) {
	v := reference(t)
	for range *cases {
		var text strings.Builder
		for range rand.IntN(40) {
			r := rand.Int32N([]int32{0x80, 0x80, 0x80, 0x600, 0x3000, 0x10000, 0x20000}[rand.IntN(7)])
			if utf8.ValidRune(r) && !isNewer(r) {
				text.WriteString(strings.Repeat(string(r), 1+rand.IntN(3)))
			}
		}
		compare(t, v, text.String())
	}
}

func TestRandomBytesAreEncodedAlike(t *testing.T) {
	v := reference(t)
	for range *cases {
		text := make([]byte, rand.IntN(30))
		for i := range text {
			text[i] = byte(rand.IntN([]int{0x80, 0x100}[rand.IntN(2)]))
		}
		compare(t, v, string(text))
	}
}

// isNewer reports whether regexp2, which has Go's tables, does not know r.
func isNewer(r rune) bool {
	for _, n := range newer {
		if n.first <= r && r <= n.last {
			return true
		}
	}
	return false
}

func TestDataIsEncodedAlike(t *testing.T) {
	v := reference(t)
	size := 0
	for _, text := range documents(t) {
		compare(t, v, text)
		size += len(text)
	}
	t.Logf("%d bytes are encoded alike", size)
}

// documents returns title and text of the corpora in the folders of -data.
func documents(t testing.TB) []string {
	if *data == "" {
		t.Skip("no data: set WINNOW_DATA or give -data")
	}
	var texts []string
	for _, folder := range filepath.SplitList(*data) {
		file, err := os.Open(filepath.Join(folder, "corpus.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for lines := json.NewDecoder(file); ; {
			var document struct{ Title, Text string }
			err := lines.Decode(&document)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, document.Title+"\n\n"+document.Text)
		}
		file.Close()
	}
	return texts
}

func BenchmarkCount(b *testing.B) {
	english, err := os.ReadFile("../../token/testdata/english.txt")
	if err != nil {
		b.Fatal(err)
	}
	benchmarkCount(b, slices.Repeat([]string{string(english)}, 100))
}

func BenchmarkCountData(b *testing.B) { benchmarkCount(b, documents(b)) }

func benchmarkCount(b *testing.B, texts []string) {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	theirs := codec.NewO200kBase()
	token.Count("") // unpacks the vocabulary
	b.Run("winnow", func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			for _, text := range texts {
				token.Count(text)
			}
		}
	})
	b.Run("tiktoken-go", func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			for _, text := range texts {
				if _, err := theirs.Count(text); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
