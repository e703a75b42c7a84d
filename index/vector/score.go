package vector

import (
	"fmt"
	"math"

	"github.com/winnow-search/winnow"
)

// fits refuses a column of another space.
func (q *Query) fits(c *Column) error {
	if q.dim == c.head.Dim {
		return nil
	}
	return &winnow.Error{Code: winnow.BadInput,
		Message: fmt.Sprintf("the query has %d dimensions, and the vectors of %s have %d", q.dim, c.head.Space, c.head.Dim),
		Hint:    "embed the query with the model the collection was made with"}
}

// cosine is that of the query with vector i.
func (c *Column) cosine(q *Query, i int) (float64, error) {
	row, scale, err := c.row(i)
	if err != nil {
		return 0, err
	}
	return float64(c.kernel.words(q.words, row)) * scale / unit, nil
}

// Score is the cosine of the query with the nearest vector of a chunk; ok is
// false for a chunk that has none.
func (c *Column) Score(q *Query, ord uint32) (score float64, ok bool, err error) {
	if err := q.fits(c); err != nil {
		return 0, false, err
	}
	lo, hi := c.span(ord)
	score = math.Inf(-1)
	for i := lo; i < hi; i++ {
		s, err := c.cosine(q, i)
		if err != nil {
			return 0, false, err
		}
		score = max(score, s)
	}
	return score, lo < hi, nil
}

// Dot is the cosine of the two nearest vectors of chunk a of this column and
// chunk b of another, or the same, column of the space; ok is false if either
// has none.
func (c *Column) Dot(a uint32, other *Column, b uint32) (score float64, ok bool, err error) {
	if c.head.Dim != other.head.Dim {
		return 0, false, fmt.Errorf("vectors of %s and of %s can't be compared", c.head.Space, other.head.Space)
	}
	lo, hi := c.span(a)
	from, to := other.span(b)
	score = math.Inf(-1)
	for i := lo; i < hi; i++ {
		x, scale, err := c.row(i)
		if err != nil {
			return 0, false, err
		}
		for j := from; j < to; j++ {
			y, otherScale, err := other.row(j)
			if err != nil {
				return 0, false, err
			}
			score = max(score, float64(c.kernel.bytes(x, y))*scale*otherScale)
		}
	}
	return score, lo < hi && from < to, nil
}

// Vectors returns the vectors of a chunk, as near to what was added as int8
// allows; none for a chunk that has none.
func (c *Column) Vectors(ord uint32) ([]winnow.Vector, error) {
	lo, hi := c.span(ord)
	var out []winnow.Vector
	for i := lo; i < hi; i++ {
		row, scale, err := c.row(i)
		if err != nil {
			return nil, err
		}
		v := make(winnow.Vector, c.width)
		for j := range v {
			v[j] = float32(float64(int8(row[j])) * scale)
		}
		rotateBack(v)
		out = append(out, v[:c.head.Dim:c.head.Dim])
	}
	return out, nil
}
