package token

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// english returns a megabyte of the words of testdata/english.txt in random
// order, so that the processor cannot learn the text by heart.
func english(b *testing.B) string {
	data, err := os.ReadFile("testdata/english.txt")
	if err != nil {
		b.Fatal(err)
	}
	words := strings.Fields(string(data))
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for text.Len() < 1<<20 {
		text.WriteString(words[random.IntN(len(words))])
		text.WriteByte(" \n"[random.IntN(60)/59])
	}
	return text.String()
}

func BenchmarkCount(b *testing.B) {
	text := english(b)
	Count(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Count(text)
	}
}

func BenchmarkAppend(b *testing.B) {
	text := english(b)
	ids := Append(nil, text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		ids = Append(ids[:0], text)
	}
}

// A view of 200 parts that are already measured.
func BenchmarkJoin(b *testing.B) {
	text := english(b)
	var parts []Tally
	for at := range 200 {
		parts = append(parts, Measure(text[at*700:(at+1)*700]))
	}
	for b.Loop() {
		var view Tally
		for _, part := range parts {
			view = view.Join(part)
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	for b.Loop() {
		unpack(packed)
	}
}
