package boost

import (
	"cmp"
	"math/bits"
	"slices"
)

// scorer is the trees turned inside out (QuickScorer): not tree by tree along
// paths that no processor can predict, but feature by feature along rising
// thresholds. Every leaf of a tree is a bit, from left to right. A test that sends
// the row right makes the leaves of its left subtree unreachable; of the leaves
// that are left in the end, the lowest is where the row arrives. Most of a row's
// features are 0 and below every threshold, so most tests are never looked at.
type scorer struct {
	runs   []run
	tests  []test    // by feature, then by rising threshold
	leaves []float64 // of all trees, each from left to right
	first  []int32   // a tree's first in leaves
}

// run is the tests of one feature: from the end of the run before to its own.
type run struct{ feature, end int32 }

type test struct {
	threshold float32
	tree      int32
	keep      uint64 // leaves that stay reachable if the row goes right
}

func newScorer(features int, trees [][]node) scorer {
	var s scorer
	tests := make([][]test, features)
	for i, nodes := range trees {
		s.first = append(s.first, int32(len(s.leaves)))
		s.take(nodes, int32(i), tests)
	}
	for f, list := range tests {
		if len(list) == 0 {
			continue
		}
		slices.SortFunc(list, func(a, b test) int {
			return cmp.Or(cmp.Compare(a.threshold, b.threshold), cmp.Compare(a.tree, b.tree))
		})
		s.tests = append(s.tests, list...)
		s.runs = append(s.runs, run{int32(f), int32(len(s.tests))})
	}
	return s
}

// take adds the subtree that begins at the first node, and returns the nodes
// behind it.
func (s *scorer) take(nodes []node, tree int32, tests [][]test) []node {
	n, rest := nodes[0], nodes[1:]
	if n.feature == leafMark {
		s.leaves = append(s.leaves, float64(n.value))
		return rest
	}
	from := len(s.leaves) - int(s.first[tree])
	rest = s.take(rest, tree, tests)
	to := len(s.leaves) - int(s.first[tree])
	left := uint64(1)<<to - uint64(1)<<from
	tests[n.feature] = append(tests[n.feature], test{n.value, tree, ^left})
	return s.take(rest, tree, tests)
}

// score uses only comparisons and sums in the order of the trees, so that no
// architecture can round differently. reachable has a word per tree.
func (s *scorer) score(row []float32, reachable []uint64) float64 {
	for t := range reachable {
		reachable[t] = ^uint64(0)
	}
	start := int32(0)
	for _, run := range s.runs {
		x := row[run.feature]
		for _, t := range s.tests[start:run.end] {
			if !(x > t.threshold) {
				break
			}
			reachable[t.tree] &= t.keep
		}
		start = run.end
	}
	sum := 0.0
	for t, first := range s.first {
		sum += s.leaves[int(first)+bits.TrailingZeros64(reachable[t])]
	}
	return sum
}
