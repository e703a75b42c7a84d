package train

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/corpus/local/localtest"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/ingest"
	"github.com/winnow-search/winnow/policy/builtin"
	"github.com/winnow-search/winnow/rerank/boost"
)

// families is a data set with a corpus: n towns, each founded by somebody who was
// born somewhere. A question needs the town and its founder.
func families(t *testing.T, name string, n int) (*eval.Dataset, *local.Corpus) {
	t.Helper()
	var docs []*winnow.Document
	put := func(id, title, text string) { docs = append(docs, ingest.New(id, title, text, nil)) }
	first := []string{"Ada", "Bram", "Celia", "Doran", "Edda", "Falk", "Greta"}
	last := []string{"Holt", "Inger", "Jory", "Kerr", "Lowen"}
	place := []string{"Aske", "Brannock", "Corve", "Dunlin", "Ellory", "Fenwick", "Gant", "Hask", "Ister", "Jarrow", "Keld"}
	d := &eval.Dataset{Name: name}
	for i := range n {
		person := first[i%len(first)] + " " + last[i%len(last)]
		town := place[i%len(place)] + []string{"mouth", "ford", "ton"}[i%3]
		put(fmt.Sprintf("town%d", i), town, fmt.Sprintf("%s is a town on the river. It was founded by %s in %d. Its market is held in spring.", town, person, 1700+i))
		put(fmt.Sprintf("person%d", i), person, fmt.Sprintf("%s was born in %s, and later worked as a founder of towns.", person, place[(i+4)%len(place)]))
		d.Tasks = append(d.Tasks, eval.Task{ID: fmt.Sprint(i), Question: fmt.Sprintf("Where was the founder of %s born?", town),
			Gold: []string{fmt.Sprintf("town%d", i), fmt.Sprintf("person%d", i)}})
	}
	d.Tasks = append(d.Tasks, eval.Task{ID: "none", Question: "Which orchestra played in the tunnel?"})
	return d, localtest.Open(t, docs, local.Options{Ranker: index.Unranked})
}

// fieldOf is a data set as the training sees it.
func fieldOf(t *testing.T, d *eval.Dataset, c *local.Corpus) *Field {
	t.Helper()
	set, err := Collect(t.Context(), d, func(ctx context.Context, task eval.Task) ([]winnow.Hit, error) {
		return c.Candidates(ctx, winnow.Query{Text: task.Question})
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Field{Set: set, All: d.Tasks, Corpus: func(r index.Ranker) winnow.Corpus {
		if r == nil {
			return c
		}
		return c.Ranked(r)
	}}
}

func few() BuiltinOptions {
	return BuiltinOptions{Options: Options{Folds: 3, Params: boost.Params{Trees: 8, Leaves: 4}}}
}

func TestTheBuiltinPolicyLearnsTheSameTwice(t *testing.T) {
	a, corpusA := families(t, "a", 24)
	b, corpusB := families(t, "b", 16)
	fields := []*Field{fieldOf(t, a, corpusA), fieldOf(t, b, corpusB)}
	rows, w, err := Builtin(t.Context(), fields, few())
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		if r.Set != fields[i].Name || r.Questions != len(fields[i].All) || r.Others == nil {
			t.Errorf("%+v", r)
		}
		for name, v := range map[string]eval.Values{"by cross-validation": r.Folds, "from the other set": r.Others} {
			if v[eval.TrajectoryRecall] < 0.99 || v[eval.Recall5] < 0.9 {
				t.Errorf("%s, %s: met %.2f, R@5 %.2f", r.Set, name, v[eval.TrajectoryRecall], v[eval.Recall5])
			}
		}
	}
	_, again, err := Builtin(t.Context(), fields, few())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(w.Encode(), again.Encode()) {
		t.Error("the weights are others the second time")
	}
	tried, err := Try(t.Context(), fields[0], w, few())
	if err != nil || tried[eval.Recall5] < rows[0].Folds[eval.Recall5] {
		t.Errorf("R@5 on what was learned is %v, %v", tried[eval.Recall5], err)
	}
}

// TestAQuestionIsAnsweredWithoutKnowledgeOfItsLabel changes one label. What
// answers that question must not notice, and what answers the others must. The
// policy's weights are compared over one and the same ranker: those of the folds
// differ with the label, as they should, and with them what the other questions
// are shown.
func TestAQuestionIsAnsweredWithoutKnowledgeOfItsLabel(t *testing.T) {
	d, c := families(t, "a", 24)
	const changed = 7
	trained := func() (rankers, weights [][]byte, fold int) {
		training := func(unseen bool) *builtinTraining {
			tr := &builtinTraining{BuiltinOptions: few(), fields: []*Field{fieldOf(t, d, c)}}
			tr.Unseen = unseen
			if err := tr.rankers(t.Context()); err != nil {
				t.Fatal(err)
			}
			return tr
		}
		for _, r := range training(false).ranker {
			rankers = append(rankers, r.(*boost.Model).Encode())
		}
		tr := training(true)
		if err := tr.collect(t.Context()); err != nil {
			t.Fatal(err)
		}
		for f := range tr.Folds {
			w, err := tr.without(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			weights = append(weights, w.Encode())
		}
		return rankers, weights, tr.fold(0, changed)
	}
	rankers, weights, fold := trained()
	d.Tasks[changed].Gold = []string{"town3", "person3"}
	otherRankers, otherWeights, _ := trained()
	for f := range rankers {
		if same := bytes.Equal(rankers[f], otherRankers[f]); same != (f == fold) {
			t.Errorf("part %d, the question is in part %d: the same ranker is %v", f, fold, same)
		}
		if same := bytes.Equal(weights[f], otherWeights[f]); same != (f == fold) {
			t.Errorf("part %d, the question is in part %d: the same weights are %v", f, fold, same)
		}
	}
}

func TestGoldlessLessonsTeachOnlyTheJudge(t *testing.T) {
	seen := []builtin.Seen{{Document: "x"}, {Document: "gold"}, {Document: "gold"}, {Document: "x"}}
	s := newSample(0, 0, "set", &eval.Task{ID: "1", Gold: []string{"gold"}}, seen, false)
	if got := fmt.Sprint(s.Relevant); got != "[false true false]" {
		t.Errorf("relevant are %s: of a supporting document the first passage is the right one", got)
	}
	d, c := families(t, "a", 9)
	tr := &builtinTraining{BuiltinOptions: few(), fields: []*Field{fieldOf(t, d, c)}}
	tr.Unseen = true
	if err := tr.rankers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := tr.collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	goldless := 0
	for _, s := range tr.samples {
		for _, relevant := range s.Relevant {
			if s.goldless && relevant {
				t.Errorf("question %d shows its gold although it is out of reach", s.task)
			}
		}
		if s.goldless {
			goldless++
		}
	}
	if goldless != 3 || len(tr.samples) != len(d.Tasks)+goldless {
		t.Errorf("%d lessons, %d with nothing to find", len(tr.samples), goldless)
	}
}
