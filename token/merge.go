package token

import "math"

// A piece that is no token is encoded by merging. It begins as single bytes;
// then, as long as two neighbours make a token, the pair whose token has the
// lowest id, the leftmost of equals, becomes one part. Ids are in the order in
// which the vocabulary was learned, and the result depends on it.

// part is a stretch of a piece, from its start to that of the next part.
type part struct {
	start uint32 // counted from the start of the piece
	pair  uint32 // the token that this part and the next one make, or noToken
}

const noToken = math.MaxUint32

// shortPiece is the length up to which the best pair is found by looking at all
// of them, which for so few is faster than keeping them in a heap.
const shortPiece = 64

// pair returns the token s[from:to], or noToken.
func (v *vocab) pair(s string, from, to int) uint32 {
	if id, ok := v.lookup(s, from, to); ok {
		return uint32(id)
	}
	return noToken
}

// countMerged returns the number of tokens in the piece s[from:to].
func (v *vocab) countMerged(s string, from, to int) int {
	var room [shortPiece + 1]part
	return len(v.merge(&room, s, from, to)) - 1
}

// appendPiece appends the tokens of the piece that begins at s[i] and returns
// its end.
func (v *vocab) appendPiece(ids []ID, s string, i int) ([]ID, int) {
	end := v.pieceEnd(s, i)
	if id, ok := v.lookup(s, i, end); ok {
		return append(ids, id), end
	}
	var room [shortPiece + 1]part
	parts := v.merge(&room, s, i, end)
	for k := range len(parts) - 1 {
		id, _ := v.lookup(s, i+int(parts[k].start), i+int(parts[k+1].start))
		ids = append(ids, id)
	}
	return ids, end
}

// merge returns the parts of s[from:to], each a token, and an empty one that
// marks the end. It uses room where that is enough.
func (v *vocab) merge(room *[shortPiece + 1]part, s string, from, to int) []part {
	n := to - from
	if n > shortPiece {
		return v.mergeLong(s, from, to)
	}
	parts := room[:n+1]
	for i := range parts {
		parts[i] = part{uint32(i), noToken}
		if i+2 <= n {
			parts[i].pair = v.twos[int(s[from+i])<<8|int(s[from+i+1])]
		}
	}
	for {
		best, at := uint32(noToken), 0
		for i := range parts {
			if parts[i].pair < best {
				best, at = parts[i].pair, i
			}
		}
		if best == noToken {
			return parts
		}
		last := len(parts) - 1
		for i := at + 1; i < last; i++ { // so few that calling copy costs more
			parts[i] = parts[i+1]
		}
		parts = parts[:last]
		for i := max(at-1, 0); i <= at; i++ {
			parts[i].pair = noToken
			if i+2 <= last-1 {
				parts[i].pair = v.pair(s, from+int(parts[i].start), from+int(parts[i+2].start))
			}
		}
	}
}

// mergeLong is merge for a piece of any length in O(n log n): a million equal
// letters are a piece too. Here parts stay where their first byte is, linked to
// their neighbours.
func (v *vocab) mergeLong(s string, from, to int) []part {
	n := to - from
	parts := make([]part, n+1)
	before := make([]uint32, n+1)
	after := make([]uint32, n+1)
	pairs := make(pairHeap, 0, n)
	for i := range parts {
		before[i], after[i] = uint32(max(i-1, 0)), uint32(i+1)
		parts[i] = part{uint32(i), noToken}
		if i+2 > n {
			continue
		}
		if token := v.twos[int(s[from+i])<<8|int(s[from+i+1])]; token != noToken {
			parts[i].pair = token
			pairs = append(pairs, uint64(token)<<32|uint64(i))
		}
	}
	pairs.order()

	for len(pairs) > 0 {
		best := pairs.pop()
		at := uint32(best)
		if parts[at].pair != uint32(best>>32) {
			continue // one of the two has merged with another since
		}
		gone := after[at]
		parts[gone].pair = noToken
		after[at] = after[gone]
		before[after[at]] = at

		for _, i := range [2]uint32{before[at], at} {
			parts[i].pair = noToken
			next := after[i]
			if int(next) == n {
				continue
			}
			if token := v.pair(s, from+int(i), from+int(after[next])); token != noToken {
				parts[i].pair = token
				pairs.push(uint64(token)<<32 | uint64(i))
			}
		}
	}

	left := 0
	for i := 0; i <= n; i = int(after[i]) {
		parts[left] = parts[i]
		left++
	}
	return parts[:left]
}

// pairHeap is a binary heap of pairs, token<<32 | start, the least on top: the
// lowest token, and the leftmost of equals.
type pairHeap []uint64

func (h pairHeap) order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

func (h *pairHeap) push(pair uint64) {
	*h = append(*h, pair)
	q := *h
	for i := len(q) - 1; i > 0; {
		parent := (i - 1) / 2
		if q[parent] <= q[i] {
			return
		}
		q[parent], q[i] = q[i], q[parent]
		i = parent
	}
}

func (h *pairHeap) pop() uint64 {
	q := *h
	top, last := q[0], len(q)-1
	q[0] = q[last]
	*h = q[:last]
	h.sink(0)
	return top
}

func (h pairHeap) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if h[i] <= h[child] {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
