// Package static is the fast tier of meaning: a table with one vector per word
// piece, and a text's vector is the sum of its pieces' rows. Tens of thousands
// of chunks a second, so that a collection can be searched by meaning the moment
// its text is in.
//
// The table is distilled from MiniLM (tools/static): rows are fitted until their
// sums point where MiniLM points, and a row's length is how much its piece counts.
// What was traded away is everything that word order and context say; alone it is
// a weak retriever, and it is made to stand in, inside a ranker with other
// signals, until MiniLM has caught up. Its vectors are a space of their own.
package static

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"sync"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/embed/wordpiece"
)

// Name is the vector space and its version.
const Name = "static-minilm/1"

// Dim is the length of its vectors.
const Dim = 256

// builtinTable is made by tools/static, which also describes the format.
//
//go:embed static.bin
var builtinTable []byte

// magic opens the file; its last byte is the format's version.
const magic = "WINNOWS\x01"

const fileSize = len(magic) + 4 + wordpiece.Size*Dim

// Model embeds text. It is safe for concurrent use.
type Model struct {
	load func() (*table, error)
}

// New returns a model. The table is checked on first use, which takes a few
// milliseconds.
func New() *Model { return newModel(builtinTable) }

func newModel(file []byte) *Model {
	return &Model{load: sync.OnceValues(func() (*table, error) { return parse(file) })}
}

// Name implements [winnow.Embedder].
func (m *Model) Name() string { return Name }

// Dim implements [winnow.Embedder].
func (m *Model) Dim() int { return Dim }

// Embed implements [winnow.Embedder]. Every text but an empty one has one
// vector, whatever its length.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]winnow.Vector, error) {
	t, err := m.load()
	if err != nil {
		return nil, err
	}
	vectors := make([][]winnow.Vector, len(texts))
	var ids []int32
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ids = t.tokenizer.Encode(ids[:0], text, math.MaxInt32)
		if v := t.sum(ids); v != nil {
			vectors[i] = []winnow.Vector{v}
		}
	}
	return vectors, nil
}

// table is the parsed file.
type table struct {
	tokenizer *wordpiece.Tokenizer
	rows      []byte // a byte per value, zero standing for 0, read in place
}

func parse(file []byte) (*table, error) {
	bad := func(what string) error {
		return &winnow.Error{
			Code:    winnow.Corrupt,
			Message: "the static embedding table " + what,
			Hint:    "reinstall the program, or make the file anew with tools/static",
		}
	}
	if !bytes.HasPrefix(file, []byte(magic)) {
		return nil, bad("is not one of this version")
	}
	if len(file) != fileSize {
		return nil, bad(fmt.Sprintf("has %d bytes instead of %d", len(file), fileSize))
	}
	body := file[len(magic)+4:]
	if crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(file[len(magic):]) {
		return nil, bad("fails its checksum")
	}
	return &table{wordpiece.New(), body}, nil
}

// zero is the byte that stands for 0.
const zero = 128

// lane picks every other byte of a word: four lanes of 16 bits.
const lane = 0x00ff00ff00ff00ff

// laneRows is how many rows of bytes a lane can add up.
const laneRows = 0xffff / 0xff

// sum adds up the rows of ids and brings the result to unit length; it is nil if
// there is nothing to add. Eight values are added at once: a word of the table is
// parted into its even and its odd bytes, which are then wide enough to sum.
func (t *table) sum(ids []int32) winnow.Vector {
	var totals [Dim]int32
	for part := range slices.Chunk(ids, laneRows) {
		var even, odd [Dim / 8]uint64
		for _, id := range part {
			row := t.rows[int(id)*Dim:][:Dim]
			for i := range even {
				w := binary.LittleEndian.Uint64(row[8*i:])
				even[i] += w & lane
				odd[i] += w >> 8 & lane
			}
		}
		for c := range totals {
			lanes := &even
			if c%2 == 1 {
				lanes = &odd
			}
			totals[c] += int32(lanes[c/8]>>(c%8/2*16)&0xffff) - int32(zero*len(part))
		}
	}
	v := make(winnow.Vector, Dim)
	for c := range v {
		v[c] = float32(totals[c])
	}
	var square float64
	for _, f := range v {
		square += float64(float64(f) * float64(f))
	}
	if square == 0 {
		return nil
	}
	inverse := float32(1 / math.Sqrt(square))
	for c := range v {
		v[c] *= inverse
	}
	return v
}

var _ winnow.Embedder = (*Model)(nil)
