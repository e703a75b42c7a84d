package cache

import (
	"bytes"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
)

// Whatever lies before it, a record is found, and what is found is sound: in
// order, apart from each other, and readable.
func FuzzScan(f *testing.F) {
	sound := appendRecord(nil, keyOf("s", "a"), []winnow.Vector{vectorFor("a", 7), vectorFor("b", 7)})
	empty := appendRecord(nil, keyOf("s", " "), nil)
	f.Add([]byte(nil))
	f.Add(sound)
	f.Add(sound[:len(sound)-3])
	f.Add(slices.Concat(sound[:9], sound, empty, sound[3:], []byte(magic), sound[:headSize]))
	f.Add([]byte(magic + magic + magic))
	f.Add(bytes.Repeat([]byte{0xff}, 64))
	f.Add(append([]byte(magic), bytes.Repeat([]byte{0xff}, 60)...))
	last := appendRecord(nil, keyOf("s", "last"), []winnow.Vector{vectorFor("last", 5)})
	f.Fuzz(func(t *testing.T, before []byte) {
		b := slices.Concat(before, last)
		past := 0
		var keys []key
		end := scan(b, func(at int, record []byte) {
			if at < past || at+len(record) > len(b) || !bytes.Equal(record, b[at:at+len(record)]) {
				t.Fatalf("record at %d of %d bytes after %d", at, len(record), past)
			}
			past = at + len(record)
			keys = append(keys, keyIn(record))
			for _, v := range vectorsOf(record) {
				if len(v) != dimOf(record) {
					t.Fatal("wrong dimension")
				}
			}
		})
		if end != len(b) || len(keys) == 0 || keys[len(keys)-1] != keyOf("s", "last") {
			t.Fatalf("the last record was not found: %d records, end %d of %d", len(keys), end, len(b))
		}
	})
}

func TestKeysDependOnSpaceAndText(t *testing.T) {
	seen := map[key]string{}
	for _, pair := range [][2]string{{"a", "bc"}, {"ab", "c"}, {"abc", ""}, {"", "abc"}, {"a", "bc "}} {
		k := keyOf(pair[0], pair[1])
		if other, ok := seen[k]; ok {
			t.Errorf("%q has the key of %s", pair, other)
		}
		seen[k] = pair[0] + "," + pair[1]
	}
}
