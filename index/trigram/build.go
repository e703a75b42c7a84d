package trigram

import (
	"encoding/binary"
	"slices"

	"github.com/winnow-search/winnow/index/segment"
)

// Section is the name of the dictionary that a [Builder] writes: three bytes to
// the chunks whose text holds them.
const Section = "trigrams"

// Builder collects the trigrams of a segment's chunks. The zero value is ready.
//
// There are some four hundred postings per chunk, so they are kept as varint
// gaps, one byte each for the most part, rather than as numbers to be sorted.
type Builder struct {
	collector Collector
	slots     []*[256]uint32 // first two bytes → third byte → index in lists, plus one
	lists     []gaps
	grams     []Trigram
	n         uint32
}

type gaps struct {
	gram  Trigram
	count int
	last  uint32
	buf   []byte
}

// Add adds the next chunk.
func (b *Builder) Add(text string) {
	if b.slots == nil {
		b.slots = make([]*[256]uint32, Count/256)
	}
	b.grams = b.collector.Append(b.grams[:0], text)
	for _, g := range b.grams {
		page := b.slots[g>>8]
		if page == nil {
			page = new([256]uint32)
			b.slots[g>>8] = page
		}
		slot := page[g&255]
		if slot == 0 {
			b.lists = append(b.lists, gaps{gram: g})
			slot = uint32(len(b.lists))
			page[g&255] = slot
		}
		l := &b.lists[slot-1]
		l.buf = binary.AppendUvarint(l.buf, uint64(b.n-l.last))
		l.last = b.n
		l.count++
	}
	b.n++
}

// Write writes the dictionary.
func (b *Builder) Write(w *segment.Writer) {
	slices.SortFunc(b.lists, func(x, y gaps) int { return int(x.gram) - int(y.gram) })
	d := w.Dict(Section)
	var ords []uint32
	var value []byte
	for i := range b.lists {
		l := &b.lists[i]
		ords = ords[:0]
		at, buf := uint32(0), l.buf
		for range l.count {
			gap, n := binary.Uvarint(buf)
			buf = buf[n:]
			at += uint32(gap)
			ords = append(ords, at)
		}
		value = segment.AppendList(value[:0], ords, nil)
		d.Add(l.gram.Key(), l.count, value)
	}
	d.Close()
}

// Key is the trigram's key in the dictionary.
func (t Trigram) Key() []byte { return []byte{byte(t >> 16), byte(t >> 8), byte(t)} }
