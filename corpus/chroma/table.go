package chroma

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
)

// entry is what a companion knows of a record.
type entry struct {
	id       string
	document string
	// order sorts the chunks of a document; ordinal is the place that comes out.
	order   int64
	ordinal int
	hash    uint64 // of text and metadata
}

// table is the records that a companion holds, sorted by id. It lies in the
// index beside the documents, of the same commit.
type table []entry

// find returns the entry of a record, nil if there is none.
func (t table) find(id string) *entry {
	i, ok := slices.BinarySearchFunc(t, id, func(e entry, id string) int { return strings.Compare(e.id, id) })
	if !ok {
		return nil
	}
	return &t[i]
}

// hashOf is that of what a companion holds of a record.
func hashOf(r *Record) uint64 {
	metadata, err := json.Marshal(r.Metadata) // sorted by key
	if err != nil {
		panic(err) // strings, bools and finite numbers always marshal
	}
	h := sha256.New()
	h.Write([]byte(r.Document))
	h.Write([]byte{0})
	h.Write(metadata)
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// encode writes the table: the documents once, then the records by id.
func (t table) encode() []byte {
	slices.SortFunc(t, func(a, b entry) int { return strings.Compare(a.id, b.id) })
	var names []string
	at := map[string]int{}
	for i := range t {
		if _, ok := at[t[i].document]; !ok {
			at[t[i].document] = len(names)
			names = append(names, t[i].document)
		}
	}
	b := binary.AppendUvarint(nil, uint64(len(names)))
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	for _, n := range names {
		text(n)
	}
	b = binary.AppendUvarint(b, uint64(len(t)))
	for i := range t {
		e := &t[i]
		text(e.id)
		b = binary.AppendUvarint(b, uint64(at[e.document]))
		b = binary.AppendVarint(b, e.order)
		b = binary.AppendUvarint(b, uint64(e.ordinal))
		b = binary.LittleEndian.AppendUint64(b, e.hash)
	}
	return b
}

var errTable = errors.New("the table of records is damaged")

// decodeTable reads what encode wrote. The strings share one copy of the data.
func decodeTable(data []byte) (table, error) {
	all, pos := string(data), 0
	bad := false
	number := func() uint64 {
		v, n := binary.Uvarint(data[pos:])
		if n <= 0 {
			bad = true
			return 0
		}
		pos += n
		return v
	}
	text := func() string {
		n := number()
		if n > uint64(len(all)-pos) {
			bad = true
			return ""
		}
		s := all[pos : pos+int(n)]
		pos += int(n)
		return s
	}
	count := func() int { // each item takes a byte at least
		n := number()
		if n > uint64(len(all)-pos) {
			bad = true
			return 0
		}
		return int(n)
	}
	names := make([]string, count())
	for i := range names {
		names[i] = text()
	}
	t := make(table, count())
	for i := range t {
		e := &t[i]
		e.id = text()
		d := number()
		order, n := binary.Varint(data[min(pos, len(data)):])
		pos += max(n, 0)
		e.order, e.ordinal = order, int(number())
		if bad || n <= 0 || d >= uint64(len(names)) || len(data)-pos < 8 || i > 0 && t[i-1].id >= e.id {
			return nil, errTable
		}
		e.document = names[d]
		e.hash = binary.LittleEndian.Uint64(data[pos:])
		pos += 8
	}
	if bad || pos != len(data) {
		return nil, errTable
	}
	return t, nil
}

// chunk is the id under which the companion has a record.
func (e *entry) chunk() string { return winnow.ChunkID(e.document, e.ordinal) }

// number gives the records of one document their ordinals.
func number(of []*entry) {
	slices.SortFunc(of, func(a, b *entry) int { return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.id, b.id)) })
	for i, e := range of {
		e.ordinal = i
	}
}
