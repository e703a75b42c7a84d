// Package boost ranks candidates with gradient-boosted trees: LambdaMART, trained
// and evaluated in plain Go.
//
// A [Group] is one question with its candidates, each a row of features, and
// marks of which are right. [Train] turns groups into a [Model], [CrossValidate]
// says what such a model is worth on questions it has not seen, and
// [Model.Scores] orders the candidates of a new question. Three texts explain all
// of it: Friedman, "Greedy function approximation: a gradient boosting machine"
// (2001), for boosting; Burges, "From RankNet to LambdaRank to LambdaMART: an
// overview" (2010), for the gradients; Lucchese and others, "QuickScorer" (2015),
// for the evaluation.
//
// Trees, and not a network, because features of search differ in scale, are
// mostly zero, and matter only in company ("named, and reached from a good
// passage"): trees take them as they come. Everything is deterministic: the same
// groups and parameters give the same model, bit for bit, whatever the order of
// the groups and the number of processors, and a model gives the same scores on
// every architecture.
//
// Traded away: gradients beyond binary relevance, categorical features, and
// training on more rows than fit into memory at a byte per value.
package boost

import (
	"cmp"
	"slices"
)

// maxLeaves is how many leaves a tree may have: one bit of a word each.
const maxLeaves = 64

// leafMark stands in the place of the feature in a leaf.
const leafMark = -1

// node is a node of a tree. A tree lists its nodes in preorder: after a test
// come its left subtree, then its right one, so that no list of nodes which ends
// where its tree ends can be wrong.
type node struct {
	feature int32   // leafMark in a leaf
	value   float32 // rows above it go right; in a leaf what it adds to the score
}

// Model is a trained ensemble of trees. It does not change, so any number of
// goroutines may use it.
//
// A row goes right where its feature is greater than the node's threshold. NaN
// is greater than nothing: it goes left everywhere and means the same as −Inf.
type Model struct {
	features []string
	gains    []float32 // per feature, shares of 1
	trees    [][]node
	scorer   scorer
}

func newModel(features []string, gains []float32, trees [][]node) *Model {
	return &Model{features: features, gains: gains, trees: trees, scorer: newScorer(len(features), trees)}
}

// Features are the names of the features, in the order of a row.
func (m *Model) Features() []string { return slices.Clone(m.features) }

// Trees is the number of trees.
func (m *Model) Trees() int { return len(m.trees) }

// Score returns the score of one row; the higher the better. Only scores of one
// question can be compared. It panics if the row does not have one value per
// feature. For many rows, Scores is faster.
func (m *Model) Score(row []float32) float64 {
	return m.Scores([][]float32{row})[0]
}

// Scores returns the score of each row.
func (m *Model) Scores(rows [][]float32) []float64 {
	scores := make([]float64, len(rows))
	reachable := make([]uint64, len(m.trees))
	for i, row := range rows {
		if len(row) != len(m.features) {
			panic("boost: a row must have one value per feature")
		}
		scores[i] = m.scorer.score(row, reachable)
	}
	return scores
}

// Gain is what a feature contributed to a model.
type Gain struct {
	Feature string
	Share   float64 // of the loss that all splits in training took away
}

// Importance returns the features by falling gain. A feature of gain 0 was never
// asked. Of two features that say nearly the same, chance shares out the gain.
func (m *Model) Importance() []Gain {
	gains := make([]Gain, len(m.features))
	for i, name := range m.features {
		gains[i] = Gain{name, float64(m.gains[i])}
	}
	slices.SortStableFunc(gains, func(a, b Gain) int { return cmp.Compare(b.Share, a.Share) })
	return gains
}
