package boost

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// walk is the plain way down a tree.
func walk(nodes []node, row []float32) float64 {
	at := 0
	for nodes[at].feature != leafMark {
		if row[nodes[at].feature] > nodes[at].value {
			at = after(nodes, at+1)
		} else {
			at++
		}
	}
	return float64(nodes[at].value)
}

// after returns the node behind the subtree at a node.
func after(nodes []node, at int) int {
	for open := 1; open > 0; at++ {
		if nodes[at].feature == leafMark {
			open--
		} else {
			open++
		}
	}
	return at
}

// grown makes a random tree of some number of leaves, with thresholds that rows
// of awkward values hit exactly.
func grown(r *rand.Rand, leaves, features int) []node {
	if leaves == 1 {
		return []node{{leafMark, float32(r.NormFloat64())}}
	}
	left := 1 + r.IntN(leaves-1)
	nodes := []node{{int32(r.IntN(features)), awkward[r.IntN(len(awkward)-1)]}}
	return append(append(nodes, grown(r, left, features)...), grown(r, leaves-left, features)...)
}

var inf = float32(math.Inf(1))

// awkward values; the last, NaN, can't be a threshold.
var awkward = []float32{0, float32(math.Copysign(0, -1)), 1, 2, -1, 0.5, inf, -inf, math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.NaN())}

func TestScoresAreThoseOfAWalkDownEveryTree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		names := make([]string, 1+r.IntN(5))
		var trees [][]node
		for range r.IntN(8) {
			trees = append(trees, grown(r, 1+r.IntN(maxLeaves), len(names)))
		}
		m := newModel(names, make([]float32, len(names)), trees)
		var rows [][]float32
		var want []float64
		for range 30 {
			row := make([]float32, len(names))
			for i := range row {
				row[i] = awkward[r.IntN(len(awkward))]
			}
			sum := 0.0
			for _, tree := range trees {
				sum += walk(tree, row)
			}
			rows, want = append(rows, row), append(want, sum)
		}
		for i, got := range m.Scores(rows) {
			if got != want[i] || m.Score(rows[i]) != want[i] {
				t.Fatalf("row %v: score %v, walk %v", rows[i], got, want[i])
			}
		}
	}
}

// In a training, bins decide; in a model, thresholds do. Both must agree on every
// row, or a model would rank otherwise than it was trained to.
func TestAModelScoresItsTrainingRowsAsTheTrainingDid(t *testing.T) {
	groups := invent(3, 40, 25)
	p, err := small.filled()
	if err != nil {
		t.Fatal(err)
	}
	p.Bags = 1
	b, err := newBooster(len(invented), groups, p)
	if err != nil {
		t.Fatal(err)
	}
	var trees [][]node
	for round := range p.Trees {
		if root := b.round(uint64(round)); root.left != nil {
			trees = append(trees, b.preorder(nil, root, make([]float64, len(invented))))
		}
	}
	m := newModel(invented, make([]float32, len(invented)), trees)
	for i, g := range b.groups {
		for row, got := range m.Scores(g.Rows) {
			if want := b.scores[b.starts[i]+row]; got != want {
				t.Fatalf("group %d, row %d: the model says %v, the training %v", i, row, got, want)
			}
		}
	}
}

func TestNoRowsHaveNoScores(t *testing.T) {
	if got := newModel(invented, make([]float32, 4), nil).Scores(nil); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestARowOfTheWrongLengthPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it was scored")
		}
	}()
	newModel(invented, make([]float32, 4), nil).Score([]float32{1, 2, 3})
}

// wide makes questions with as many features as search has, most of them mostly
// 0.
func wide(questions, candidates, features int) ([]string, []Group) {
	r := rand.New(rand.NewPCG(7, 7))
	names := make([]string, features)
	for i := range names {
		names[i] = fmt.Sprintf("feature_%d", i)
	}
	groups := make([]Group, questions)
	for i := range groups {
		groups[i].ID = fmt.Sprint(i)
		for range candidates {
			row := make([]float32, features)
			for f := range row {
				if f%3 == 0 || r.IntN(6) == 0 {
					row[f] = r.Float32()
				}
			}
			groups[i].Rows = append(groups[i].Rows, row)
			groups[i].Relevant = append(groups[i].Relevant, row[0]+row[3]*row[6]+row[4] > 2)
		}
	}
	return names, groups
}

// BenchmarkScores scores the candidates of one question.
func BenchmarkScores(b *testing.B) {
	features, groups := wide(120, 300, 60)
	m, err := Train(context.Background(), features, groups[1:], Params{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("QuickScorer", func(b *testing.B) {
		for b.Loop() {
			m.Scores(groups[0].Rows)
		}
	})
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			for _, row := range groups[0].Rows {
				sum := 0.0
				for _, tree := range m.trees {
					sum += walk(tree, row)
				}
			}
		}
	})
}
