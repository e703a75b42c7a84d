package ingest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/winnow-search/winnow"
)

// documentHash is a hash of all that is stored of a document. 64 bits are
// enough: it is only compared with that of the same document's last version.
func documentHash(d *winnow.Document) uint64 {
	var f fields
	f.text(d.ID)
	f.text(d.Title)
	f.text(d.Path)
	f.metadata(d.Metadata)
	f.number(len(d.Names))
	for _, name := range d.Names {
		f.text(name)
	}
	f.number(len(d.Links))
	for _, l := range d.Links {
		f.text(string(l.Kind))
		f.text(l.Target)
		f.number(l.At)
	}
	for i := range d.Chunks {
		c := &d.Chunks[i]
		f.text(c.Heading)
		f.text(c.Text)
		f.number(c.Page)
		f.metadata(c.Metadata)
	}
	sum := sha256.Sum256(f)
	return binary.LittleEndian.Uint64(sum[:])
}

// fields are values one after the other, with their lengths, so that different
// documents are never the same bytes.
type fields []byte

func (f *fields) number(n int) { *f = binary.AppendUvarint(*f, uint64(n)) }

func (f *fields) text(s string) {
	f.number(len(s))
	*f = append(*f, s...)
}

func (f *fields) metadata(m winnow.Metadata) {
	f.number(len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		f.text(key)
		f.text(fmt.Sprintf("%T %v", m[key], m[key]))
	}
}
