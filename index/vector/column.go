// Package vector is the engine's dense leg: the vectors of one space for the
// chunks of one segment, and the k of them nearest to a query.
//
// A search scans one bit per dimension of every vector, with no graph and no
// clusters: nothing to train or to keep balanced, exclusion is a bit test, and a
// merge copies. The codes are those of RaBitQ (Gao and Long, 2024): signs after
// centring and a random rotation, compared with a query of five bits per
// dimension, so that the error does not depend on the shape of the space.
// MiniLM's vectors do as well without either step. But the same vectors given a
// strong common direction, outlying dimensions or falling variance, as another
// model may have them, then lose a fifth to a third of their neighbours; with
// both steps they lose no more than MiniLM's own. The scan looks sums up in tables of 16 entries with byte
// shuffles (André, Kermarrec and Le Scouarnec, 2015), which is faster than
// counting the bits of five query planes even where AVX-512 can count, and needs
// only AVX2.
//
// What is traded away is one or two neighbours in a hundred: the best by code
// are rescored in int8, and a true neighbour whose code is unlucky is missed
// (see [Search]). Everything up to the last multiplication is integer
// arithmetic, so all kernels return the same scores.
package vector

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/segment"
)

// Version is the layout of codes that is written; a later one is refused.
const Version = 1

// A column is a file of its own, because vectors come later than the text. Its
// sections:
//
//	codes          blocks of 128 vectors (see code.go)
//	vectors        int8, rotated, padded to a multiple of 64 dimensions; each with
//	               what its unit is worth, float32: one wait for memory, not two
//	owner, first   chunk of each vector; first vector of each chunk
//	mean           float32, the centre
//	column         header
//
// The codes come first so that they start on a cache line.
type header struct {
	Version int    `json:"version"`
	Space   string `json:"space"`
	Dim     int    `json:"dim"`
	Vectors int    `json:"vectors"`
	Covered int    `json:"covered"`
	units
}

// units are what the integers of a block's corrections are worth.
type units struct {
	Factor float64 `json:"factor"`
	Shift  float64 `json:"shift"`
}

// Column is an open column. It is safe for concurrent use.
type Column struct {
	head    header
	kernel  *kernel
	width   int // dimensions with padding
	chunks  int // ordinals below which it has vectors
	codes   segment.Section
	vectors segment.Section
	owner   segment.Uint32s
	first   segment.Uint32s // one more than there are chunks
	centre  []float32
}

// Open opens the column in a file.
func Open(f *segment.File) (*Column, error) {
	c := &Column{kernel: kernels()[0], codes: f.Section("codes"), vectors: f.Section("vectors")}
	head, err := f.Section("column").All()
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(head, &c.head); err != nil {
		return nil, damaged("its header can't be read")
	}
	if c.head.Version > Version {
		return nil, &winnow.Error{Code: winnow.TooNew,
			Message: fmt.Sprintf("the vectors of %s have format %d, and this winnow reads up to %d", c.head.Space, c.head.Version, Version),
			Hint:    "use the newer winnow that wrote them, or index again into a new collection"}
	}
	if c.head.Dim <= 0 || c.head.Dim > MaxDim || c.head.Vectors < 0 {
		return nil, damaged("its header makes no sense")
	}
	c.width = padded(c.head.Dim)
	c.owner, c.first = f.Section("owner").Uint32s(), f.Section("first").Uint32s()
	centre, err := f.Section("mean").All()
	if err != nil {
		return nil, err
	}
	n := c.head.Vectors
	if c.codes.Len() != blocksOf(n)*blockSize(c.width) || c.vectors.Len() != n*(c.width+4) ||
		c.owner.Len() != n || c.first.Len() < 1 || len(centre) != 4*c.width {
		return nil, damaged("its sections do not fit together")
	}
	c.chunks = c.first.Len() - 1
	c.centre = make([]float32, c.width)
	for i := range c.centre {
		c.centre[i] = math.Float32frombits(binary.LittleEndian.Uint32(centre[4*i:]))
	}
	return c, nil
}

func damaged(why string) error {
	return &winnow.Error{Code: winnow.Corrupt, Message: "a file of vectors is damaged: " + why,
		Hint: "index again with --rebuild; the source files are not touched"}
}

// Space names the embedder and version that made the vectors.
func (c *Column) Space() string { return c.head.Space }

// Dim is the number of dimensions.
func (c *Column) Dim() int { return c.head.Dim }

// Len is the number of vectors.
func (c *Column) Len() int { return c.head.Vectors }

// Covered is the number of chunks that have a vector.
func (c *Column) Covered() int { return c.head.Covered }

// Has tells whether a chunk has a vector.
func (c *Column) Has(ord uint32) bool {
	lo, hi := c.span(ord)
	return lo < hi
}

// span is the range of a chunk's vectors.
func (c *Column) span(ord uint32) (lo, hi int) {
	if int64(ord) >= int64(c.chunks) {
		return 0, 0
	}
	return c.first.Int(int(ord)), c.first.Int(int(ord) + 1)
}

// chunk is the one that vector i belongs to.
func (c *Column) chunk(i int) uint32 {
	if c.chunks == c.head.Vectors && c.chunks == c.head.Covered {
		return uint32(i) // the usual case, spared a look into memory
	}
	return c.owner.At(i)
}

// row is vector i as stored, and what its unit is worth.
func (c *Column) row(i int) ([]byte, float64, error) {
	r, err := c.vectors.Bytes(i*(c.width+4), c.width+4)
	if err != nil {
		return nil, 0, err
	}
	return r[:c.width], float64(math.Float32frombits(binary.LittleEndian.Uint32(r[c.width:]))), nil
}

// fetch begins to load vector i.
func (c *Column) fetch(i int) error {
	r, err := c.vectors.Bytes(i*(c.width+4), c.width+4)
	if err == nil {
		c.kernel.fetch(r)
	}
	return err
}
