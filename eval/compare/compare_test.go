package compare

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/folder"
	"github.com/winnow-search/winnow/eval/judge"
)

// keep keeps a run over tasks that ranks these documents for each question; a
// question without an entry stays open.
func keep(t *testing.T, s folder.Setup, tasks []eval.Task, found map[string][]string) *folder.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), s.Policy)
	w, err := folder.Create(dir, folder.Manifest{Setup: s}, tasks)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range tasks {
		documents, ok := found[tasks[i].ID]
		if !ok {
			continue
		}
		o := eval.Outcome{RankingOnly: true, LatencyMS: 1}
		for _, d := range documents {
			o.Ranking = append(o.Ranking, eval.Ranked{Document: d})
		}
		r := eval.NewResult(&tasks[i], o)
		if err := w.Keep(&r); err != nil {
			t.Fatal(err)
		}
	}
	r, err := folder.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func of(t *testing.T, runs ...*folder.Run) *Table {
	t.Helper()
	table, err := Of(runs, 0)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func gold(ids ...string) (tasks []eval.Task) {
	for _, id := range ids {
		tasks = append(tasks, eval.Task{ID: id, Question: id + "?", Gold: []string{"g" + id}})
	}
	return tasks
}

func TestRunsAreComparedOverWhatAllHaveAnswered(t *testing.T) {
	tasks := gold("1", "2", "3")
	a := keep(t, folder.Setup{Dataset: "d", Policy: "a"}, tasks, map[string][]string{"1": {"x"}, "2": {"g2"}, "3": {"x"}})
	b := keep(t, folder.Setup{Dataset: "d", Policy: "b"}, tasks, map[string][]string{"1": {"g1"}, "2": {"g2"}})
	table := of(t, a, b)
	if table.Questions != 2 || len(table.Warnings) != 1 || !strings.Contains(table.Warnings[0], "only 2 of 3") {
		t.Errorf("%d questions, %v", table.Questions, table.Warnings)
	}
	if got := []float64{table.Runs[0].Metrics[eval.Recall5], table.Runs[1].Metrics[eval.Recall5]}; got[0] != 0.5 || got[1] != 1 {
		t.Errorf("recall@5 is %v", got)
	}
	found := false
	for _, c := range table.Runs[1].Versus {
		if c.Metric == eval.Recall5 {
			found = c.Difference == 0.5 && c.P == 1 // one question that differs proves nothing
		}
	}
	if !found || len(table.Runs[0].Versus) != 0 {
		t.Errorf("against the first: %+v", table.Runs[1].Versus)
	}
	if f := table.Runs[0].Fates; f[eval.Returned] != 0.5 || f[eval.NeverMet] != 0.5 {
		t.Errorf("gold went %v", f)
	}
	data, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{`"dataset":"d"`, `"questions":2`, `"versus":[]`, `"unjudged_share":null`, `"p":1`, `"gold":{`} {
		if !strings.Contains(string(data), field) {
			t.Errorf("the JSON lacks %s: %s", field, data)
		}
	}
}

func TestRunsThatHaveNothingInCommonAreRefused(t *testing.T) {
	a := keep(t, folder.Setup{Dataset: "first", Policy: "a"}, gold("1"), map[string][]string{"1": {}})
	for name, c := range map[string]struct {
		tasks []eval.Task
		found map[string][]string
		want  string
	}{
		"another data set":                 {gold("2"), map[string][]string{"2": {}}, "different data sets"},
		"the same id for another question": {[]eval.Task{{ID: "1", Question: "other?", Gold: []string{"g1"}}}, map[string][]string{"1": {}}, "different data sets"},
		"other gold":                       {[]eval.Task{{ID: "1", Question: "1?", Gold: []string{"z"}}}, map[string][]string{"1": {}}, "different gold"},
		"no answer in common":              {append(gold("1"), gold("3")...), map[string][]string{"3": {}}, "no question that all"},
	} {
		b := keep(t, folder.Setup{Dataset: "second", Policy: "b"}, c.tasks, c.found)
		if _, err := Of([]*folder.Run{a, b}, 0); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestThePoolIsScoredByItsLabels(t *testing.T) {
	tasks := []eval.Task{{ID: "1", Question: "1?", Unjudged: true}, {ID: "2", Question: "2?", Unjudged: true}}
	a := keep(t, folder.Setup{Dataset: "d", Policy: "a"}, tasks, map[string][]string{"1": {"x", "y"}, "2": {"x"}})
	b := keep(t, folder.Setup{Dataset: "d", Policy: "b"}, tasks, map[string][]string{"1": {"z"}, "2": {"x"}})
	runs := []*folder.Run{a, b}
	table := of(t, runs...)
	if table.Judged == nil || table.Judged.Open != 2 || len(table.Warnings) == 0 {
		t.Errorf("before anything is judged: %+v", table)
	}
	book, err := judge.Open([]*folder.Run{a})
	if err != nil {
		t.Fatal(err)
	}
	for document, v := range map[string]judge.Verdict{"x": judge.Relevant, "y": judge.NotRelevant} {
		if err := book.Add(judge.Label{Question: "1", Document: document, Verdict: v, By: judge.Person}); err != nil {
			t.Fatal(err)
		}
	}
	book.Close()
	table = of(t, runs...)
	if j := table.Judged; j.Questions != 1 || j.Open != 1 || j.Judges[0] != judge.Person {
		t.Errorf("judged: %+v", j)
	}
	if got := [2]float64{*table.Runs[0].Unjudged, *table.Runs[1].Unjudged}; got != [2]float64{1. / 3, 1} {
		t.Errorf("unjudged shares are %v", got)
	}
	if got := [2]float64{table.Runs[0].Metrics[eval.Recall5], table.Runs[1].Metrics[eval.Recall5]}; got != [2]float64{1, 0} {
		t.Errorf("recall@5 is %v", got)
	}
}

func TestRunsOfOneNameAreToldApart(t *testing.T) {
	s := folder.Setup{Dataset: "d", Policy: "a", Winnow: "1"}
	first := keep(t, s, gold("1"), map[string][]string{"1": {}})
	s.Winnow, s.Corpus = "2", "changed"
	second := keep(t, s, gold("1"), map[string][]string{"1": {}})
	second.Manifest.ID = "other"
	table := of(t, first, second)
	if table.Runs[0].Name == table.Runs[1].Name {
		t.Errorf("both are called %s", table.Runs[0].Name)
	}
	if len(table.Warnings) != 2 {
		t.Errorf("another version and another corpus: %v", table.Warnings)
	}
}
