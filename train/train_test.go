package train

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/rerank/boost"
)

// dataset has n questions with one supporting document each.
func dataset(name string, n int) *eval.Dataset {
	d := &eval.Dataset{Name: name}
	for i := range n {
		d.Tasks = append(d.Tasks, eval.Task{ID: fmt.Sprint(i), Question: "q", Gold: []string{fmt.Sprintf("gold%d", i)}})
	}
	return d
}

// candidates gives each question thirty documents, of which the supporting one
// has the highest second feature; the first feature says nothing.
func candidates(_ context.Context, t eval.Task) ([]winnow.Hit, error) {
	var hits []winnow.Hit
	for j := range 30 {
		doc, signal := fmt.Sprintf("d%d", j), float32(j%7)
		if j == 17 {
			doc, signal = t.Gold[0], 9
		}
		hits = append(hits, winnow.Hit{Chunk: winnow.Chunk{Document: doc}, Features: []float32{float32(j), signal}})
	}
	return hits, nil
}

var names = []string{"noise", "signal"}

func collect(t *testing.T, name string, n int) *Set {
	t.Helper()
	s, err := Collect(t.Context(), dataset(name, n), candidates, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReportRanksWhatCanBeLearned(t *testing.T) {
	sets := []*Set{collect(t, "a", 40), collect(t, "b", 20)}
	rows, err := Report(t.Context(), names, sets, Options{Params: boost.Params{Trees: 20}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Met != 100 || r.Folds.R2 != 100 || r.Others == nil || r.Others.R2 != 100 {
			t.Errorf("%+v, want everything found", r)
		}
	}
	m, err := Model(t.Context(), names, sets, Options{Params: boost.Params{Trees: 20}})
	if err != nil {
		t.Fatal(err)
	}
	if best := m.Importance()[0]; best.Feature != "signal" {
		t.Errorf("the best feature is %+v", best)
	}
}

func TestOneSetHasNoOthers(t *testing.T) {
	rows, err := Report(t.Context(), names, []*Set{collect(t, "a", 20)}, Options{Params: boost.Params{Trees: 5}})
	if err != nil || rows[0].Others != nil {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestOnlyTheFirstChunkOfADocumentIsRight(t *testing.T) {
	d := dataset("a", 1)
	s, err := Collect(t.Context(), d, func(context.Context, eval.Task) ([]winnow.Hit, error) {
		chunk := func(doc string) winnow.Hit {
			return winnow.Hit{Chunk: winnow.Chunk{Document: doc}, Features: []float32{1, 1}}
		}
		return []winnow.Hit{chunk("x"), chunk("gold0"), chunk("gold0"), chunk("x")}, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Groups[0].Relevant); got != "[false true false]" {
		t.Errorf("relevant are %s", got)
	}
}

func TestSmallSetsAreNotDrowned(t *testing.T) {
	groups := balance([]*Set{collect(t, "large", 100), collect(t, "small", 25)})
	if large, small := groups[0].Weight, groups[100].Weight; large != 1 || small != 2 {
		t.Errorf("weights are %v and %v, want 1 and 2", large, small)
	}
}

func TestQuestionsWithoutGoldTeachNothing(t *testing.T) {
	d := &eval.Dataset{Name: "none", Tasks: []eval.Task{{ID: "1", Question: "q"}}}
	if _, err := Collect(t.Context(), d, candidates, nil); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("a set without gold gives %v", err)
	}
	broken := errors.New("gone")
	_, err := Collect(t.Context(), dataset("a", 1), func(context.Context, eval.Task) ([]winnow.Hit, error) { return nil, broken }, nil)
	if !errors.Is(err, broken) {
		t.Errorf("a failing search gives %v", err)
	}
}
