package boost

import (
	"context"
	"reflect"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestCrossValidationScoresEveryRowUnseen(t *testing.T) {
	groups := invent(1, 150, 30)
	scores, err := CrossValidate(context.Background(), invented, groups, 3, small)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range groups {
		if len(scores[i]) != len(g.Rows) {
			t.Fatalf("group %d has %d scores for %d rows", i, len(scores[i]), len(g.Rows))
		}
	}
	if share := right(groups, func(i int) []float64 { return scores[i] }); share < 0.8 {
		t.Errorf("only %.2f of the questions are ranked without a mistake", share)
	}
}

// Marks without rhyme or reason can be learnt by heart but not foreseen: a fold
// that saw its own groups would rank them well.
func TestCrossValidationDoesNotSeeWhatItScores(t *testing.T) {
	groups := invent(1, 60, 20)
	for i := range groups {
		clear(groups[i].Relevant)
		groups[i].Relevant[int(key(groups[i].ID)%20)] = true
	}
	p := Params{Trees: 150, MinRows: 1, GroupShare: 1, FeatureShare: 1}
	m := train(t, groups, p)
	if share := right(groups, func(i int) []float64 { return m.Scores(groups[i].Rows) }); share < 0.8 {
		t.Fatalf("a model that may learn by heart gets only %.2f", share)
	}
	scores, err := CrossValidate(context.Background(), invented, groups, 4, p)
	if err != nil {
		t.Fatal(err)
	}
	if share := right(groups, func(i int) []float64 { return scores[i] }); share > 0.25 {
		t.Errorf("%.2f of what can't be foreseen is right", share)
	}
}

func TestFoldsAreOfOneSizeAndKeepAnIDTogether(t *testing.T) {
	groups := invent(1, 31, 2)
	groups = append(groups, groups[:10]...)
	fold, err := deal(groups, 4, 9)
	if err != nil {
		t.Fatal(err)
	}
	sizes := make([]int, 4)
	of := map[string]int{}
	for i, g := range groups {
		if i < 31 {
			sizes[fold[i]]++
			of[g.ID] = fold[i]
		} else if of[g.ID] != fold[i] {
			t.Errorf("%s is in two folds", g.ID)
		}
	}
	if !reflect.DeepEqual(sizes, []int{8, 8, 8, 7}) {
		t.Errorf("sizes %v", sizes)
	}
	mixed := shuffled(groups, 5)
	again, err := deal(mixed, 4, 9)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range mixed {
		if again[i] != of[g.ID] {
			t.Errorf("%s changes its fold with the order", g.ID)
		}
	}
}

func TestFoldsMustBeAsManyAsGroupsAllow(t *testing.T) {
	for _, c := range []struct{ groups, folds int }{{0, 2}, {5, 0}, {5, 1}, {5, 6}, {5, -1}} {
		if _, err := CrossValidate(context.Background(), invented, invent(1, c.groups, 5), c.folds, small); winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("%d groups, %d folds: got %v", c.groups, c.folds, err)
		}
	}
}
