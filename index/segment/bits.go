package segment

import "math/bits"

// Bits is a set of ordinals below a fixed bound.
type Bits []uint64

// NewBits returns an empty set of ordinals below n.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

func (b Bits) Has(i uint32) bool { return b[i>>6]&(1<<(i&63)) != 0 }
func (b Bits) Set(i uint32)      { b[i>>6] |= 1 << (i & 63) }

// SetRange adds lo … hi−1.
func (b Bits) SetRange(lo, hi uint32) {
	for i := lo; i < hi; i++ {
		b.Set(i)
	}
}

// Count is the size of the set.
func (b Bits) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// Or adds the members of c.
func (b Bits) Or(c Bits) {
	for i, w := range c {
		b[i] |= w
	}
}

// And keeps the members that are also in c.
func (b Bits) And(c Bits) {
	for i, w := range c {
		b[i] &= w
	}
}

// Not complements the set below n.
func (b Bits) Not(n int) {
	for i := range b {
		b[i] = ^b[i]
	}
	if r := n & 63; r != 0 && len(b) > 0 {
		b[len(b)-1] &= 1<<r - 1
	}
}

// Each calls fn with every member, rising.
func (b Bits) Each(fn func(uint32)) {
	for i, w := range b {
		for w != 0 {
			fn(uint32(i<<6 + bits.TrailingZeros64(w)))
			w &= w - 1
		}
	}
}

// SetList adds a list's ordinals.
func (b Bits) SetList(l *List) {
	var blk Block
	for i := range l.Blocks() {
		l.Decode(i, &blk)
		for _, o := range blk.Ords[:blk.N] {
			if int(o>>6) < len(b) {
				b.Set(o)
			}
		}
	}
}
