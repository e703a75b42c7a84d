package vector

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/segment"
)

// Builder collects the vectors of a column.
type Builder struct {
	space  string
	dim    int
	owner  []uint32
	rows   []byte
	scales []float32
}

// NewBuilder starts a column of vectors of the named space.
func NewBuilder(space string, dim int) (*Builder, error) {
	if dim < 1 || dim > MaxDim {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%s has vectors of %d dimensions", space, dim),
			Hint: fmt.Sprintf("use an embedder with 1 to %d dimensions", MaxDim)}
	}
	return &Builder{space: space, dim: dim}, nil
}

// Add adds the vectors of a chunk, which has a higher ordinal than the last.
// Only their directions count.
func (b *Builder) Add(ord uint32, vectors ...winnow.Vector) error {
	if n := len(b.owner); n > 0 && b.owner[n-1] >= ord {
		return fmt.Errorf("vectors of chunk %d come after those of chunk %d", ord, b.owner[n-1])
	}
	for _, v := range vectors {
		if err := check(v, b.dim); err != nil {
			return err
		}
	}
	for _, v := range vectors {
		b.owner = append(b.owner, ord)
		b.scales = append(b.scales, b.quantise(v))
	}
	return nil
}

func check(v winnow.Vector, dim int) error {
	if len(v) != dim {
		return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("a vector has %d dimensions, and its space has %d", len(v), dim),
			Hint: "use the embedder the collection was made with"}
	}
	for _, f := range v {
		if f != f || math.IsInf(float64(f), 0) {
			return &winnow.Error{Code: winnow.BadInput, Message: "a vector holds something that is not a number", Hint: "check the embedder"}
		}
	}
	return nil
}

// quantise appends v, rotated, in int8 and returns what a unit is worth if the
// whole is to have unit length.
func (b *Builder) quantise(v winnow.Vector) float32 {
	x := make([]float32, padded(b.dim))
	norm := inverseNorm(v)
	for i, f := range v {
		x[i] = float32(float64(f) * norm)
	}
	rotate(x)
	var peak float64
	for _, f := range x {
		peak = max(peak, math.Abs(float64(f)))
	}
	var square int
	for _, f := range x {
		var u int8
		if peak > 0 {
			u = int8(math.Round(float64(f) / peak * math.MaxInt8))
		}
		b.rows = append(b.rows, byte(u))
		square += int(u) * int(u)
	}
	return float32(1 / math.Sqrt(float64(max(square, 1))))
}

// inverseNorm is 1/|v|, or 0 for a vector without direction.
func inverseNorm(v winnow.Vector) float64 {
	var square float64
	for _, f := range v {
		square += float64(float64(f) * float64(f))
	}
	if !(square > 0) || math.IsInf(square, 1) {
		return 0
	}
	return 1 / math.Sqrt(square)
}

// Write writes the column, as the first sections of a file.
func (b *Builder) Write(w *segment.Writer) error {
	width := padded(b.dim)
	return write(w, b.space, b.dim, b.owner, func(i int) ([]byte, float64, error) {
		return b.rows[i*width : (i+1)*width], float64(b.scales[i]), nil
	})
}

// rowFunc returns int8 vector i and what its unit is worth.
type rowFunc func(i int) ([]byte, float64, error)

// write writes a column of int8 vectors. Everything else is computed from them,
// so that a merged column is equal to one built from the start.
func write(w *segment.Writer, space string, dim int, owner []uint32, row rowFunc) error {
	width, n := padded(dim), len(owner)
	centre, err := mean(width, n, row)
	if err != nil {
		return err
	}
	blocks, units, err := encodeAll(width, n, centre, row)
	if err != nil {
		return err
	}
	w.Begin("codes")
	w.Write(blocks)
	w.Begin("vectors")
	for i := range n {
		r, scale, err := row(i)
		if err != nil {
			return err
		}
		w.Write(r)
		w.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(scale))))
	}
	covered := writeOwners(w, owner)
	bits := make([]uint32, width)
	for i, f := range centre {
		bits[i] = math.Float32bits(f)
	}
	w.Uint32s("mean", bits)
	head, err := json.Marshal(header{Version: Version, Space: space, Dim: dim, Vectors: n, Covered: covered, units: units})
	if err != nil {
		return err
	}
	w.Begin("column")
	_, err = w.Write(head)
	return err
}

// mean is the centre of the vectors.
func mean(width, n int, row rowFunc) ([]float32, error) {
	sum := make([]float64, width)
	for i := range n {
		r, scale, err := row(i)
		if err != nil {
			return nil, err
		}
		for j, x := range r {
			sum[j] += float64(float64(int8(x)) * scale)
		}
	}
	centre := make([]float32, width)
	for j, s := range sum {
		centre[j] = float32(s / float64(max(n, 1)))
	}
	return centre, nil
}

// encodeAll returns the blocks of codes with their corrections.
func encodeAll(width, n int, centre []float32, row rowFunc) ([]byte, units, error) {
	size := blockSize(width)
	blocks := make([]byte, blocksOf(n)*size)
	corrections := make([]correction, n)
	var square float64
	for _, c := range centre {
		square += float64(float64(c) * float64(c))
	}
	x := make([]float32, width)
	for i := range n {
		r, scale, err := row(i)
		if err != nil {
			return nil, units{}, err
		}
		var along float64
		for j, v := range r {
			f := float32(float64(int8(v)) * scale)
			along += float64(float64(f) * float64(centre[j]))
			x[j] = f - centre[j]
		}
		corrections[i] = correction{factor: encode(blocks[i/blockLen*size:], i%blockLen, x), shift: along - square}
	}
	return blocks, correct(blocks, width, corrections), nil
}

// writeOwners writes both directions between chunks and vectors, and returns
// the number of chunks.
func writeOwners(w *segment.Writer, owner []uint32) (covered int) {
	first := []uint32{0}
	for i, ord := range owner {
		if i == 0 || owner[i-1] != ord {
			covered++
		}
		for uint32(len(first)) <= ord {
			first = append(first, uint32(i))
		}
	}
	if len(owner) > 0 {
		first = append(first, uint32(len(owner)))
	}
	w.Uint32s("owner", owner)
	w.Uint32s("first", first)
	return covered
}
