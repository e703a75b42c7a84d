package eval

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// faults that are not Problems would leave people without file and line.
func mustBeProblem(t *testing.T, err error) {
	t.Helper()
	var p *Problem
	if err != nil && !errors.As(err, &p) {
		t.Errorf("got %T: %v", err, err)
	}
}

// FuzzLoad gives the same bytes to every reader of a single file, by detection,
// and checks what scoring relies on.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"folder/questions.jsonl", "hotpotqa.json", "2wiki.json", "musique.jsonl", "multihoprag/MultiHopRAG.json", "tasks/lights.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`[{"context": [["t", ["s"]]], "_id": "1", "question": "?", "supporting_facts": [["t", 0]]`))
	f.Add([]byte(`{"tasks": [{"question": "?", "passed_verification": true, "bridging_item": {"id": "a"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "data.jsonl")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		d, err := Load(path)
		mustBeProblem(t, err)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, q := range d.Tasks {
			if q.ID == "" || q.Question == "" || seen[q.ID] {
				t.Errorf("task %+v", q)
			}
			seen[q.ID] = true
			for m, v := range Score(&q, &Outcome{Ranking: []Ranked{{Document: "a", Selected: true}}}) {
				if !(v >= 0 && v <= 1) {
					t.Errorf("%s = %v of %+v", m, v, q)
				}
			}
		}
	})
}

func FuzzTREC(f *testing.F) {
	topics, err := os.ReadFile("testdata/trec/topics.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(topics), "301 0 d1 1\n", "301 Q0 d1 1 2.5 x\n")
	f.Add("1\twhere", "1\t0\ta b\t1", "1\tQ0\ta b\t1\t1\tx")
	f.Add("<top><num>1<title>x</top>", "q\td\tscore\n1\td\t1", "")
	f.Fuzz(func(t *testing.T, topics, judgements, run string) {
		dir := write(t, map[string]string{"topics": topics, "qrels": judgements, "run": run})
		_, err := Load(dir)
		mustBeProblem(t, err)
		outcomes, err := ReadRun(filepath.Join(dir, "run"))
		mustBeProblem(t, err)
		for id, o := range outcomes {
			if len(o.Ranking) != len(byDocument(o.Ranking)) {
				t.Errorf("%q ranks a document twice", id)
			}
		}
	})
}
