package boost

import (
	"fmt"
	"math"

	"github.com/winnow-search/winnow"
)

// Group is one question with its candidates. Only candidates of one group are
// ever compared with each other.
type Group struct {
	// ID decides into which fold and which samples the group falls, so that
	// neither depends on the order of the groups. Groups of one ID stay
	// together: give it to the variants of one question.
	ID string
	// Rows are the candidates, with one value per feature each; NaN is an absent
	// value. While nothing is learnt, earlier rows count as better.
	Rows [][]float32
	// Relevant says which of Rows are right. A group in which none is, or all
	// are, teaches no order and is left out of training, unless it is pointwise.
	Relevant []bool
	// Weight is how much the group counts beside the others, so that a small set
	// of questions is not drowned by a large one; 0 means 1. [Params.L2] is in
	// the same measure, so keep the mean near 1.
	Weight float64
}

func (g *Group) check(features int) error {
	wrong := func(format string, args ...any) error {
		return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("group %q has ", g.ID) + fmt.Sprintf(format, args...)}
	}
	switch {
	case g.ID == "":
		return wrong("no ID")
	case len(g.Rows) != len(g.Relevant):
		return wrong("%d rows but %d marks of relevance", len(g.Rows), len(g.Relevant))
	case !(g.Weight >= 0 && g.Weight <= math.MaxFloat32):
		return wrong("the weight %v", g.Weight)
	}
	for i, row := range g.Rows {
		if len(row) != features {
			return wrong("%d values in row %d, but there are %d features", len(row), i, features)
		}
	}
	return nil
}

func (g *Group) teaches(pointwise bool) bool {
	if pointwise {
		return len(g.Rows) > 0
	}
	relevant := 0
	for _, r := range g.Relevant {
		if r {
			relevant++
		}
	}
	return relevant > 0 && relevant < len(g.Relevant)
}

func (g *Group) weight() float64 {
	if g.Weight == 0 {
		return 1
	}
	return g.Weight
}
