package ingest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

// nowhere is a sink that costs nothing.
type nowhere struct{}

func (nowhere) Put(context.Context, *winnow.Document) error { return nil }
func (nowhere) Delete(context.Context, string) error        { return nil }
func (nowhere) Commit(context.Context, *Table) error        { return nil }

// BenchmarkUnchanged is what a search pays for a folder of 50,000 files in 2,500
// folders that did not change.
func BenchmarkUnchanged(b *testing.B) {
	dir := b.TempDir()
	for i := range 2500 {
		folder := filepath.Join(dir, fmt.Sprintf("part%02d/module%02d/docs", i/50, i%50))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range 20 {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("file%02d.md", j)), []byte("# Title\n\nText.\n"), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	write(b, dir, map[string]string{".gitignore": "*.log\n*.tmp\nnode_modules/\n/build\ndist/\ntarget/\n*.o\n"})
	opts := Options{Roots: []string{dir}}
	r, err := Sync(b.Context(), opts, nil, nowhere{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range r.Table.entries {
		r.Table.entries[i].racy = false
	}
	data, err := r.Table.MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var table Table
		if err := table.UnmarshalBinary(data); err != nil {
			b.Fatal(err)
		}
		again, err := Sync(b.Context(), opts, &table, nowhere{})
		if err != nil {
			b.Fatal(err)
		}
		if again.Table != &table {
			b.Fatal("something changed")
		}
	}
}

// BenchmarkCorpus reads passages of about 100 words from a JSONL file, or from
// the one that WINNOW_CORPUS names.
func BenchmarkCorpus(b *testing.B) {
	corpus := os.Getenv("WINNOW_CORPUS")
	if corpus == "" {
		var lines strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&lines, "{\"id\": \"p%d\", \"title\": \"Passage %d\", \"text\": %q}\n", i, i, words(80+i%40))
		}
		corpus = filepath.Join(b.TempDir(), "corpus.jsonl")
		if err := os.WriteFile(corpus, []byte(lines.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(corpus)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		if _, err := Sync(b.Context(), Options{Roots: []string{corpus}}, nil, nowhere{}); err != nil {
			b.Fatal(err)
		}
	}
}
