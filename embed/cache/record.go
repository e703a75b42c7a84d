package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"github.com/winnow-search/winnow"
)

// A record is the vectors of one text, little-endian:
//
//	magic       4  its last byte is the version
//	checksum    4  CRC-32C of everything after it
//	dimensions  4
//	vectors     4
//	key        16
//	and for each vector its scale as a float32 and an int16 per dimension
//
// The length follows from the dimensions and the number of vectors, so a record
// is found again behind any damage by its magic and proved by its checksum.
const (
	magic    = "\xf7wv\x01"
	headSize = 32
	// maxRecord bounds a record that is kept, so that a damaged length can't
	// make the loader look far: 500 windows of 4,096 dimensions.
	maxRecord = 4 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// key stands for a text in a space. The space is part of it, though it has a
// file of its own, so that a file under the wrong name serves nothing.
type key [16]byte

func keyOf(space, text string) key {
	h := sha256.New()
	h.Write(binary.AppendUvarint(nil, uint64(len(space))))
	io.WriteString(h, space)
	io.WriteString(h, text)
	return key(h.Sum(nil)[:16])
}

// short is what the index in memory knows of a key. The whole of it is compared
// with the record, so two keys that share it cost a computation, not a mistake.
func (k key) short() uint64 { return binary.LittleEndian.Uint64(k[:]) }

func recordSize(dim, vectors int) int { return headSize + vectors*(4+2*dim) }

func appendRecord(b []byte, k key, vectors []winnow.Vector) []byte {
	start, dim := len(b), 0
	if len(vectors) > 0 {
		dim = len(vectors[0])
	}
	b = append(b, magic...)
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(dim))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(vectors)))
	b = append(b, k[:]...)
	for _, v := range vectors {
		b = appendVector(b, v)
	}
	binary.LittleEndian.PutUint32(b[start+4:], crc32.Checksum(b[start+8:], castagnoli))
	return b
}

// appendVector rounds v so that its largest component is ±32,767 units of the
// scale.
func appendVector(b []byte, v winnow.Vector) []byte {
	var peak float64
	for _, f := range v {
		peak = max(peak, math.Abs(float64(f)))
	}
	scale := float32(peak / math.MaxInt16)
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(scale))
	for _, f := range v {
		var x float64
		if scale > 0 {
			x = max(-math.MaxInt16, min(math.MaxInt16, math.Round(float64(f)/float64(scale))))
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(x)))
	}
	return b
}

// sizeOf is the size that the head at the start of b gives its record; ok is
// false where there is no head or it makes no sense.
func sizeOf(b []byte) (size int, ok bool) {
	if len(b) < headSize || string(b[:4]) != magic {
		return 0, false
	}
	dim, vectors := uint64(binary.LittleEndian.Uint32(b[8:])), uint64(binary.LittleEndian.Uint32(b[12:]))
	if dim > maxRecord || vectors > maxRecord || vectors*(4+2*dim) > maxRecord-headSize {
		return 0, false
	}
	return recordSize(int(dim), int(vectors)), true
}

// recordAt returns the record at the start of b, nil if there is no whole and
// undamaged one.
func recordAt(b []byte) []byte {
	size, ok := sizeOf(b)
	if !ok || size > len(b) || crc32.Checksum(b[8:size], castagnoli) != binary.LittleEndian.Uint32(b[4:]) {
		return nil
	}
	return b[:size]
}

// scan calls each with every record in b and its place, in order, passing over
// what is none. It returns the end of the last.
func scan(b []byte, each func(at int, record []byte)) (end int) {
	for at := 0; ; {
		next := bytes.Index(b[at:], []byte(magic))
		if next < 0 {
			return end
		}
		at += next
		record := recordAt(b[at:])
		if record == nil {
			at++
			continue
		}
		each(at, record)
		at += len(record)
		end = at
	}
}

func keyIn(record []byte) key { return key(record[16:headSize]) }

func dimOf(record []byte) int { return int(binary.LittleEndian.Uint32(record[8:])) }

func countOf(record []byte) int { return int(binary.LittleEndian.Uint32(record[12:])) }

// serves tells whether a record can stand for the vectors of a text in a space
// of dim dimensions; any can if it has none.
func serves(record []byte, k key, dim int) bool {
	return keyIn(record) == k && (countOf(record) == 0 || dimOf(record) == dim)
}

// vectorsOf is what a record holds, with memory of its own.
func vectorsOf(record []byte) []winnow.Vector {
	dim := dimOf(record)
	vectors := make([]winnow.Vector, countOf(record))
	for i := range vectors {
		row := record[recordSize(dim, i):]
		scale := float64(math.Float32frombits(binary.LittleEndian.Uint32(row)))
		v := make(winnow.Vector, dim)
		for j := range v {
			v[j] = float32(float64(int16(binary.LittleEndian.Uint16(row[4+2*j:]))) * scale)
		}
		vectors[i] = v
	}
	return vectors
}
