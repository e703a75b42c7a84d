package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// gatePolicy is who must not get worse.
const gatePolicy = "builtin"

// baseline is what the policy reached when it was last written down, with
// -update.
type baseline struct {
	Policy  string              `json:"policy"`
	Metrics map[string]*float64 `json:"metrics"`
	CI95    map[string]*float64 `json:"ci95"`
}

// TestSearchHasNotBecomeWorse asks 30 questions of 60 documents that we wrote:
// wiki pages, mails, code, notes, news, rules. It fails if a metric has dropped by
// more than its interval. A better policy does not fail it; write its figures
// down with -update, so that they are not lost again.
func TestSearchHasNotBecomeWorse(t *testing.T) {
	gate, err := filepath.Abs("../../eval/testdata/gate")
	if err != nil {
		t.Fatal(err)
	}
	stage(t)
	r := report(t, must(t, "eval", "--questions", filepath.Join(gate, "questions.jsonl"), "--in", filepath.Join(gate, "corpus"),
		"--policy", gatePolicy, "--embedder", "static", "--json"))
	if r.Questions != 30 || r.Failed != 0 {
		t.Fatalf("%d questions were asked, %d failed", r.Questions, r.Failed)
	}
	path := filepath.Join(gate, "baseline.json")
	quality := []string{"recall@2", "recall@5", "recall@10", "all@5", "ndcg@10", "map", "recall", "precision", "f1", "answer_found", "trajectory_recall", "prune_accuracy", "abstained"}
	if *update {
		b := baseline{gatePolicy, map[string]*float64{}, map[string]*float64{}}
		for _, m := range quality {
			b.Metrics[m], b.CI95[m] = r.Metrics[m], r.CI95[m]
		}
		data, err := json.MarshalIndent(b, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b baseline
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	if b.Policy != gatePolicy {
		t.Fatalf("the baseline is that of %s; write that of %s down with -update", b.Policy, gatePolicy)
	}
	for _, m := range quality {
		if b.Metrics[m] == nil {
			continue
		}
		margin := 0.0
		if b.CI95[m] != nil {
			margin = *b.CI95[m]
		}
		switch is := r.Metrics[m]; {
		case is == nil:
			t.Errorf("%s is gone", m)
		case *is < *b.Metrics[m]-margin:
			t.Errorf("%s is %.3f and was %.3f ± %.3f", m, *is, *b.Metrics[m], margin)
		}
	}
}
