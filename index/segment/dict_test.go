package segment_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/winnow-search/winnow/index/segment"
)

// randomKeys has the empty key, long ones, and families that share prefixes.
func randomKeys(r *rand.Rand, n int) []string {
	set := map[string]bool{}
	for range n {
		var key string
		switch r.IntN(6) {
		case 0:
			key = string(randomBytes(r, r.IntN(4)))
		case 1:
			key = strings.Repeat("long", r.IntN(2000)) + fmt.Sprint(r.IntN(10))
		default:
			key = strings.Repeat("a", r.IntN(30)) + fmt.Sprint(r.IntN(n))
		}
		set[key] = true
	}
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func writeDict(d *segment.DictWriter, keys []string, lists map[string][]uint32) {
	for _, k := range keys {
		d.Add([]byte(k), len(lists[k]), segment.AppendList(nil, lists[k], nil))
	}
	d.Close()
}

func openDict(t testing.TB, f *segment.File, name string) segment.Dict {
	t.Helper()
	d, err := f.Dict(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDictIsASortedMap(t *testing.T) {
	for _, n := range []int{0, 1, 2, 23, 24, 25, 47, 48, 49, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := rand.New(rand.NewPCG(4, uint64(n)))
			keys := randomKeys(r, n)
			lists := map[string][]uint32{}
			for _, k := range keys {
				lists[k], _ = randomList(r, 1+r.IntN(3)*r.IntN(100), 9, 0)
			}
			f := build(t, func(w *segment.Writer) { writeDict(w.Dict("d"), keys, lists) })
			d := openDict(t, f, "d")

			walk(t, &d, nil, keys, lists)
			probes := append(randomKeys(r, 100), "", "a", "zzz", "\xff\xff")
			probes = append(probes, keys...)
			for _, p := range probes {
				e, err := d.Lookup([]byte(p))
				if err != nil {
					t.Fatal(err)
				}
				checkEntry(t, &d, p, e, lists[p])
				from := sort.SearchStrings(keys, p)
				walk(t, &d, []byte(p), keys[from:min(len(keys), from+50)], lists)
			}
		})
	}
}

// walk checks that a cursor from a key meets the keys in order.
func walk(t *testing.T, d *segment.Dict, from []byte, keys []string, lists map[string][]uint32) {
	t.Helper()
	c := d.Seek(from)
	for _, k := range keys {
		if !c.Next() || string(c.Key()) != k {
			t.Fatalf("from %q: the cursor is at %q (%v), want %q", from, c.Key(), c.Err(), k)
		}
		checkEntry(t, d, k, c.Entry(), lists[k])
	}
	if len(keys) < 50 && c.Next() {
		t.Fatalf("from %q: %q comes after the last key", from, c.Key())
	}
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
}

func checkEntry(t *testing.T, d *segment.Dict, key string, e segment.Entry, want []uint32) {
	t.Helper()
	if e.Count != len(want) {
		t.Fatalf("key %q has %d ordinals, want %d", key, e.Count, len(want))
	}
	if e.Count == 0 {
		return
	}
	l, err := d.List(e, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.AppendOrds(nil); !slices.Equal(got, want) {
		t.Fatalf("key %q has %v, want %v", key, got, want)
	}
}

func TestAMissingDictIsEmpty(t *testing.T) {
	d := openDict(t, build(t, func(*segment.Writer) {}), "d")
	if e, err := d.Lookup([]byte("key")); e.Count != 0 || err != nil {
		t.Errorf("got %v, %v", e, err)
	}
	if e, err := d.Find("key"); e.Count != 0 || err != nil {
		t.Errorf("got %v, %v", e, err)
	}
	if c := d.Seek(nil); c.Next() || c.Err() != nil {
		t.Errorf("got %q, %v", c.Key(), c.Err())
	}
}

func TestFindKnowsTheKeysWithEnoughOrdinals(t *testing.T) {
	const least = 3
	r := rand.New(rand.NewPCG(4, 1))
	keys := randomKeys(r, 700)
	lists := map[string][]uint32{}
	for _, k := range keys {
		lists[k], _ = randomList(r, 1+r.IntN(5), 9, 0)
	}
	f := build(t, func(w *segment.Writer) { writeDict(w.HashedDict("d", least), keys, lists) })
	d := openDict(t, f, "d")
	for _, k := range append(randomKeys(r, 200), keys...) {
		want := lists[k]
		if len(want) < least {
			want = nil
		}
		e, err := d.Find(k)
		if err != nil {
			t.Fatal(err)
		}
		checkEntry(t, &d, k, e, want)
	}
}
