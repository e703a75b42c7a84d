package vector

// pool keeps the vectors with the best estimates, in the order in which they
// came. That order, by part and place, is what rescoring wants: windows of a
// chunk side by side, and memory read forwards.
//
// Estimates are counted in buckets, so that the floor rises with every vector
// that enters, and no vector is compared with another. Within the last bucket
// the earlier win; a bucket is a small part of an estimate's error.
type pool struct {
	want  int
	floor int // the best bucket that can't enter any more, or −1
	above int // how many have entered above it; fewer than wanted
	list  []candidate
	count [buckets]int32
}

// buckets divide the cosines from −1 to 1.
const buckets = 4096

type candidate struct{ bucket, part, at, ord uint32 }

func (p *pool) reset(want int) {
	p.want, p.floor, p.above, p.list = want, -1, 0, p.list[:0]
	clear(p.count[:])
}

// add enters a vector whose bucket is above the floor.
func (p *pool) add(c candidate) {
	p.list = append(p.list, c)
	p.count[c.bucket]++
	p.above++
	for p.above >= p.want {
		p.floor++
		p.above -= int(p.count[p.floor])
	}
}

// full tells whether vectors may have been left out.
func (p *pool) full() bool { return p.floor >= 0 }

// best drops what has fallen below the floor since it entered.
func (p *pool) best() []candidate {
	room := p.want - p.above
	kept := p.list[:0]
	for _, c := range p.list {
		if int(c.bucket) < p.floor || int(c.bucket) == p.floor && room == 0 {
			continue
		}
		if int(c.bucket) == p.floor {
			room--
		}
		kept = append(kept, c)
	}
	p.list = kept
	return kept
}

// sameChunk tells whether two candidates are vectors of one chunk.
func (c candidate) sameChunk(d candidate) bool { return c.ord == d.ord && c.part == d.part }
