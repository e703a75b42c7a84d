package boost

import (
	"cmp"
	"fmt"
	"math"

	"github.com/winnow-search/winnow"
)

// Params says how a model is trained. A zero field means its default, which
// stands in brackets.
type Params struct {
	// Bags is how many ensembles are trained, each on draws of its own, of which
	// the model is the mean: what one draw of questions happens to teach evens
	// out, which is worth most on corpora unlike those learned from [4].
	Bags         int
	Trees        int     // how many to grow in each [60]
	Leaves       int     // of a tree, 2 to 64 [15]
	LearningRate float64 // how much of its step each tree takes [0.15]
	L2           float64 // pull of every leaf towards 0; smooths leaves of few rows [1]
	MinRows      int     // fewest rows in a leaf, of those that still pull [20]

	Truncation int // ranks that count: NDCG is measured down to here [8]
	Depth      int // ranks from which irrelevant candidates are pushed away [64]

	// Pointwise learns the log odds of being relevant instead of an order: every
	// candidate is judged by itself (logistic loss), so that scores mean the same
	// in every group, and groups without a relevant candidate teach too. The two
	// fields above have no say then.
	Pointwise bool

	FeatureShare float64 // of the features, drawn anew for each tree [0.7]
	GroupShare   float64 // of the groups, drawn anew for each tree [0.8]
	Seed         uint64  // of the draws
}

func (p Params) filled() (Params, error) {
	p.Bags = cmp.Or(p.Bags, 4)
	p.Trees = cmp.Or(p.Trees, 60)
	p.Leaves = cmp.Or(p.Leaves, 15)
	p.LearningRate = cmp.Or(p.LearningRate, 0.15)
	p.L2 = cmp.Or(p.L2, 1)
	p.MinRows = cmp.Or(p.MinRows, 20)
	p.Truncation = cmp.Or(p.Truncation, 8)
	p.Depth = cmp.Or(p.Depth, 64)
	p.FeatureShare = cmp.Or(p.FeatureShare, 0.7)
	p.GroupShare = cmp.Or(p.GroupShare, 0.8)
	for _, c := range []struct {
		name            string
		value, from, to float64
	}{
		{"Bags", float64(p.Bags), 1, 1 << 10},
		{"Trees", float64(p.Trees), 1, 1 << 20},
		{"Leaves", float64(p.Leaves), 2, maxLeaves},
		{"MinRows", float64(p.MinRows), 1, math.MaxInt32},
		{"Truncation", float64(p.Truncation), 1, math.MaxInt32},
		{"Depth", float64(p.Depth), 1, math.MaxInt32},
		{"LearningRate", p.LearningRate, 1e-6, 1},
		{"L2", p.L2, 1e-6, 1e12},
		{"FeatureShare", p.FeatureShare, 1e-6, 1},
		{"GroupShare", p.GroupShare, 1e-6, 1},
	} {
		if !(c.value >= c.from && c.value <= c.to) {
			return p, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%s is %v, not from %v to %v", c.name, c.value, c.from, c.to)}
		}
	}
	return p, nil
}
