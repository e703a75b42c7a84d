package eval

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunFileKeepsRankings(t *testing.T) {
	results := []Result{
		{ID: "q1", Outcome: Outcome{Ranking: []Ranked{{Document: "b"}, {Document: "Geneva Durben"}, {Document: "b"}, {Document: "a"}}}},
		{ID: "q2", Outcome: Outcome{Ranking: []Ranked{{Document: "a"}}}},
		{ID: "q3"},
	}
	var b strings.Builder
	if err := WriteRun(&b, "winnow", results); err != nil {
		t.Fatal(err)
	}
	want := "q1\tQ0\tb\t1\t3\twinnow\n" + "q1\tQ0\tGeneva Durben\t2\t2\twinnow\n" + "q1\tQ0\ta\t3\t1\twinnow\n" + "q2\tQ0\ta\t1\t1\twinnow\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	path := filepath.Join(t.TempDir(), "run")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := ReadRun(path)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "q1", got["q1"], Outcome{RankingOnly: true, Untimed: true, Ranking: []Ranked{{Document: "b"}, {Document: "Geneva Durben"}, {Document: "a"}}})
	equal(t, "questions", len(got), 2)
}

func TestForeignRunIsOrderedByScore(t *testing.T) {
	dir := write(t, map[string]string{"run": "1 Q0 low 1 0.5 x\n1 Q0 tie1 2 1e1 x\n1 Q0 tie2 3 10 x\n"})
	got, err := ReadRun(filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "ranking", got["1"].Ranking, []Ranked{{Document: "tie1"}, {Document: "tie2"}, {Document: "low"}})
}

func TestIDsThatARunFileCannotHoldAreRefused(t *testing.T) {
	for _, id := range []string{"a\tb", "a\nb", "", " a"} {
		err := WriteRun(&strings.Builder{}, "x", []Result{{ID: "q", Outcome: Outcome{Ranking: []Ranked{{Document: id}}}}})
		if err == nil {
			t.Errorf("%q was written", id)
		}
	}
}

func TestRunFileFaultsNameTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "the run is empty",
		"1 Q0 a 1 2":                          "run:1: a line of a run has 6 columns, this one has 5",
		"1 Q0 a 1 2 x\n1 Q0 b 2 high x":       `run:2: the score "high" is not a number`,
		"1 Q0 a 1 NaN x":                      `run:1: the score "NaN" is not a number`,
		"1 Q0 a 1 2 x\n\n1\tQ0\ta\t2\t1.5\tx": `run:3: document "a" is ranked twice for question "1"`,
	} {
		dir := write(t, map[string]string{"run": text})
		_, err := ReadRun(filepath.Join(dir, "run"))
		var p *Problem
		if !errors.As(err, &p) || !strings.HasSuffix(p.Error(), want) {
			t.Errorf("%q: got %v, want …%s", text, err, want)
		}
	}
}
