package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEvalMeasuresADataSet(t *testing.T) {
	stage(t)
	write(t, "data/corpus.jsonl", `{"id": "a", "title": "Apples", "text": "Apples are red."}
{"id": "b", "title": "Bananas", "text": "Bananas are yellow."}
{"id": "c", "title": "Cherries", "text": "Cherries are red too."}
`)
	write(t, "data/questions.jsonl", `{"id": "q1", "question": "Which fruit is yellow?", "supporting_ids": ["b"]}
{"id": "q2", "question": "Are apples red?", "supporting_ids": ["c"], "self_id": "a"}
`)
	var report struct {
		Dataset   string
		Policy    string
		Questions int
		Failed    int
		Metrics   map[string]*float64
		CI95      map[string]*float64
	}
	for _, policy := range []string{"bm25", "query"} {
		if err := json.Unmarshal([]byte(must(t, "eval", "--data", "data", "--policy", policy, "--json")), &report); err != nil {
			t.Fatal(err)
		}
		if report.Dataset != "data" || report.Policy != policy || report.Questions != 2 || report.Failed != 0 {
			t.Errorf("%s: %+v", policy, report)
		}
		for _, m := range []string{"recall@2", "recall@5", "recall@10", "recall@20", "all@5", "ndcg@10", "map", "latency_ms_p50", "latency_ms_p95"} {
			if report.Metrics[m] == nil {
				t.Errorf("%s: there is no %s", policy, m)
			}
		}
		if r := report.Metrics["recall@2"]; r == nil || *r != 1 {
			t.Errorf("%s: recall@2 is %v, so the question's own document was not left out", policy, r)
		}
		if _, ok := report.Metrics["trajectory_recall"]; !ok {
			t.Errorf("%s: a metric that does not apply is not null but absent", policy)
		}
	}
	out := must(t, "eval", "--data", "data", "--limit", "1")
	if !strings.Contains(out, "1 question,") || !strings.Contains(out, "recall@5") {
		t.Errorf("for people it prints\n%s", out)
	}
}

func TestEvalIndexesACorpusOfAnotherShape(t *testing.T) {
	stage(t)
	write(t, "hotpot.json", `[{"_id": "q1", "question": "Which fruit is yellow?", "answer": "bananas", "type": "bridge",
 "supporting_facts": [["Bananas", 0]], "context": [["Apples", ["Apples are red."]], ["Bananas", ["Bananas are yellow."]]]}]`)
	for range 2 { // the second time from the corpus that the first has written
		out := must(t, "eval", "--data", "hotpot.json", "--policy", "bm25", "--json")
		if !strings.Contains(out, `"recall@2":1,`) || !strings.Contains(out, `"documents":2`) {
			t.Errorf("it prints %s", out)
		}
	}
}

func TestEvalRefusesWhatItCantMeasure(t *testing.T) {
	stage(t)
	write(t, "data/questions.jsonl", `{"question": "Which fruit is yellow?"}`+"\n")
	for name, args := range map[string][]string{
		"--data is missing":       {"eval"},
		`there is no policy "x"`:  {"eval", "--data", "data", "--policy", "x"},
		"there is no data set at": {"eval", "--data", "nowhere"},
		"has no corpus":           {"eval", "--data", "data"},
	} {
		_, stderr, code := try(t, args...)
		if code == 0 || !strings.Contains(stderr, name) {
			t.Errorf("winnow %s: exit code %d, %s", strings.Join(args, " "), code, stderr)
		}
	}
}
