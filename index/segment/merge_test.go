package segment_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-search/winnow/index/segment"
)

type posting struct{ ord, freq uint32 }

// mergeCase is some dictionaries over the same few keys, and what they should
// become.
type mergeCase struct {
	dicts  []map[string][]posting
	remaps [][]uint32
	n      int
	want   map[string][]posting
}

func randomMerge(r *rand.Rand, sources, chunks, keys int) mergeCase {
	c := mergeCase{want: map[string][]posting{}}
	// The new ordinals interleave the sources, each of which keeps its order.
	for range sources {
		remap := make([]uint32, chunks)
		for i := range remap {
			remap[i] = segment.Dead
		}
		c.remaps = append(c.remaps, remap)
	}
	next := make([]int, sources)
	for left := sources * chunks; left > 0; left-- {
		s := r.IntN(sources)
		for next[s] == chunks {
			s = (s + 1) % sources
		}
		if r.IntN(4) > 0 {
			c.remaps[s][next[s]] = uint32(c.n)
			c.n++
		}
		next[s]++
	}
	for s := range sources {
		dict := map[string][]posting{}
		for k := range keys {
			key := fmt.Sprintf("key%d", k)
			for o := range uint32(chunks) {
				if r.IntN(2+k%7*20) == 0 {
					p := posting{o, 1 + uint32(r.IntN(9))}
					dict[key] = append(dict[key], p)
					if to := c.remaps[s][o]; to != segment.Dead {
						c.want[key] = append(c.want[key], posting{to, p.freq})
					}
				}
			}
		}
		c.dicts = append(c.dicts, dict)
	}
	for _, ps := range c.want {
		slices.SortFunc(ps, func(a, b posting) int { return int(a.ord) - int(b.ord) })
	}
	return c
}

func sortedKeys(m map[string][]posting) []string {
	var keys []string
	for k, ps := range m {
		if len(ps) > 0 {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

func split(ps []posting) (ords, freqs []uint32) {
	for _, p := range ps {
		ords, freqs = append(ords, p.ord), append(freqs, p.freq)
	}
	return ords, freqs
}

func TestMergedDictHoldsWhatLives(t *testing.T) {
	for _, c := range []struct{ sources, chunks, keys int }{{1, 50, 10}, {2, 1, 3}, {3, 300, 40}, {8, 100, 60}, {2, 2000, 5}} {
		for _, withFreqs := range []bool{false, true} {
			t.Run(fmt.Sprint(c, withFreqs), func(t *testing.T) {
				m := randomMerge(rand.New(rand.NewPCG(5, uint64(c.chunks))), c.sources, c.chunks, c.keys)
				m.check(t, withFreqs)
			})
		}
	}
}

func (m *mergeCase) check(t *testing.T, withFreqs bool) {
	encode := func(dst []byte, ords, freqs []uint32) []byte {
		if !withFreqs {
			freqs = nil
		}
		return segment.AppendList(dst, ords, freqs)
	}
	sources := make([]segment.MergeSource, len(m.dicts))
	for i, dict := range m.dicts {
		f := build(t, func(w *segment.Writer) {
			d := w.Dict("d")
			for _, k := range sortedKeys(dict) {
				ords, freqs := split(dict[k])
				d.Add([]byte(k), len(ords), encode(nil, ords, freqs))
			}
			d.Close()
		})
		sources[i] = segment.MergeSource{Dict: openDict(t, f, "d"), Remap: m.remaps[i]}
	}
	decode := func(d *segment.Dict, e segment.Entry) (segment.List, error) { return d.List(e, withFreqs) }
	f := build(t, func(w *segment.Writer) {
		if err := w.Dict("d").Merge(sources, m.n, withFreqs, decode, encode); err != nil {
			t.Fatal(err)
		}
	})
	d := openDict(t, f, "d")
	c := d.Seek(nil)
	for _, k := range sortedKeys(m.want) {
		if !c.Next() || string(c.Key()) != k {
			t.Fatalf("the cursor is at %q (%v), want %q", c.Key(), c.Err(), k)
		}
		l, err := d.List(c.Entry(), withFreqs)
		if err != nil {
			t.Fatal(err)
		}
		ords, freqs := split(m.want[k])
		var gotFreqs []uint32
		var blk segment.Block
		for b := range l.Blocks() {
			l.Decode(b, &blk)
			gotFreqs = append(gotFreqs, blk.Freqs[:blk.N]...)
		}
		if got := l.AppendOrds(nil); !slices.Equal(got, ords) || withFreqs && !slices.Equal(gotFreqs, freqs) {
			t.Fatalf("key %q has %v, want %v", k, got, ords)
		}
	}
	if c.Next() {
		t.Fatalf("key %q has nothing alive", c.Key())
	}
}
