package folder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
)

func tasks() []eval.Task {
	return []eval.Task{{ID: "q1", Question: "first?", Gold: []string{"a"}}, {ID: "q/2", Question: "second?", Unjudged: true}}
}

func result(t eval.Task) *eval.Result {
	r := eval.NewResult(&t, eval.Outcome{RankingOnly: true, Ranking: []eval.Ranked{{Document: "a"}, {Document: "b"}}})
	return &r
}

func begin(t *testing.T, dir string, m Manifest) *Writer {
	t.Helper()
	w, err := Create(dir, m, tasks())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func keep(t *testing.T, w *Writer, r *eval.Result) {
	t.Helper()
	if err := w.Keep(r); err != nil {
		t.Fatal(err)
	}
}

func TestARunIsReadAsItWasWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w := begin(t, dir, Manifest{Setup: Setup{Dataset: "d", Policy: "p"}})
	all := tasks()
	keep(t, w, result(all[1]))
	keep(t, w, result(all[0]))
	trajectory := &winnow.Trajectory{Events: []winnow.Event{{Kind: winnow.EventStart, Start: &winnow.Start{Version: 1}}}}
	if err := w.Record(&all[1], trajectory); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(eval.Summarise([]eval.Result{*result(all[0]), *result(all[1])}, 0)); err != nil {
		t.Fatal(err)
	}
	r, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tasks) != 2 || len(r.Results) != 2 || r.Results[0].ID != "q1" || r.Unfinished() != 0 || r.Manifest.Finished == nil {
		t.Errorf("read %+v", r)
	}
	if !r.Tasks[1].Unjudged || r.Tasks[0].Unjudged {
		t.Error("what is known of gold was lost")
	}
	if got, err := r.Trajectory("q/2"); err != nil || got == nil || len(got.Events) != 1 {
		t.Errorf("the trajectory is %v, %v", got, err)
	}
	if got, err := r.Trajectory("q1"); err != nil || got != nil {
		t.Errorf("a trajectory that was not recorded is %v, %v", got, err)
	}
	outcomes, err := eval.ReadRun(filepath.Join(dir, "run.trec"))
	if err != nil || len(outcomes["q1"].Ranking) != 2 {
		t.Errorf("the TREC run file holds %v, %v", outcomes, err)
	}
}

func TestALineThatWasCutOffIsAskedAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w := begin(t, dir, Manifest{})
	keep(t, w, result(tasks()[0]))
	w.Close()
	f, err := os.OpenFile(filepath.Join(dir, "results.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"id": "q/2", "outc`)
	f.Close()
	w, err = Resume(dir, Manifest{}, tasks())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := w.Finished["q1"]; !ok || len(w.Finished) != 1 {
		t.Errorf("finished are %v", w.Finished)
	}
	keep(t, w, result(tasks()[1]))
	w.Close()
	if r, err := Read(dir); err != nil || len(r.Results) != 2 {
		t.Errorf("%v", err)
	}
}

func TestWhatCanNotBeResumedIsSaidInASentence(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w := begin(t, dir, Manifest{Setup: Setup{Policy: "a", Seed: 1}})
	check := func(name, want string, err error) {
		t.Helper()
		var e *winnow.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, want) || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := Resume(dir, Manifest{Setup: Setup{Policy: "a", Seed: 1}}, tasks())
	check("a run that is under way", "another process", err)
	keep(t, w, result(tasks()[0]))
	w.Close()
	_, err = Resume(dir, Manifest{Setup: Setup{Policy: "b", Seed: 2}}, tasks())
	check("another setup", "made with another policy, seed", err)
	_, err = Create(dir, Manifest{}, tasks())
	check("a folder that is taken", "there is a run in", err)
	_, err = Resume(t.TempDir(), Manifest{}, tasks())
	check("no run", "there is no run in", err)
	path := filepath.Join(dir, "manifest.json")
	manifest, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(manifest), `"format": 1`, `"format": 99`, 1)
	if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Read(dir)
	check("another version", "another version of winnow", err)
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Read(dir)
	check("a broken manifest", "can't be read", err)
	if err := os.WriteFile(path, manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "results.jsonl"), []byte("[]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Read(dir)
	check("a broken result", "line 1 of results.jsonl", err)
}

func TestRunsAreFoundByTheirNames(t *testing.T) {
	home := In(t.TempDir())
	if _, err := home.Find("last"); winnow.CodeOf(err) != winnow.NotFound {
		t.Errorf("in an empty home: %v", err)
	}
	s := Setup{Dataset: "My Set", Policy: "p", Rollouts: 4, Ablations: eval.Ablations{eval.NoPrune}}
	var ids []string
	for i := range 2 {
		id := "2026010" + string(rune('1'+i)) + "-x"
		begin(t, filepath.Join(home.Dir, id), Manifest{Setup: s}).Close()
		ids = append(ids, id)
	}
	for name, want := range map[string]string{"last": ids[1], ids[0]: ids[0], "20260102": ids[1]} {
		if dir, err := home.Find(name); err != nil || filepath.Base(dir) != want {
			t.Errorf("%s: %s, %v", name, dir, err)
		}
	}
	for _, name := range []string{"2026", "nothing", ""} {
		if dir, err := home.Find(name); err == nil {
			t.Errorf("%q is %s", name, dir)
		}
	}
	if got := filepath.Base(home.Newest(&s)); got != ids[1] {
		t.Errorf("the newest is %s", got)
	}
	if got := home.Newest(&Setup{Dataset: "other"}); got != "" {
		t.Errorf("a run with another setup is %s", got)
	}
	if id := NewID(&s); !strings.Contains(id, "-my-set-p-4-no-prune-") {
		t.Errorf("an id is %s", id)
	}
}

func FuzzReadResults(f *testing.F) {
	f.Add("{\"id\":\"q\"}\n")
	f.Add("{\"id\":\"q\"}")
	f.Add("{}\n[")
	f.Fuzz(func(t *testing.T, text string) {
		results, whole, err := readResults(strings.NewReader(text))
		if whole > int64(len(text)) || err == nil && strings.Count(text[:whole], "\n") != len(results) {
			t.Errorf("%d results in %d bytes of %q", len(results), whole, text)
		}
	})
}
