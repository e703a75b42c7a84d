package boost

import (
	"context"
	"math"
	"slices"

	"github.com/winnow-search/winnow"
)

// Train learns a model from groups, whose rows have one value for each of the
// features. It uses GOMAXPROCS goroutines. The model depends on its arguments
// alone, and not on the order of the groups.
//
// Each round asks of every group how its scores should change (see ranker and
// odds), grows a
// tree that says so in terms of features (see grower), and adds it to the
// scores: gradient boosting with Newton steps (Friedman 2001). It does so several
// times, on other draws of groups and features, and the model is the mean.
func Train(ctx context.Context, features []string, groups []Group, params Params) (*Model, error) {
	p, err := params.filled()
	if err != nil {
		return nil, err
	}
	b, err := newBooster(len(features), groups, p)
	if err != nil {
		return nil, err
	}
	var trees [][]node
	gains := make([]float64, len(features))
	for round := range p.Bags * p.Trees {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if round%p.Trees == 0 {
			clear(b.scores) // another bag begins from nothing
		}
		if root := b.round(uint64(round)); root.left != nil {
			trees = append(trees, b.preorder(nil, root, gains))
		}
	}
	return newModel(slices.Clone(features), shares(gains), trees), nil
}

// booster is the state of a training.
type booster struct {
	Params
	groups  []*Group // those that teach
	keys    []uint64 // of their IDs
	starts  []int    // the rows of group i are starts[i] … starts[i+1]−1
	ranker  *ranker
	grower  *grower
	scores  []float64 // per row, of the trees of this bag so far
	lambdas []lambda  // per row
	rows    []int32   // all, in the order in which the last tree left them
}

func newBooster(features int, groups []Group, p Params) (*booster, error) {
	b := &booster{Params: p, ranker: newRanker(p.Truncation, p.Depth)}
	n := 0
	for i := range groups {
		g := &groups[i]
		if err := g.check(features); err != nil {
			return nil, err
		}
		if g.teaches(p.Pointwise) {
			b.groups, b.keys, b.starts = append(b.groups, g), append(b.keys, key(g.ID)), append(b.starts, n)
			n += len(g.Rows)
		}
	}
	if n == 0 {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "there is nothing to learn: no group has both relevant and irrelevant rows"}
	}
	b.starts = append(b.starts, n)
	columns := make([]column, features)
	parallel(features, func(f int) {
		values := make([]float32, 0, n)
		for _, g := range b.groups {
			for _, row := range g.Rows {
				values = append(values, row[f])
			}
		}
		columns[f] = newColumn(values)
	})
	b.grower = newGrower(p, columns, n)
	b.scores, b.lambdas, b.rows = make([]float64, n), make([]lambda, n), make([]int32, n)
	return b, nil
}

// round grows one more tree and adds it to the scores.
func (b *booster) round(round uint64) *branch {
	b.pull(round)
	sampled := 0
	rest := len(b.rows)
	for row, p := range b.grower.pulls {
		if p == (pull{}) {
			rest--
			b.rows[rest] = int32(row)
		} else {
			b.rows[sampled] = int32(row)
			sampled++
		}
	}
	n := len(b.grower.columns)
	b.grower.features = drawFeatures(n, int(math.Ceil(b.FeatureShare*float64(n))), b.Seed, round)
	root := b.grower.grow(b.rows[:sampled], b.rows[sampled:])
	parallel(len(b.grower.leaves), func(i int) {
		l := b.grower.leaves[i]
		for _, rows := range [][]int32{l.sample, l.others} {
			for _, row := range rows {
				b.scores[row] += float64(l.value)
			}
		}
	})
	return root
}

// pull sets the pulls of this round: the lambdas of the groups drawn for it, in
// fixed point, and 0 for the others.
func (b *booster) pull(round uint64) {
	drawn := func(i int) bool { return chance(lot(b.Seed, round, b.keys[i])) < b.GroupShare }
	peaks := make([]float64, len(b.groups))
	parallel(len(b.groups), func(i int) {
		from, to := b.starts[i], b.starts[i+1]
		lambdas := b.lambdas[from:to]
		if !drawn(i) {
			clear(lambdas)
			return
		}
		g := b.groups[i]
		if b.Pointwise {
			odds(b.scores[from:to], g.Relevant, g.weight(), lambdas)
		} else {
			b.ranker.lambdas(b.scores[from:to], g.Relevant, g.weight(), lambdas)
		}
		for _, l := range lambdas {
			peaks[i] = max(peaks[i], math.Abs(l.g), l.h)
		}
	})
	// The unit is a power of two, so that to scale by it is exact, and such that
	// the largest lambda just fits 31 bits.
	_, exponent := math.Frexp(slices.Max(peaks))
	unit := math.Ldexp(1, exponent-30)
	b.grower.unit = unit
	parallel(len(b.groups), func(i int) {
		for row := b.starts[i]; row < b.starts[i+1]; row++ {
			l := b.lambdas[row]
			b.grower.pulls[row] = pull{int32(math.Round(l.g / unit)), int32(math.Round(l.h / unit))}
		}
	})
}

// preorder lists the nodes of a tree, and books what its splits gained.
func (b *booster) preorder(nodes []node, at *branch, gains []float64) []node {
	if at.left == nil {
		return append(nodes, node{leafMark, at.value / float32(b.Bags)})
	}
	f := b.grower.features[at.best.slot]
	gains[f] += at.best.gain
	nodes = append(nodes, node{int32(f), b.grower.columns[f].cuts[at.best.bin]})
	return b.preorder(b.preorder(nodes, at.left, gains), at.right, gains)
}

// shares scales numbers to a sum of 1, if they are not all 0.
func shares(numbers []float64) []float32 {
	sum := 0.0
	for _, v := range numbers {
		sum += v
	}
	out := make([]float32, len(numbers))
	for i, v := range numbers {
		if sum > 0 {
			out[i] = float32(v / sum)
		}
	}
	return out
}
