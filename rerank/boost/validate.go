package boost

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/winnow-search/winnow"
)

// CrossValidate scores every row with a model that has not seen its group: the
// groups are dealt into folds, and each fold is scored by a model trained on the
// others. What it returns corresponds to groups and their rows. Groups that teach
// nothing are scored too.
func CrossValidate(ctx context.Context, features []string, groups []Group, folds int, params Params) ([][]float64, error) {
	fold, err := deal(groups, folds, params.Seed)
	if err != nil {
		return nil, err
	}
	scores := make([][]float64, len(groups))
	for f := range folds {
		var others []Group
		for i, g := range groups {
			if fold[i] != f {
				others = append(others, g)
			}
		}
		m, err := Train(ctx, features, others, params)
		if err != nil {
			return nil, fmt.Errorf("fold %d: %w", f, err)
		}
		for i, g := range groups {
			if fold[i] == f {
				if err := g.check(len(features)); err != nil {
					return nil, err
				}
				scores[i] = m.Scores(g.Rows)
			}
		}
	}
	return scores, nil
}

// deal returns the fold of each group. IDs are shuffled by the seed and dealt in
// turn, so that folds have about the same size.
func deal(groups []Group, folds int, seed uint64) ([]int, error) {
	var ids []string
	for _, g := range groups {
		ids = append(ids, g.ID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if folds < 2 || folds > len(ids) {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("%d groups of different ID can't be dealt into %d folds", len(ids), folds), Hint: "from 2 folds up to one per group"}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(lot(seed, key(a)), lot(seed, key(b))) })
	foldOf := make(map[string]int, len(ids))
	for i, id := range ids {
		foldOf[id] = i % folds
	}
	fold := make([]int, len(groups))
	for i, g := range groups {
		fold[i] = foldOf[g.ID]
	}
	return fold, nil
}
