package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow/eval/judge"
)

// The recipe of docs/head-to-head.md, from a folder to the page: 30 plain
// questions, three policies, a judge, the comparison.
func TestHeadToHeadFromAFolderToThePage(t *testing.T) {
	gate, err := filepath.Abs("../../eval/testdata/gate")
	if err != nil {
		t.Fatal(err)
	}
	many(t, 1, 1<<20)
	gold := plainQuestions(t, filepath.Join(gate, "questions.jsonl"), "mine.txt")
	corpus := filepath.Join(gate, "corpus")
	must(t, "eval", "--questions", "mine.txt", "--in", corpus, "--policy", "bm25", "--policy", "query", "--policy", "clerk", "--max-cost", "50", "--out", "runs")

	runs := []string{"runs/bm25", "runs/query", "runs/clerk"}
	open, err := (&cli{}).readRuns(runs)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := judge.PoolOf(open)
	if err != nil {
		t.Fatal(err)
	}
	// A person who knows the answers types a letter for each document in turn.
	var typed strings.Builder
	for _, item := range pool.Items {
		letter := "n"
		if gold[item.Text][item.Document] {
			letter = "r"
		}
		typed.WriteString(letter + "\n")
	}
	out, stderr, code := judged(t, typed.String(), append([]string{"judge", "--out", "judged.jsonl"}, runs...)...)
	if code != 0 || !strings.Contains(out, " 0 left") {
		t.Fatalf("exit code %d\n%s%s", code, out, stderr)
	}
	must(t, append([]string{"judge", "--judge", "clerk", "--out", "judged.jsonl"}, runs...)...)

	table := must(t, append([]string{"compare", "--report", "page.html"}, runs...)...)
	for _, says := range []string{"judged: 30 questions, 0 open, by person, test", "unjudged among the best 10 of query: 0.0 %", "so many questions show a difference in recall@5 from about", "* differs from bm25"} {
		if !strings.Contains(table, says) {
			t.Errorf("the table does not say %q:\n%s", says, table)
		}
	}
	page, err := os.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, has := range []string{"Quality against latency", "Quality against cost", "Where gold was lost", "Gold comes from labels", "How high is Mount Aske?"} {
		if !strings.Contains(string(page), has) {
			t.Errorf("the page lacks %q", has)
		}
	}
	// What was judged is a data set from now on.
	r := report(t, must(t, "eval", "--questions", "judged.jsonl", "--in", corpus, "--policy", "query", "--json"))
	if r.Questions != 30 || r.Metrics["recall@5"] == nil || *r.Metrics["recall@5"] < 0.8 {
		t.Errorf("over the judged questions: %+v", r)
	}
}

// plainQuestions writes the questions of a file as lines of text, and returns
// the gold of each.
func plainQuestions(t *testing.T, from, to string) map[string]map[string]bool {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gold := map[string]map[string]bool{}
	var lines strings.Builder
	for in := bufio.NewScanner(f); in.Scan(); {
		var q struct {
			Question string
			Gold     []string `json:"supporting_ids"`
		}
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		lines.WriteString(q.Question + "\n")
		gold[q.Question] = map[string]bool{}
		for _, id := range q.Gold {
			gold[q.Question][id] = true
		}
	}
	write(t, to, lines.String())
	return gold
}
