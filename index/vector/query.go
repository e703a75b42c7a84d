package vector

import (
	"math"
	"math/bits"
	"slices"

	"github.com/winnow-search/winnow"
)

// Query is a query vector prepared for all columns of its space. It is safe for
// concurrent use.
type Query struct {
	dim     int
	rotated []float32 // and of unit length
	words   []int16   // the same in units of 1/unit
}

// unit is 1 in the fixed point of query words. A product with a stored vector
// stays below 2³¹ for every dimension up to [MaxDim]: unit · 127 · √8192.
const unit = 1<<15 - 1

// NewQuery prepares a query vector. Only its direction counts; one without, or
// with something that is not a number, is equally far from everything.
func NewQuery(v winnow.Vector) *Query {
	q := &Query{dim: len(v), words: make([]int16, padded(len(v))), rotated: make([]float32, padded(len(v)))}
	norm := inverseNorm(v)
	if norm == 0 {
		return q
	}
	for i, f := range v {
		q.rotated[i] = float32(float64(f) * norm)
	}
	rotate(q.rotated)
	for i, f := range q.rotated {
		q.words[i] = int16(max(-unit, min(unit, math.Round(float64(f)*unit))))
	}
	return q
}

// levels is the number of steps between the least and the greatest value of a
// query dimension: five bits, so that the sum of eight fits a byte, and less
// where the sum of all would not fit 16 bits. Six bits or eight would gain a
// thousandth of recall.
func levels(width int) int { return min(31, math.MaxUint16/width) }

// plan is a query prepared for one column: what the scan needs, and what its
// integers are worth.
type plan struct {
	x      []float32
	tables []byte   // for each nibble of a code the sums of its dimensions: 16 entries
	wide   []uint16 // the same for bytes, if a kernel asks for it
	half   int16    // what a sum exceeds the signed one by
	weight int16    // of shifts, in units of factors
	// The scan's integers in buckets (see pool), with 32 bits after the point.
	slope, origin int64
}

// prepare fills the plan for a column. The dimensions of q − c, rotated, are
// numbered in equal steps from the least to the greatest possible. One whose
// sign bit is set in a code adds its number to the sum, one whose bit is clear
// adds what the number lacks to the highest. Either way that is half the highest
// number, and the signed value added or subtracted.
func (p *plan) prepare(q *Query, c *Column) {
	p.x = slices.Grow(p.x[:0], c.width)[:c.width]
	x := p.x
	var peak float32
	var along float64
	for i, f := range q.rotated {
		x[i] = f - c.centre[i]
		peak = max(peak, x[i], -x[i])
		along += float64(float64(f) * float64(c.centre[i]))
	}
	if peak == 0 {
		peak = 1
	}
	top := levels(c.width)
	p.half = int16(c.width / 2 * top)
	worth := 2 * float64(peak) / float64(top) * c.head.Factor
	p.weight = 0
	if worth > 0 {
		p.weight = int16(min(math.MaxInt16, math.Round(c.head.Shift/worth)))
	}
	p.slope = int64(math.Round(worth * (buckets / 2) * (1 << 32)))
	p.origin = int64(math.Round((along + 1) * (buckets / 2) * (1 << 32)))
	half := float32(top) / 2
	step := half / peak
	p.tables, p.wide = p.tables[:0], p.wide[:0]
	for i := 0; i < len(x); i += 4 {
		var table [16]byte
		var gain [4]int
		low := 0
		for j, f := range x[i : i+4] {
			number := max(0, min(top, int(float32(f*step)+half+0.5)))
			low += top - number
			gain[j] = 2*number - top
		}
		table[0] = byte(low)
		for n := 1; n < 16; n++ {
			// The entry without the lowest bit is there already.
			table[n] = byte(int(table[n&(n-1)]) + gain[bits.TrailingZeros(uint(n))])
		}
		p.tables = append(p.tables, table[:]...)
	}
}

// bucket is that of an estimate.
func (p *plan) bucket(est int32) int {
	return max(0, min(buckets-1, int((int64(est)*p.slope+p.origin)>>32)))
}

// below is the greatest estimate that is not above a bucket.
func (p *plan) below(bucket int) int32 {
	if bucket < 0 || p.slope == 0 {
		return math.MinInt32
	}
	last := int64(bucket+1)<<32 - 1 - p.origin
	est := last / p.slope
	if last%p.slope < 0 {
		est--
	}
	return int32(max(math.MinInt32, min(math.MaxInt32, est)))
}

// wideTables are the tables for whole bytes of a code.
func (p *plan) wideTables() []uint16 {
	if len(p.wide) > 0 {
		return p.wide
	}
	columns := len(p.tables) / 32
	p.wide = slices.Grow(p.wide[:0], columns*256)[:columns*256]
	for i := range columns {
		low, high := p.tables[i*32:i*32+16], p.tables[i*32+16:i*32+32]
		for b := range 256 {
			p.wide[i*256+b] = uint16(low[b&15]) + uint16(high[b>>4])
		}
	}
	return p.wide
}
