package ingest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/winnow-search/winnow"
)

// sampleTable is a table with everything in it.
func sampleTable() *Table {
	return &Table{
		settings: "chunker 1", skipped: []Note{{"a", "hidden"}}, failed: []Note{{"b/", "denied"}}, dropped: []string{"x", ""},
		entries: []entry{
			{path: "a.md", stat: stat{5, -6, 1 << 62}, racy: true, hash: fingerprint{1, 2}, chunks: 3, bytes: 4, documents: []documentState{{"a.md", 1 << 63}}},
			{path: "c.jsonl", shadowed: true, documents: []documentState{{"p1", 7}, {"p\n2", 8}}, warnings: []string{"w1", "w2"}},
			{path: "d.bin", skip: "binary"}, {path: "e.pdf", failure: "damaged"},
		},
	}
}

func TestTablesAreReadAsWritten(t *testing.T) {
	for _, want := range []*Table{sampleTable(), {}} {
		data, err := want.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		got := &Table{}
		if err := got.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if want.entries == nil {
			got.entries = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestADamagedTableIsRefused(t *testing.T) {
	data, err := sampleTable().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x10
		if err := new(Table).UnmarshalBinary(damaged); winnow.CodeOf(err) != winnow.Corrupt {
			t.Fatalf("byte %d: error %v", i, err)
		}
		if err := new(Table).UnmarshalBinary(data[:i]); winnow.CodeOf(err) != winnow.Corrupt {
			t.Fatalf("cut at %d: error %v", i, err)
		}
	}
}

func TestATableOfAnotherVersionIsRefused(t *testing.T) {
	e := encoder{buf: []byte(tableMagic)}
	e.number(tableVersion + 1)
	if err := new(Table).UnmarshalBinary(seal(e.buf)); winnow.CodeOf(err) != winnow.TooNew {
		t.Fatalf("error %v", err)
	}
}

// FuzzTable decodes what has a right checksum; the rest is refused before.
func FuzzTable(f *testing.F) {
	data, err := sampleTable().MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:len(data)-4])
	f.Fuzz(func(t *testing.T, body []byte) {
		var table Table
		if err := table.UnmarshalBinary(seal(bytes.Clone(body))); err != nil {
			return
		}
		table.Report()
		again, err := table.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var same Table
		if err := same.UnmarshalBinary(again); err != nil || !reflect.DeepEqual(same, table) {
			t.Fatalf("written again it is %+v, error %v", same, err)
		}
	})
}

func BenchmarkTable(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	table := &Table{settings: "s"}
	for i := range 50_000 {
		path := fmt.Sprintf("some/folder/of/a/project%d/file%d.md", i/100, i)
		table.entries = append(table.entries, entry{
			path: path, stat: stat{int64(r.IntN(1 << 20)), r.Int64(), r.Int64()}, chunks: 3, bytes: 1000,
			documents: []documentState{{path, r.Uint64()}},
		})
	}
	data, err := table.MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			if _, err := table.MarshalBinary(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if err := new(Table).UnmarshalBinary(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
