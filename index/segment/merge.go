package segment

import (
	"bytes"
	"math/bits"
	"slices"
)

// Dead marks an ordinal that a merge leaves out.
const Dead = ^uint32(0)

// MergeSource is one input of a merged dictionary: Remap gives the new ordinal
// of each old one, rising, or [Dead].
type MergeSource struct {
	Dict  Dict
	Remap []uint32
}

// Merge fills and closes the dictionary with the live content of the sources,
// whose lists decode reads and encode writes, for n new ordinals.
func (out *DictWriter) Merge(sources []MergeSource, n int, freqs bool,
	decode func(d *Dict, e Entry) (List, error), encode func(dst []byte, ords, freqs []uint32) []byte) error {
	cursors := make([]*Cursor, 0, len(sources))
	remaps := make([][]uint32, 0, len(sources))
	for i := range sources {
		c := sources[i].Dict.Seek(nil)
		if c.Next() {
			cursors = append(cursors, c)
			remaps = append(remaps, sources[i].Remap)
		} else if c.Err() != nil {
			return c.Err()
		}
	}
	m := merger{present: NewBits(n)}
	if freqs {
		m.freqAt = make([]uint32, n)
	}
	var key, buf []byte
	for len(cursors) > 0 {
		key = append(key[:0], cursors[0].Key()...)
		for _, c := range cursors[1:] {
			if bytes.Compare(c.Key(), key) < 0 {
				key = append(key[:0], c.Key()...)
			}
		}
		m.begin()
		for i := 0; i < len(cursors); {
			c := cursors[i]
			if !bytes.Equal(c.Key(), key) {
				i++
				continue
			}
			l, err := decode(c.d, c.Entry())
			if err != nil {
				return err
			}
			m.add(&l, remaps[i])
			if c.Next() {
				i++
				continue
			}
			if c.Err() != nil {
				return c.Err()
			}
			cursors = slices.Delete(cursors, i, i+1)
			remaps = slices.Delete(remaps, i, i+1)
		}
		ords, fs := m.finish()
		if len(ords) > 0 {
			buf = encode(buf[:0], ords, fs)
			out.Add(key, len(ords), buf)
		}
	}
	out.Close()
	return out.w.err
}

// merger unites lists. Their ordinals interleave, so they are scattered into a
// set over all ordinals and read back in order; a short list is sorted instead,
// to not walk the whole set for it.
type merger struct {
	present Bits
	freqAt  []uint32 // nil without frequencies
	ords    []uint32
	freqs   []uint32
	blk     Block
}

func (m *merger) begin() { m.ords, m.freqs = m.ords[:0], m.freqs[:0] }

func (m *merger) add(l *List, remap []uint32) {
	for b := range l.Blocks() {
		l.Decode(b, &m.blk)
		for i, o := range m.blk.Ords[:m.blk.N] {
			to := remap[o]
			if to == Dead {
				continue
			}
			m.ords = append(m.ords, to)
			if m.freqAt != nil {
				m.freqAt[to] = m.blk.Freqs[i]
			}
		}
	}
}

func (m *merger) finish() (ords, freqs []uint32) {
	switch {
	case slices.IsSorted(m.ords):
	case len(m.ords) < len(m.present):
		slices.Sort(m.ords)
	default:
		for _, o := range m.ords {
			m.present.Set(o)
		}
		m.ords = m.ords[:0]
		for i, w := range m.present {
			for ; w != 0; w &= w - 1 {
				m.ords = append(m.ords, uint32(i<<6+bits.TrailingZeros64(w)))
			}
			m.present[i] = 0
		}
	}
	if m.freqAt == nil {
		return m.ords, nil
	}
	for _, o := range m.ords {
		m.freqs = append(m.freqs, m.freqAt[o])
	}
	return m.ords, m.freqs
}

// MergePlain merges dictionaries of lists without frequencies.
func (out *DictWriter) MergePlain(sources []MergeSource, n int) error {
	return out.Merge(sources, n, false,
		func(d *Dict, e Entry) (List, error) { return d.List(e, false) },
		func(dst []byte, ords, _ []uint32) []byte { return AppendList(dst, ords, nil) })
}
