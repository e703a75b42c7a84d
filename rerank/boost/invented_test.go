package boost

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

var invented = []string{"signal", "noise", "company", "rare"}

// invent makes questions with a known answer: a candidate is relevant if its
// signal is high and, at the same time, it is in company. Neither feature
// suffices. noise says nothing, and rare is mostly 0 or absent.
func invent(seed uint64, questions, candidates int) []Group {
	r := rand.New(rand.NewPCG(seed, 0))
	groups := make([]Group, questions)
	for i := range groups {
		g := Group{ID: fmt.Sprintf("question %d of %d", i, seed)}
		for range candidates {
			row := []float32{r.Float32(), r.Float32(), float32(r.IntN(3)), 0}
			if r.IntN(10) == 0 {
				row[3] = float32(math.NaN())
			}
			if r.IntN(20) == 0 {
				row[3] = r.Float32()
			}
			g.Rows = append(g.Rows, row)
			g.Relevant = append(g.Relevant, row[0] > 0.8 && row[2] == 1)
		}
		groups[i] = g
	}
	return groups
}

// right is the share of groups whose relevant rows have the highest scores, of
// those groups that have some.
func right(groups []Group, scores func(i int) []float64) float64 {
	n, all := 0, 0
	for i, g := range groups {
		if !g.teaches(false) {
			continue
		}
		all++
		lowest, highest := math.Inf(1), math.Inf(-1)
		for row, s := range scores(i) {
			if g.Relevant[row] {
				lowest = min(lowest, s)
			} else {
				highest = max(highest, s)
			}
		}
		if lowest > highest {
			n++
		}
	}
	return float64(n) / float64(all)
}

// small is enough for what invent makes.
var small = Params{Trees: 40, Leaves: 6, LearningRate: 0.2, MinRows: 5, Seed: 1}

func shuffled[T any](list []T, seed uint64) []T {
	list = slices.Clone(list)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
