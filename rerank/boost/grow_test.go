package boost

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The growth must find what trying every cut of every feature on the rows
// themselves finds.
func TestTheFirstSplitIsTheBestOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 50 {
		const rows, features = 120, 3
		p, _ := Params{Leaves: 2, MinRows: 7, L2: 2, LearningRate: 0.5}.filled()
		columns := make([]column, features)
		values := make([][]float32, features)
		for f := range columns {
			values[f] = make([]float32, rows)
			for i := range values[f] {
				values[f][i] = float32(r.IntN(30))
			}
			columns[f] = newColumn(values[f])
		}
		g := newGrower(p, columns, rows)
		g.features, g.unit = []int{0, 1, 2}, 1.0/1024
		sample := make([]int32, rows)
		for i := range sample {
			sample[i] = int32(i)
			g.pulls[i] = pull{int32(r.IntN(4096) - 2048), int32(r.IntN(1024))}
		}
		fall := func(in func(row int) bool) (fall, value float64, n int) {
			sumG, sumH := 0.0, 0.0
			for row := range rows {
				if in(row) {
					sumG += float64(g.pulls[row].g) / 1024
					sumH += float64(g.pulls[row].h) / 1024
					n++
				}
			}
			return sumG * sumG / (sumH + p.L2), sumG / (sumH + p.L2), n
		}
		whole, _, _ := fall(func(int) bool { return true })
		best, left, right := 0.0, 0.0, 0.0
		for f := range features {
			for cut := float32(0); cut < 30; cut++ {
				l, lv, ln := fall(func(row int) bool { return values[f][row] <= cut })
				r, rv, rn := fall(func(row int) bool { return values[f][row] > cut })
				if gain := l + r - whole; ln >= p.MinRows && rn >= p.MinRows && gain > best+1e-12 {
					best, left, right = gain, lv, rv
				}
			}
		}
		root := g.grow(sample, nil)
		if math.Abs(root.best.gain-best) > 1e-9*best {
			t.Fatalf("gain %v, the best is %v", root.best.gain, best)
		}
		if root.left.value != float32(left/2) || root.right.value != float32(right/2) {
			t.Fatalf("values %v and %v, not half of %v and %v", root.left.value, root.right.value, left, right)
		}
	}
}

// A leaf's histogram may come by subtraction; it must be that of its rows. And a
// split must lose no row.
func TestEveryLeafKnowsItsRows(t *testing.T) {
	groups := invent(4, 50, 30)
	p, _ := Params{Leaves: 12, MinRows: 3}.filled()
	b, err := newBooster(len(invented), groups, p)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 10 {
		b.round(uint64(round))
		seen := 0
		for _, l := range b.grower.leaves {
			seen += len(l.sample) + len(l.others)
			pulls := make([]pull, len(l.sample))
			var total cell
			for i, row := range l.sample {
				pulls[i] = b.grower.pulls[row]
				total.add(cell{int64(pulls[i].g), int64(pulls[i].h), 1})
			}
			if total != l.total {
				t.Fatalf("a leaf holds %v, not %v", l.total, total)
			}
			if total.n < int64(p.MinRows) {
				t.Errorf("a leaf of %d rows", total.n)
			}
			for slot := range l.histograms {
				c := &b.grower.columns[b.grower.features[slot]]
				var h histogram
				h.fill(c, l.sample, pulls)
				for bin := range len(c.cuts) + 1 {
					if h[bin] != l.histograms[slot][bin] {
						t.Fatalf("bin %d holds %v, not %v", bin, l.histograms[slot][bin], h[bin])
					}
				}
			}
		}
		if seen != len(b.rows) {
			t.Fatalf("the leaves hold %d rows of %d", seen, len(b.rows))
		}
	}
}
