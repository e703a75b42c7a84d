package boost

import (
	"bytes"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
)

func train(t testing.TB, groups []Group, p Params) *Model {
	t.Helper()
	m, err := Train(context.Background(), invented, groups, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAModelLearnsARuleThatNoFeatureTellsAlone(t *testing.T) {
	m := train(t, invent(1, 150, 30), small)
	unseen := invent(2, 100, 30)
	if share := right(unseen, func(i int) []float64 { return m.Scores(unseen[i].Rows) }); share < 0.85 {
		t.Errorf("only %.2f of new questions are ranked without a mistake", share)
	}
	order := m.Importance()
	if first := order[0].Feature + order[1].Feature; first != "signalcompany" && first != "companysignal" {
		t.Errorf("the important features are not the ones of the rule: %v", order)
	}
	sum := 0.0
	for _, g := range order {
		sum += g.Share
	}
	if math.Abs(sum-1) > 1e-5 {
		t.Errorf("the shares of gain add up to %v", sum)
	}
}

func TestATrainingDependsOnNothingButItsArguments(t *testing.T) {
	groups := invent(1, 60, 30)
	for i := range groups {
		groups[i].Weight = 1 / float64(1+i%7)
	}
	want := train(t, groups, small).Encode()
	for _, procs := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(procs)
		got := train(t, shuffled(groups, uint64(procs)), small).Encode()
		runtime.GOMAXPROCS(before)
		if !bytes.Equal(got, want) {
			t.Errorf("with %d processors and the groups in another order the model is another", procs)
		}
	}
	other := small
	other.Seed++
	if bytes.Equal(train(t, groups, other).Encode(), want) {
		t.Error("another seed makes no difference")
	}
}

func TestGroupsThatTeachNothingChangeNothing(t *testing.T) {
	groups := invent(1, 40, 30)
	none := Group{ID: "none", Rows: [][]float32{{9, 9, 9, 9}, {8, 8, 8, 8}}, Relevant: []bool{false, false}}
	all := Group{ID: "all", Rows: [][]float32{{7, 7, 7, 7}}, Relevant: []bool{true}}
	empty := Group{ID: "empty"}
	if !bytes.Equal(train(t, groups, small).Encode(), train(t, append(groups, none, all, empty), small).Encode()) {
		t.Error("the model is another")
	}
}

// Two kinds of questions contradict each other; the heavier kind must win.
func TestWeightDecidesBetweenGroupsThatDisagree(t *testing.T) {
	for _, weight := range []float64{0.2, 5} {
		groups := invent(1, 100, 20)
		for i := range groups {
			likesHigh := i%2 == 0
			if likesHigh {
				groups[i].Weight = weight
			}
			for row, values := range groups[i].Rows {
				groups[i].Relevant[row] = (values[0] > 0.5) == likesHigh
			}
		}
		m := train(t, groups, small)
		high, low := m.Score([]float32{0.9, 0.5, 1, 0}), m.Score([]float32{0.1, 0.5, 1, 0})
		if (high > low) != (weight > 1) {
			t.Errorf("weight %v: %v for a high value, %v for a low one", weight, high, low)
		}
	}
}

func TestAbsentValuesCanBeLearnt(t *testing.T) {
	groups := invent(1, 60, 20)
	for i := range groups {
		for row, values := range groups[i].Rows {
			groups[i].Relevant[row] = values[3] != values[3]
		}
	}
	m := train(t, groups, small)
	absent, zero := m.Score([]float32{0.5, 0.5, 1, float32(math.NaN())}), m.Score([]float32{0.5, 0.5, 1, 0})
	if !(absent > zero) {
		t.Errorf("absent scores %v, zero %v", absent, zero)
	}
	if lowest := m.Score([]float32{0.5, 0.5, 1, float32(math.Inf(-1))}); lowest != absent {
		t.Errorf("−Inf scores %v, absent %v", lowest, absent)
	}
}

// Late trees ask for noise nearly as often as for the feature that decides, but
// they gain nothing by it.
func TestImportanceIsByGain(t *testing.T) {
	groups := invent(1, 60, 20)
	for i := range groups {
		for row, values := range groups[i].Rows {
			groups[i].Relevant[row] = values[0] > 0.9
		}
	}
	if first := train(t, groups, small).Importance()[0]; first.Feature != "signal" || first.Share < 0.9 {
		t.Errorf("first is %v", first)
	}
}

func TestARoundPullsTheGroupsDrawnForIt(t *testing.T) {
	p, err := Params{GroupShare: 0.5, Seed: 3}.filled()
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBooster(len(invented), invent(1, 400, 20), p)
	if err != nil {
		t.Fatal(err)
	}
	times := make([]int, len(b.groups)) // that a group was drawn
	for round := range uint64(10) {
		b.pull(round)
		for i, g := range b.groups {
			pulls := b.grower.pulls[b.starts[i]:b.starts[i+1]]
			if !slices.ContainsFunc(pulls, func(p pull) bool { return p != pull{} }) {
				continue
			}
			times[i]++
			want := make([]lambda, len(pulls))
			b.ranker.lambdas(make([]float64, len(pulls)), g.Relevant, 1, want)
			for row, p := range pulls {
				if math.Abs(float64(p.g)*b.grower.unit-want[row].g) > 1e-8 || math.Abs(float64(p.h)*b.grower.unit-want[row].h) > 1e-8 {
					t.Fatalf("group %d, row %d: %v units of %v are not %v", i, row, p, b.grower.unit, want[row])
				}
			}
		}
	}
	sum := 0
	for _, n := range times {
		sum += n
	}
	if mean := float64(sum) / float64(len(times)); mean < 4.7 || mean > 5.3 {
		t.Errorf("in ten rounds a group is drawn %.2f times on average, not about 5", mean)
	}
	if least, most := slices.Min(times), slices.Max(times); least == 0 && most == 10 {
		t.Error("some groups are never drawn and others always")
	}
}

func TestTreesKeepTheirBounds(t *testing.T) {
	p := small
	p.Leaves, p.Bags = 9, 3
	m := train(t, invent(1, 60, 30), p)
	if most := p.Bags * p.Trees; m.Trees() == 0 || m.Trees() > most {
		t.Fatalf("%d trees, not up to %d", m.Trees(), most)
	}
	for _, tree := range m.trees {
		if leaves := (len(tree) + 1) / 2; leaves < 2 || leaves > p.Leaves {
			t.Errorf("a tree of %d leaves", leaves)
		}
	}
}

func TestTrainRefusesWhatItCanNotUse(t *testing.T) {
	ok := invent(1, 4, 10)
	one := func(change func(*Group)) []Group {
		g := invent(1, 1, 10)
		change(&g[0])
		return g
	}
	for name, c := range map[string]struct {
		groups []Group
		params Params
	}{
		"no groups":            {nil, small},
		"nothing relevant":     {one(func(g *Group) { clear(g.Relevant) }), small},
		"no ID":                {one(func(g *Group) { g.ID = "" }), small},
		"a row too short":      {one(func(g *Group) { g.Rows[3] = g.Rows[3][:2] }), small},
		"marks missing":        {one(func(g *Group) { g.Relevant = g.Relevant[:5] }), small},
		"a negative weight":    {one(func(g *Group) { g.Weight = -1 }), small},
		"a weight of NaN":      {one(func(g *Group) { g.Weight = math.NaN() }), small},
		"too many leaves":      {ok, Params{Leaves: 65}},
		"one leaf":             {ok, Params{Leaves: 1}},
		"negative trees":       {ok, Params{Trees: -1}},
		"a share above 1":      {ok, Params{GroupShare: 1.5}},
		"a NaN learning rate":  {ok, Params{LearningRate: math.NaN()}},
		"a negative curvature": {ok, Params{L2: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Train(context.Background(), invented, c.groups, c.params); winnow.CodeOf(err) != winnow.BadInput {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTrainStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Train(ctx, invented, invent(1, 4, 10), small); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Rows that are all alike can't be told apart: no tree, and equal scores.
func TestFeaturesThatSayNothingMakeNoTree(t *testing.T) {
	groups := invent(1, 20, 10)
	for i := range groups {
		for row := range groups[i].Rows {
			groups[i].Rows[row] = []float32{1, 2, 3, float32(math.NaN())}
		}
	}
	m := train(t, groups, small)
	if m.Trees() != 0 || m.Score([]float32{1, 2, 3, 4}) != 0 {
		t.Errorf("%d trees, score %v", m.Trees(), m.Score([]float32{1, 2, 3, 4}))
	}
}

// BenchmarkTrain is the size that a training of some sets of questions has.
func BenchmarkTrain(b *testing.B) {
	features, groups := wide(1200, 250, 60)
	b.ResetTimer()
	for b.Loop() {
		if _, err := Train(context.Background(), features, groups, Params{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Every fourth row with a high value is relevant, in groups that differ in how
// many they have, one in five none at all: only odds that mean the same
// everywhere can say so.
func TestPointwiseScoresAreLogOdds(t *testing.T) {
	groups := invent(1, 200, 40)
	for i := range groups {
		for row, values := range groups[i].Rows {
			groups[i].Relevant[row] = i%5 != 0 && values[0] > 0.5 && lot(uint64(i), uint64(row))%4 == 0
		}
	}
	m := train(t, groups, Params{Pointwise: true, Trees: 150})
	chance := func(value float32) float64 {
		sum, n := 0.0, 0.0
		for _, g := range groups {
			for _, row := range g.Rows {
				if (row[0] > 0.5) == (value > 0.5) {
					sum += 1 / (1 + math.Exp(-m.Score(row)))
					n++
				}
			}
		}
		return sum / n
	}
	if high, low := chance(1), chance(0); math.Abs(high-0.2) > 0.03 || low > 0.02 {
		t.Errorf("the chance of a high value is %.3f and not 0.2, of a low one %.3f and not 0", high, low)
	}
}

func TestAModelIsTheMeanOfItsBags(t *testing.T) {
	groups := invent(5, 60, 30)
	p := small
	p.GroupShare, p.FeatureShare = 1, 1 // nothing is drawn, so all bags are alike
	p.Bags = 1
	one := train(t, groups, p)
	p.Bags = 3
	three := train(t, groups, p)
	if three.Trees() != 3*one.Trees() {
		t.Fatalf("%d trees in three bags, %d in one", three.Trees(), one.Trees())
	}
	want := one.Scores(groups[0].Rows)
	for i, got := range three.Scores(groups[0].Rows) {
		if math.Abs(got-want[i]) > 1e-4*(1+math.Abs(want[i])) {
			t.Errorf("row %d: three bags say %v, one says %v", i, got, want[i])
		}
	}
}
