package builtin

import "math/bits"

// mask is a set of the question's terms. A question of more terms than it has
// bits is known by its first ones: what else it says was searched for, but does
// not count as covered or missing.
type mask uint64

const maxTerms = 64

func (m mask) count() int { return bits.OnesCount64(uint64(m)) }

// each calls f with the places of the terms.
func (m mask) each(f func(i int)) {
	for m != 0 {
		f(bits.TrailingZeros64(uint64(m)))
		m &= m - 1
	}
}
