package boost

// branch is a node of a growing tree: a leaf until it is split.
type branch struct {
	sample []int32 // rows that decide about splits and values
	others []int32 // rows that only come along, to have their scores raised
	total  cell    // of sample
	value  float32

	histograms []histogram // per feature of the tree; nil if not wanted
	best       split
	left       *branch // nil in a leaf
	right      *branch
}

// split is a way to divide a leaf.
type split struct {
	gain float64
	slot int  // of the feature among those of the tree
	bin  int  // the last that goes left
	left cell // what goes left
}

// grower grows trees by the best leaf first: the leaf whose split takes most
// from the loss is split next, until there are enough. Such trees are deep where
// depth pays.
type grower struct {
	Params
	columns []column

	features []int   // of this tree
	pulls    []pull  // per row
	unit     float64 // of pulls

	leaves  []*branch
	spare   [][]histogram
	ordered []pull
	right   []int32
}

func newGrower(p Params, columns []column, rows int) *grower {
	return &grower{Params: p, columns: columns, pulls: make([]pull, rows), ordered: make([]pull, rows), right: make([]int32, rows)}
}

// grow returns the root of a new tree; g.leaves are its leaves.
func (g *grower) grow(sample, others []int32) *branch {
	for _, l := range g.leaves {
		g.giveBack(l)
	}
	root := &branch{sample: sample, others: others}
	for _, row := range sample {
		root.total.add(cell{int64(g.pulls[row].g), int64(g.pulls[row].h), 1})
	}
	g.leaves = append(g.leaves[:0], root)
	g.search(root, nil)
	for len(g.leaves) < g.Leaves {
		best := 0
		for i, l := range g.leaves {
			if l.best.gain > g.leaves[best].best.gain {
				best = i
			}
		}
		b := g.leaves[best]
		if b.best.gain <= 0 {
			break
		}
		g.split(b)
		g.leaves[best] = b.left
		g.leaves = append(g.leaves, b.right)
		if len(g.leaves) < g.Leaves {
			g.searchBoth(b)
		}
	}
	for _, l := range g.leaves {
		l.value = float32(g.LearningRate * float64(l.total.g) / g.curvature(l.total))
	}
	return root
}

// split gives a leaf its children.
func (g *grower) split(b *branch) {
	c := &g.columns[g.features[b.best.slot]]
	b.left, b.right = &branch{total: b.best.left}, &branch{total: b.total}
	b.right.total.sub(b.best.left)
	b.left.sample, b.right.sample = g.divide(b.sample, c.bins, uint8(b.best.bin))
	b.left.others, b.right.others = g.divide(b.others, c.bins, uint8(b.best.bin))
}

// divide moves the rows whose bin is above last behind the others. Both keep
// their order, so that columns are read forwards. It has no branch to mispredict:
// every row is written to both sides, and one of them does not move on.
func (g *grower) divide(rows []int32, bins []uint8, last uint8) (left, right []int32) {
	l, r := 0, 0
	for _, row := range rows {
		rows[l], g.right[r] = row, row
		above := 0
		if bins[row] > last {
			above = 1
		}
		l += 1 - above
		r += above
	}
	copy(rows[l:], g.right[:r])
	return rows[:l], rows[l:]
}

// searchBoth finds the best splits of a branch's children. Only the smaller is
// counted; the larger is what remains of its parent.
func (g *grower) searchBoth(b *branch) {
	small, large := b.left, b.right
	if len(small.sample) > len(large.sample) {
		small, large = large, small
	}
	large.histograms, b.histograms = b.histograms, nil
	g.search(small, large)
}

// search finds the best split of a leaf, and of its sibling if there is one.
func (g *grower) search(l, sibling *branch) {
	l.histograms = g.borrow()
	ordered := g.ordered[:len(l.sample)]
	for i, row := range l.sample {
		ordered[i] = g.pulls[row]
	}
	splits := make([]struct{ l, sibling split }, len(g.features))
	parallel(len(g.features), func(slot int) {
		c := &g.columns[g.features[slot]]
		h := &l.histograms[slot]
		h.fill(c, l.sample, ordered)
		splits[slot].l = g.bestCut(slot, h, l.total)
		if sibling != nil {
			rest := &sibling.histograms[slot]
			rest.less(h, c)
			splits[slot].sibling = g.bestCut(slot, rest, sibling.total)
		}
	})
	for _, s := range splits { // in order, so that of equals the first feature wins
		if s.l.gain > l.best.gain {
			l.best = s.l
		}
		if sibling != nil && s.sibling.gain > sibling.best.gain {
			sibling.best = s.sibling
		}
	}
}

// bestCut tries every cut of a feature.
func (g *grower) bestCut(slot int, h *histogram, total cell) (best split) {
	least := int64(g.MinRows)
	whole := g.fall(total)
	var left cell
	for bin := range g.columns[g.features[slot]].cuts {
		left.add(h[bin])
		right := total
		right.sub(left)
		if right.n < least {
			break
		}
		if left.n < least || h[bin].n == 0 {
			continue
		}
		if gain := g.fall(left) + g.fall(right) - whole; gain > best.gain {
			best = split{gain: gain, slot: slot, bin: bin, left: left}
		}
	}
	return best
}

// fall is by how much the loss falls, twice over and to second order, if the
// rows of a cell get the same best value: G²/(H+λ).
func (g *grower) fall(c cell) float64 {
	return float64(c.g) * g.unit * float64(c.g) / g.curvature(c)
}

// curvature is H+λ in units of pulls, so that G over it is a leaf's Newton step.
func (g *grower) curvature(c cell) float64 { return float64(c.h) + g.L2/g.unit }

func (g *grower) borrow() []histogram {
	if n := len(g.spare); n > 0 {
		h := g.spare[n-1]
		g.spare = g.spare[:n-1]
		return h
	}
	return make([]histogram, len(g.features))
}

func (g *grower) giveBack(b *branch) {
	if b.histograms != nil {
		g.spare = append(g.spare, b.histograms)
	}
}
