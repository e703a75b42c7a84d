package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/winnow-search/winnow"
)

// Documents and chunks are stored as records: varints and length-prefixed
// strings in a fixed order.

var errRecord = errors.New("a record is cut short")

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decoder reads a record; the first error sticks.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) int() int {
	v, n := binary.Uvarint(d.b)
	if n <= 0 || v > math.MaxInt64 {
		d.b, d.err = nil, errRecord
		return 0
	}
	d.b = d.b[n:]
	return int(v)
}

func (d *decoder) string() string {
	n := d.int()
	if n > len(d.b) {
		d.b, d.err = nil, errRecord
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

// count reads a number of items, each of which takes at least one byte.
func (d *decoder) count() int {
	n := d.int()
	if n > len(d.b) {
		d.b, d.err = nil, errRecord
		return 0
	}
	return n
}

func appendDocument(b []byte, doc *winnow.Document) []byte {
	b = appendString(b, doc.Title)
	b = appendString(b, doc.Path)
	b = appendMetadata(b, doc.Metadata)
	b = binary.AppendUvarint(b, uint64(len(doc.Names)))
	for _, n := range doc.Names {
		b = appendString(b, n)
	}
	b = binary.AppendUvarint(b, uint64(len(doc.Links)))
	for _, l := range doc.Links {
		b = appendString(b, string(l.Kind))
		b = appendString(b, l.Target)
		b = binary.AppendUvarint(b, uint64(l.At))
	}
	return b
}

func decodeDocument(b []byte) (winnow.Document, error) {
	d := decoder{b: b}
	doc := winnow.Document{Title: d.string(), Path: d.string(), Metadata: d.metadata()}
	for range d.count() {
		doc.Names = append(doc.Names, d.string())
	}
	for range d.count() {
		doc.Links = append(doc.Links, winnow.Link{Kind: winnow.LinkKind(d.string()), Target: d.string(), At: d.int()})
	}
	return doc, d.err
}

func appendChunk(b []byte, c *winnow.Chunk) []byte {
	for _, v := range [...]int{c.Start, c.Tokens, c.Lines[0], c.Lines[1], c.Page} {
		b = binary.AppendUvarint(b, uint64(v))
	}
	b = appendString(b, c.Heading)
	b = appendMetadata(b, c.Metadata)
	return append(b, c.Text...)
}

func decodeChunk(b []byte) (winnow.Chunk, error) {
	d := decoder{b: b}
	c := winnow.Chunk{Start: d.int(), Tokens: d.int(), Lines: [2]int{d.int(), d.int()}, Page: d.int(), Heading: d.string(), Metadata: d.metadata()}
	c.Text = string(d.b)
	return c, d.err
}

// chunkText returns the text inside a chunk's record without copying it.
func chunkText(b []byte) ([]byte, error) {
	d := decoder{b: b}
	for range 5 {
		d.int()
	}
	d.string()
	d.metadata()
	return d.b, d.err
}

// The tags of metadata values, in records and in the keys of the metadata
// dictionary.
const (
	tagString = 's'
	tagInt    = 'i'
	tagFloat  = 'f'
	tagFalse  = '0'
	tagTrue   = '1'
)

func appendMetadata(b []byte, m winnow.Metadata) []byte {
	b = binary.AppendUvarint(b, uint64(len(m)))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		b = appendString(b, k)
		b = appendString(b, string(appendValue(nil, m[k])))
	}
	return b
}

func (d *decoder) metadata() winnow.Metadata {
	n := d.count()
	if n == 0 {
		return nil
	}
	m := make(winnow.Metadata, n)
	for range n {
		k := d.string()
		v, ok := decodeValue([]byte(d.string()))
		if d.err != nil || !ok {
			d.b, d.err = nil, errRecord
			return nil
		}
		m[k] = v
	}
	return m
}

// appendValue encodes a checked value.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return append(append(b, tagString), v...)
	case bool:
		if v {
			return append(b, tagTrue)
		}
		return append(b, tagFalse)
	case int64:
		return binary.BigEndian.AppendUint64(append(b, tagInt), uint64(v))
	case float64:
		return binary.BigEndian.AppendUint64(append(b, tagFloat), math.Float64bits(v))
	}
	panic(fmt.Sprintf("index: metadata value of type %T was not checked", v))
}

func decodeValue(b []byte) (any, bool) {
	if len(b) == 0 {
		return nil, false
	}
	tag, b := b[0], b[1:]
	switch {
	case tag == tagString:
		return string(b), true
	case tag == tagInt && len(b) == 8:
		return int64(binary.BigEndian.Uint64(b)), true
	case tag == tagFloat && len(b) == 8:
		return math.Float64frombits(binary.BigEndian.Uint64(b)), true
	case tag == tagTrue || tag == tagFalse:
		return tag == tagTrue, true
	}
	return nil, false
}

// checkMetadata refuses what the index can't store.
func checkMetadata(id string, m winnow.Metadata) error {
	for k, v := range m {
		bad := ""
		switch v := v.(type) {
		case string, bool, int64:
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				bad = "is not a finite number"
			}
		default:
			bad = fmt.Sprintf("is a %T", v)
		}
		if bad != "" {
			return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("metadata %q of document %q %s", k, id, bad),
				Hint: "use strings, booleans, int64 or float64"}
		}
	}
	return nil
}

// metaKey is the key of a value in the metadata dictionary. The length before
// the name keeps keys that contain each other apart.
func metaKey(key string, value any) []byte {
	return appendValue(appendString(nil, key), value)
}

func splitMetaKey(b []byte) (key string, value any, ok bool) {
	d := decoder{b: b}
	key = d.string()
	if d.err != nil {
		return "", nil, false
	}
	value, ok = decodeValue(d.b)
	return key, value, ok
}
