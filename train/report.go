package train

import (
	"context"
	"fmt"
	"math"

	"github.com/winnow-search/winnow/rerank/boost"
)

// Row is what is reported of one data set.
type Row struct {
	Set       string  `json:"set"`
	Questions int     `json:"questions"`
	Met       float64 `json:"met"` // per cent of the supporting documents among the candidates
	// Folds is cross-validated over the questions of all sets; Others is what a
	// model trained on the other sets makes of this one, nil with a single set.
	Folds  Quality  `json:"folds"`
	Others *Quality `json:"others,omitempty"`
}

// Options of training.
type Options struct {
	Folds  int // 0 means 5
	Params boost.Params
	// Step is told what is being done, for the person who waits.
	Step func(what string)
}

// balance gives every set the same weight, whatever its number of questions.
func balance(sets []*Set) (groups []boost.Group) {
	most := 0
	for _, s := range sets {
		most = max(most, len(s.Groups))
	}
	for _, s := range sets {
		w := weight(most, len(s.Groups))
		for _, g := range s.Groups {
			g.Weight = w
			groups = append(groups, g)
		}
	}
	return groups
}

// weight is that of a question in a set of n, where the largest has most. The
// square root keeps a set of thirty questions from speaking as loud as one of
// five hundred.
func weight(most, n int) float64 { return math.Sqrt(float64(most) / float64(n)) }

// Report cross-validates over all sets, and leaves each out in turn.
func Report(ctx context.Context, features []string, sets []*Set, o Options) ([]Row, error) {
	if o.Folds == 0 {
		o.Folds = 5
	}
	step(o, fmt.Sprintf("cross-validating in %d folds", o.Folds))
	scores, err := boost.CrossValidate(ctx, features, balance(sets), o.Folds, o.Params)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(sets))
	at := 0
	for i, s := range sets {
		n := len(s.Groups)
		rows[i] = Row{Set: s.Name, Questions: n, Met: s.met(), Folds: s.quality(scores[at : at+n])}
		at += n
	}
	if len(sets) == 1 {
		return rows, nil
	}
	for i, s := range sets {
		step(o, "training without "+s.Name)
		var others []*Set
		for j, t := range sets {
			if j != i {
				others = append(others, t)
			}
		}
		m, err := boost.Train(ctx, features, balance(others), o.Params)
		if err != nil {
			return nil, err
		}
		scores := make([][]float64, len(s.Groups))
		for k := range s.Groups {
			scores[k] = m.Scores(s.Groups[k].Rows)
		}
		q := s.quality(scores)
		rows[i].Others = &q
	}
	return rows, nil
}

// Model trains on all sets.
func Model(ctx context.Context, features []string, sets []*Set, o Options) (*boost.Model, error) {
	step(o, "training on all sets")
	return boost.Train(ctx, features, balance(sets), o.Params)
}

func step(o Options, what string) {
	if o.Step != nil {
		o.Step(what)
	}
}
