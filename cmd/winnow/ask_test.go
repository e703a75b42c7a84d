package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/wire"
)

// stageNotes is a folder with two notes, searched by words alone.
func stageNotes(t *testing.T) {
	t.Helper()
	stage(t)
	t.Setenv("WINNOW_EMBEDDER", "off")
	t.Setenv("WINNOW_RERANK", "off")
	write(t, "notes/apples.md", "# Apples\n\nApples are red.\n")
	write(t, "notes/pears.md", "# Pears\n\nPears are green, apples are not pears.\n")
}

func asked(t *testing.T, args ...string) (answer wire.Ask) {
	t.Helper()
	if err := json.Unmarshal([]byte(must(t, append([]string{"ask", "--json"}, args...)...)), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func recorded(t *testing.T, path string) *winnow.Trajectory {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	trajectory, err := winnow.ReadTrajectory(f)
	if err != nil || trajectory.End() == nil {
		t.Fatalf("%s is not whole: %v", path, err)
	}
	return trajectory
}

func TestEveryFieldOfAnAnswerIsThere(t *testing.T) {
	stageNotes(t)
	var answer map[string]any
	if err := json.Unmarshal([]byte(must(t, "ask", "--in", "notes", "--policy", "query", "--json", "apples")), &answer); err != nil {
		t.Fatal(err)
	}
	keys := func(m any, want ...string) {
		t.Helper()
		var got []string
		for key := range m.(map[string]any) {
			got = append(got, key)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("the fields are %v, not %v", got, want)
		}
	}
	keys(answer, "question", "policy", "model", "collections", "ranking", "confidence", "turns", "tool_calls", "tokens", "pruned",
		"ended", "warnings", "cost_usd", "run")
	keys(answer["tokens"], "peak_view", "prompt", "completion")
	for _, entry := range answer["ranking"].([]any) {
		keys(entry, "rank", "selected", "collection", "document", "chunks", "path", "lines", "page", "heading", "title", "text",
			"score", "metadata", "justification")
	}
	if answer["ended"] != "concluded" || answer["turns"] != 2.0 || answer["tool_calls"] != 1.0 {
		t.Errorf("ended %v after %v turns and %v calls", answer["ended"], answer["turns"], answer["tool_calls"])
	}
}

func TestARecordTellsTheSame(t *testing.T) {
	stageNotes(t)
	for _, more := range [][]string{nil, {"--rollouts", "3"}, {"--explain"}, {"--profile", "context-1", "--seed", "7"}} {
		out := must(t, append([]string{"ask", "--in", "notes", "--json", "apples"}, more...)...)
		var answer wire.Ask
		if err := json.Unmarshal([]byte(out), &answer); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{answer.Run, answer.Run[:len(answer.Run)-2], "last"} {
			if again := must(t, "replay", "--json", name); again != out {
				t.Errorf("%v: replay %s prints\n%s, not\n%s", more, name, again, out)
			}
		}
	}
}

func TestATraceIsTheWholeRun(t *testing.T) {
	stageNotes(t)
	answer := asked(t, "--in", "notes", "--policy", "query", "--no-record", "--trace", "run.jsonl", "apples")
	if answer.Run != "" {
		t.Errorf("a run that is not recorded is called %q", answer.Run)
	}
	if _, err := os.Stat(filepath.Join(os.Getenv("WINNOW_HOME"), "runs")); err == nil {
		t.Error("--no-record leaves a runs folder")
	}
	views := 0
	if err := agent.Views(recorded(t, "run.jsonl"), func(*winnow.View) error { views++; return nil }); err != nil || views != 2 {
		t.Errorf("it holds %d views (%v)", views, err)
	}
	if out := must(t, "replay", "run.jsonl"); !strings.Contains(out, "turn 1  search_corpus apples: 2 passages of 2 documents") {
		t.Errorf("replay prints\n%s", out)
	}
}

func TestARecordThatWasCutOffIsToldAsFarAsItGoes(t *testing.T) {
	stageNotes(t)
	must(t, "ask", "--in", "notes", "--trace", "run.jsonl", "apples")
	data, err := os.ReadFile("run.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	write(t, "between.jsonl", string(bytes.Join(lines[:3], nil)))
	write(t, "within.jsonl", string(bytes.Join(lines[:3], nil))+`{"event":"act`)
	write(t, "else.jsonl", "{}\n")
	for file, want := range map[string]string{"between.jsonl": "was cut off", "within.jsonl": "line 4", "else.jsonl": "start event"} {
		stdout, stderr, code := try(t, "replay", file)
		if code != exitFail || !strings.Contains(stderr, want) || strings.Contains(stdout, "turn 1") != (file != "else.jsonl") {
			t.Errorf("%s: exit code %d\n%s%s", file, code, stdout, stderr)
		}
	}
}

func TestSeveralFoldersAreAskedTogether(t *testing.T) {
	stageNotes(t)
	write(t, "mail/offer.md", "# Offer\n\nFive apples for a pear.\n")
	answer := asked(t, "--in", "notes", "--in", "mail", "--exclude", "pears.md", "apples")
	found := map[string]bool{}
	for _, e := range answer.Ranking {
		found[filepath.Base(e.Collection)+"/"+e.Path] = true
	}
	if want := map[string]bool{"notes/apples.md": true, "mail/offer.md": true}; !reflect.DeepEqual(found, want) || len(answer.Collections) != 2 {
		t.Errorf("%v finds %v, not %v", answer.Collections, found, want)
	}
	out := must(t, "ask", "--in", "notes", "--in", "mail", "--path", "offer.*", "apples")
	if !strings.Contains(out, "mail/offer.md:1-3  Offer  in ") || strings.Contains(out, "apples.md") {
		t.Errorf("it prints\n%s", out)
	}
}

func TestAQuestionThatLeavesNoRoomIsRefused(t *testing.T) {
	stageNotes(t)
	stdout, stderr, code := try(t, "ask", "--in", "notes", "--trace", "run.jsonl", strings.Repeat("why so many apples ", 20_000))
	if code != exitFail || stdout != "" || !strings.Contains(stderr, "leaves no room") || !strings.Contains(stderr, "Try: a shorter question") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("WINNOW_HOME"), "runs", "*")); len(left) > 0 || exists("run.jsonl") {
		t.Errorf("a run that could not begin leaves %v", left)
	}
}

// interrupting is a terminal at which somebody presses Ctrl-C when a line holds
// a text.
type interrupting struct {
	bytes.Buffer
	at     string
	cancel func()
}

func (w *interrupting) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(w.at)) {
		w.cancel()
	}
	return w.Buffer.Write(p)
}

func TestAnInterruptedRunPrintsWhatItHas(t *testing.T) {
	for _, rollouts := range []string{"1", "2"} {
		stageNotes(t)
		ctx, cancel := context.WithCancel(t.Context())
		stderr := &interrupting{at: "turn 1", cancel: cancel}
		var stdout bytes.Buffer
		c := &cli{stdout: &stdout, stderr: stderr, errTerminal: terminal{columns: 80}}
		code := c.run(ctx, []string{"ask", "--in", "notes", "--json", "--rollouts", rollouts, "--trace", "run.jsonl", "apples"}, nil)
		var answer wire.Ask
		if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
			t.Fatalf("it prints %s (%v)", stdout.String(), err)
		}
		if rollouts == "1" && (code != exitFail || answer.Ended != winnow.WasCancelled || len(answer.Ranking) != 2 || !answer.Ranking[0].Selected) {
			t.Errorf("exit code %d, %s with %d documents", code, answer.Ended, len(answer.Ranking))
		}
		if rollouts == "1" && !strings.HasSuffix(stderr.String(), "Error: interrupted; this is what was found so far\n") {
			t.Errorf("it says %q", stderr.String())
		}
		recorded(t, "run.jsonl")
		recorded(t, glob(t, "runs/*.jsonl"))
	}
}

func TestSeveralPassagesOfADocumentAreOneEntry(t *testing.T) {
	stage(t)
	section := func(name string) string {
		return "## " + name + "\n\n" + strings.Repeat("All about "+name+", at length and with patience.\n", 40) + "\n"
	}
	text := "# Guide\n\n" + section("Installing") + section("Using") + section("Removing")
	write(t, "guide.md", text)
	answer := asked(t, "--in", ".", "--embedder", "off", "patience")
	if len(answer.Ranking) != 1 || len(answer.Ranking[0].Chunks) < 3 {
		t.Fatalf("the ranking is %+v", answer.Ranking)
	}
	if e := answer.Ranking[0]; e.Text != text || e.Lines[0] != 1 || e.Lines[1] < 120 {
		t.Errorf("lines %v hold %d bytes of %d", e.Lines, len(e.Text), len(text))
	}
	if out := must(t, "ask", "--in", ".", "--embedder", "off", "patience"); !strings.Contains(out, "    also ") {
		t.Errorf("it prints\n%s", out)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
