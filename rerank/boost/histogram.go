package boost

// pull is what a row's score should gain and how sharply the loss curves there,
// in units of the round's fixed point. Whole numbers make every sum of them
// exact: neither the order of the rows nor the number of goroutines can show in
// a tree, and a leaf's histogram is exactly its parent's less its sibling's.
type pull struct{ g, h int32 }

// cell sums the pulls of n rows. 2³¹ rows can't overflow it.
type cell struct{ g, h, n int64 }

func (c *cell) add(d cell) { c.g += d.g; c.h += d.h; c.n += d.n }
func (c *cell) sub(d cell) { c.g -= d.g; c.h -= d.h; c.n -= d.n }

// histogram sums a leaf's rows by their bin of one feature.
type histogram [maxBins]cell

// fill sums the rows; pulls[i] is that of rows[i].
func (t *histogram) fill(c *column, rows []int32, pulls []pull) {
	clear(t[:len(c.cuts)+1])
	pulls = pulls[:len(rows)]
	for i, row := range rows {
		sum := &t[c.bins[row]]
		sum.g += int64(pulls[i].g)
		sum.h += int64(pulls[i].h)
		sum.n++
	}
}

// less turns the histogram of a parent into that of its other child.
func (t *histogram) less(child *histogram, c *column) {
	for b := range t[:len(c.cuts)+1] {
		t[b].sub(child[b])
	}
}
