package cache

import (
	"fmt"
	"os"
	"testing"

	"github.com/winnow-search/winnow"
)

// filled returns an embedder with n vectors of 384 dimensions in its file, and
// their keys.
func filled(b *testing.B, n int) (*Embedder, []key) {
	e := open(b, &fake{name: space, dims: 384}, b.TempDir())
	v := []winnow.Vector{vectorFor("v", 384)}
	var file []byte
	keys := make([]key, n)
	for i := range keys {
		keys[i] = keyOf(space, fmt.Sprint(i))
		file = appendRecord(file, keys[i], v)
	}
	if err := os.WriteFile(e.store.path, file, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(file)))
	return e, keys
}

// BenchmarkLoad is what the first use of a file costs.
func BenchmarkLoad(b *testing.B) {
	e, keys := filled(b, 100_000)
	for b.Loop() {
		g := &generation{file: e.store.newer.file}
		if err := g.refresh(); err != nil || len(g.offsets) != len(keys) {
			b.Fatal(len(g.offsets), err)
		}
	}
}

// BenchmarkHit is a batch of an index fill that computes nothing.
func BenchmarkHit(b *testing.B) {
	e, _ := filled(b, 100_000)
	b.SetBytes(0)
	texts := make([]string, 64)
	for i := range texts {
		texts[i] = fmt.Sprint(1000 * i)
	}
	for b.Loop() {
		if vectors, err := e.Embed(b.Context(), texts); err != nil || len(vectors[63]) != 1 {
			b.Fatal(err)
		}
	}
}

// BenchmarkKeep is a batch of which nothing was kept.
func BenchmarkKeep(b *testing.B) {
	e, _ := filled(b, 100_000)
	b.SetBytes(0)
	v := []winnow.Vector{vectorFor("v", 384)}
	n := 0
	for b.Loop() {
		var records [][]byte
		for range 64 {
			records = append(records, appendRecord(nil, keyOf(space, fmt.Sprint("new ", n)), v))
			n++
		}
		e.store.keep(b.Context(), records, DefaultMaxBytes)
	}
}
