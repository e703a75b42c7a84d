package segment_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/segment"
)

// fill writes one of each thing that a segment can hold, small, so that a fuzzer
// gets far.
func fill(w *segment.Writer) {
	r := rand.New(rand.NewPCG(7, 1))
	lists := map[string][]uint32{}
	keys := []string{"", "a"}
	for i := range 30 {
		keys = append(keys, fmt.Sprintf("key%02d", i))
	}
	for i, k := range keys {
		lists[k], _ = randomList(r, 1+i%3, 9, 0)
	}
	lists["key07"], _ = randomList(r, 2*segment.BlockLen+1, 3, 0)
	writeDict(w.HashedDict("d", 2), keys, lists)
	s := w.Store("s")
	for i := range 12 {
		s.Add(bytes.Repeat([]byte{byte(i)}, 500*i))
	}
	s.Close()
}

// readAll reads all there is through every reader, and expects of it only that
// it ends.
func readAll(t *testing.T, f *segment.File) {
	typed := func(err error) {
		if err != nil && winnow.CodeOf(err) != winnow.Corrupt {
			t.Fatalf("got %v, want a corrupt error", err)
		}
	}
	typed(f.Verify())
	if d, err := f.Dict("d"); err == nil {
		c := d.Seek(nil)
		for n := 0; n < 1000 && c.Next(); n++ {
			for _, freqs := range []bool{false, true} {
				l, err := d.List(c.Entry(), freqs)
				typed(err)
				l.AppendOrds(nil)
			}
			_, err := d.Lookup(c.Key())
			typed(err)
			_, err = d.Find(string(c.Key()))
			typed(err)
		}
		typed(c.Err())
		_, err := d.Find("no such key")
		typed(err)
	} else {
		typed(err)
	}
	s := f.Store("s")
	n := min(s.Len(), 1000)
	typed(s.Records(0, n, func(int, []byte) error { return nil }))
	for i := -1; i <= n; i++ {
		typed(s.Record(i, func([]byte) error { return nil }))
	}
}

// FuzzSegment opens arbitrary bytes as a file.
func FuzzSegment(f *testing.F) {
	whole, err := os.ReadFile(write(f, fill))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(whole[len(whole)-32:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "segment-000001")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		file, err := segment.Open(path)
		if err != nil {
			if code := winnow.CodeOf(err); code != winnow.Corrupt && code != winnow.TooNew {
				t.Fatalf("got %v, want a corrupt error", err)
			}
			return
		}
		defer file.Close()
		readAll(t, file)
	})
}

var fuzzed = []string{"d.keys", "d.lists", "d.hash", "s.data", "s.blocks", "s.records"}

// FuzzSections puts arbitrary bytes behind checksums that hold, where nothing
// but the readers' own care is left.
func FuzzSections(f *testing.F) {
	file, err := segment.Open(write(f, fill))
	if err != nil {
		f.Fatal(err)
	}
	var whole [6][]byte
	for i, name := range fuzzed {
		b, err := file.Section(name).All()
		if err != nil {
			f.Fatal(err)
		}
		whole[i] = bytes.Clone(b)
	}
	file.Close()
	add := func(s [6][]byte) { f.Add(s[0], s[1], s[2], s[3], s[4], s[5]) }
	add(whole)
	r := rand.New(rand.NewPCG(7, 2))
	for range 100 { // so that plain go test tries something too
		s := whole
		i := r.IntN(len(s))
		s[i] = bytes.Clone(s[i])
		switch r.IntN(3) {
		case 0:
			s[i] = s[i][:r.IntN(len(s[i]))]
		default:
			for range 1 + r.IntN(8) {
				s[i][r.IntN(len(s[i]))] = byte(r.Uint32()) | byte(r.Uint32())
			}
		}
		add(s)
	}
	f.Fuzz(func(t *testing.T, keys, lists, hash, data, blocks, records []byte) {
		file := build(t, func(w *segment.Writer) {
			for i, b := range [][]byte{keys, lists, hash, data, blocks, records} {
				w.Begin(fuzzed[i])
				w.Write(b)
			}
		})
		readAll(t, file)
	})
}
