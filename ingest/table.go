package ingest

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/winnow-search/winnow"
)

// Table is what is known of every file of a collection as of the last [Sync].
// It belongs with the documents: a sink stores both in one commit.
type Table struct {
	settings string // what the documents depend on beside the files
	entries  []entry
	skipped  []Note // by name
	failed   []Note // folders that could not be listed
	// dropped are documents that an interrupted sync has yet to delete.
	dropped []string
}

// entry is what is known of a file.
type entry struct {
	path string
	stat      // zero where the file has to be looked at again
	racy bool // the file changed so shortly before it was read that stat may not show the next change
	hash fingerprint
	// shadowed says that documents of the file were left out because other
	// files have documents with the same ids.
	shadowed  bool
	documents []documentState
	chunks    int
	bytes     int64 // of text
	skip      string
	failure   string
	warnings  []string
}

// forget makes that the file is read again, whatever it looks like.
func (e *entry) forget() { e.stat, e.hash = stat{}, fingerprint{} }

// documentState is a document with a hash of all that is stored of it.
type documentState struct {
	id   string
	hash uint64
}

// fingerprint is a hash of the bytes of a file that were read.
type fingerprint [16]byte

const (
	tableMagic   = "wntb"
	tableVersion = 1
)

// Flags of an encoded entry.
const (
	flagRacy = 1 << iota
	flagShadowed
	flagWhole // one document, whose id is the path
	flagNotes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary encodes the table: a magic, a version, the fields with
// lengths as varints, and a checksum.
func (t *Table) MarshalBinary() ([]byte, error) {
	e := encoder{buf: make([]byte, 0, 64+128*len(t.entries))}
	e.buf = append(e.buf, tableMagic...)
	e.number(tableVersion)
	e.text(t.settings)
	e.notes(t.skipped)
	e.notes(t.failed)
	e.texts(t.dropped)
	e.number(len(t.entries))
	for i := range t.entries {
		e.entry(&t.entries[i])
	}
	return seal(e.buf), nil
}

// seal appends the checksum.
func seal(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, castagnoli))
}

type encoder struct{ buf []byte }

func (e *encoder) number(n int) { e.buf = binary.AppendUvarint(e.buf, uint64(n)) }

func (e *encoder) text(s string) {
	e.number(len(s))
	e.buf = append(e.buf, s...)
}

func (e *encoder) texts(list []string) {
	e.number(len(list))
	for _, s := range list {
		e.text(s)
	}
}

func (e *encoder) notes(list []Note) {
	e.number(len(list))
	for _, n := range list {
		e.text(n.Path)
		e.text(n.Reason)
	}
}

func (e *encoder) entry(n *entry) {
	whole := len(n.documents) == 1 && n.documents[0].id == n.path
	notes := n.skip != "" || n.failure != "" || len(n.warnings) > 0
	flags := byte(0)
	if n.racy {
		flags |= flagRacy
	}
	if n.shadowed {
		flags |= flagShadowed
	}
	if whole {
		flags |= flagWhole
	}
	if notes {
		flags |= flagNotes
	}
	e.buf = append(e.buf, flags)
	e.text(n.path)
	e.number(int(n.size))
	e.buf = binary.LittleEndian.AppendUint64(e.buf, uint64(n.modified))
	e.buf = binary.LittleEndian.AppendUint64(e.buf, uint64(n.changed))
	e.buf = append(e.buf, n.hash[:]...)
	e.number(n.chunks)
	e.number(int(n.bytes))
	if !whole {
		e.number(len(n.documents))
	}
	for _, d := range n.documents {
		if !whole {
			e.text(d.id)
		}
		e.buf = binary.LittleEndian.AppendUint64(e.buf, d.hash)
	}
	if notes {
		e.text(n.skip)
		e.text(n.failure)
		e.texts(n.warnings)
	}
}

// UnmarshalBinary decodes a table. A table is a cache: a caller that meets an
// error starts with none, and everything is read again.
func (t *Table) UnmarshalBinary(data []byte) error {
	corrupt := &winnow.Error{
		Code: winnow.Corrupt, Message: "the table of files is damaged", Hint: "winnow index --rebuild",
	}
	body := len(data) - crc32.Size
	if body < len(tableMagic) || string(data[:len(tableMagic)]) != tableMagic ||
		crc32.Checksum(data[:body], castagnoli) != binary.LittleEndian.Uint32(data[body:]) {
		return corrupt
	}
	d := decoder{rest: string(data[len(tableMagic):body])} // one copy, of which all texts are parts
	if version := d.number(); !d.bad && version != tableVersion {
		return &winnow.Error{
			Code: winnow.TooNew, Message: "the table of files was written by another version of winnow",
			Hint: "winnow index --rebuild",
		}
	}
	decoded := Table{settings: d.text(), skipped: d.notes(), failed: d.notes(), dropped: d.texts()}
	const smallest = 1 + 1 + 1 + 8 + 8 + 16 + 1 + 1
	decoded.entries = make([]entry, d.count(smallest))
	for i := range decoded.entries {
		d.entry(&decoded.entries[i])
	}
	if d.bad || d.rest != "" {
		return corrupt
	}
	*t = decoded
	return nil
}

// decoder takes fields off the front of rest. After bad input all fields are
// zero.
type decoder struct {
	rest string
	bad  bool
}

func (d *decoder) take(n int) string {
	if n < 0 || n > len(d.rest) {
		d.bad, d.rest = true, ""
		return ""
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) number() int {
	v := uint64(0)
	for shift := 0; shift < 63; shift += 7 {
		if len(d.rest) == 0 {
			break
		}
		b := d.rest[0]
		d.rest = d.rest[1:]
		v |= uint64(b&0x7F) << shift
		if b < 0x80 {
			return int(v)
		}
	}
	d.bad, d.rest = true, ""
	return 0
}

// count reads the length of a list whose elements take at least size bytes.
func (d *decoder) count(size int) int {
	n := d.number()
	if n < 0 || n > len(d.rest)/size {
		d.bad, d.rest = true, ""
		return 0
	}
	return n
}

func (d *decoder) fixed() uint64 {
	s := d.take(8)
	if d.bad {
		return 0
	}
	v := uint64(0)
	for i := 7; i >= 0; i-- {
		v = v<<8 | uint64(s[i])
	}
	return v
}

func (d *decoder) text() string { return d.take(d.number()) }

func (d *decoder) texts() []string {
	var list []string
	for range d.count(1) {
		list = append(list, d.text())
	}
	return list
}

func (d *decoder) notes() []Note {
	var list []Note
	for range d.count(2) {
		list = append(list, Note{d.text(), d.text()})
	}
	return list
}

func (d *decoder) entry(n *entry) {
	var flags byte
	if s := d.take(1); s != "" {
		flags = s[0]
	}
	n.racy, n.shadowed = flags&flagRacy != 0, flags&flagShadowed != 0
	n.path = d.text()
	n.size = int64(d.number())
	n.modified, n.changed = int64(d.fixed()), int64(d.fixed())
	copy(n.hash[:], d.take(len(n.hash)))
	n.chunks = d.number()
	n.bytes = int64(d.number())
	if flags&flagWhole != 0 {
		n.documents = []documentState{{n.path, d.fixed()}}
	} else if count := d.count(1 + 8); count > 0 {
		n.documents = make([]documentState, count)
		for i := range n.documents {
			n.documents[i] = documentState{d.text(), d.fixed()}
		}
	}
	if flags&flagNotes != 0 {
		n.skip, n.failure, n.warnings = d.text(), d.text(), d.texts()
	}
}
