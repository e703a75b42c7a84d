package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval/folder"
	"github.com/winnow-search/winnow/policy/policytest"
)

// fruit is a data set of three documents and two questions.
func fruit(t *testing.T) {
	t.Helper()
	stage(t)
	t.Setenv("OPENAI_API_KEY", "secret-key")
	write(t, "data/corpus.jsonl", `{"id": "a", "title": "Apples", "text": "Apples are red."}
{"id": "b", "title": "Bananas", "text": "Bananas are yellow."}
{"id": "c", "title": "Cherries", "text": "Cherries are red too."}
`)
	write(t, "data/questions.jsonl", `{"id": "q1", "question": "Which fruit is yellow?", "supporting_ids": ["b"], "answers": ["bananas"]}
{"id": "q2", "question": "Are apples red?", "supporting_ids": ["c"], "self_id": "a"}
`)
}

type evalReport struct {
	Dataset   string
	Policy    string
	Model     string
	Questions int
	Failed    int
	Run       string
	CostUSD   *float64 `json:"cost_usd"`
	Metrics   map[string]*float64
	CI95      map[string]*float64
	Error     *winnow.Error
}

func report(t *testing.T, text string) (r evalReport) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}

func TestEvalMeasuresADataSet(t *testing.T) {
	fruit(t)
	for _, policy := range []string{"bm25", "query"} {
		r := report(t, must(t, "eval", "--data", "data", "--policy", policy, "--json"))
		if r.Dataset != "data" || r.Policy != policy || r.Questions != 2 || r.Failed != 0 || r.Run == "" {
			t.Errorf("%s: %+v", policy, r)
		}
		for _, m := range []string{"recall@2", "recall@5", "recall@10", "recall@20", "all@5", "ndcg@10", "map", "latency_ms_p50", "latency_ms_p95"} {
			if r.Metrics[m] == nil {
				t.Errorf("%s: there is no %s", policy, m)
			}
		}
		if r := r.Metrics["recall@2"]; r == nil || *r != 1 {
			t.Errorf("%s: recall@2 is %v, so the question's own document was not left out", policy, r)
		}
		if _, ok := r.Metrics["trajectory_recall"]; !ok {
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
	fruit(t)
	write(t, "alone/questions.jsonl", `{"question": "Which fruit is yellow?"}`+"\n")
	write(t, "empty.jsonl", "\n")
	write(t, "twice.jsonl", `{"id": "q", "question": "One?"}`+"\n"+`{"id": "q", "question": "Two?"}`+"\n")
	write(t, "outside.jsonl", `{"id": "q", "question": "One?", "supporting_ids": ["nowhere.md"]}`+"\n")
	write(t, "notes/a.md", "Apples are red.\n")
	write(t, "one.txt", "What is red?\n")
	must(t, "eval", "--data", "data", "--policy", "bm25", "--out", "taken")
	must(t, "eval", "--questions", "one.txt", "--in", "notes", "--policy", "bm25", "--out", "open")
	must(t, "eval", "--data", "data", "--policy", "bm25", "--out", "newer")
	manifest, err := os.ReadFile("newer/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "newer/manifest.json", strings.Replace(string(manifest), `"format": 1`, `"format": 2`, 1))
	for _, c := range []struct {
		says string
		args string
	}{
		{"was written by another version of winnow", "compare taken newer"},
		{"was written by another version of winnow", "eval --data data --policy bm25 --out newer --resume"},
		{"runs of different data sets can't be compared", "compare taken open"},
		{"holds something else than these questions", "judge open --out twice.jsonl"},
		{"--data is missing", "eval"},
		{`there is no policy "x"`, "eval --data data --policy x"},
		{"there is no data set at", "eval --data nowhere"},
		{"has no corpus", "eval --data alone"},
		{"there is no question in it", "eval --questions empty.jsonl --in notes"},
		{`the question id "q" is used twice`, "eval --questions twice.jsonl --in notes"},
		{"their gold is not in", "eval --questions outside.jsonl --in notes"},
		{"can't be used together", "eval --questions empty.jsonl --data data"},
		{"and not of --in", "eval --data data --in notes"},
		{"brings a corpus of its own", "eval --questions data --in notes"},
		{"there is a run in taken already", "eval --data data --policy bm25 --out taken"},
		{"kind, policy", "eval --data data --policy query --out taken --resume"},
		{"made with another seed", "eval --data data --policy bm25 --out taken --resume --seed 7"},
		{`there is no ablation "x"`, "eval --data data --ablate x"},
		{"changes nothing for a policy that searches once", "eval --data data --policy query --ablate no-prune"},
		{"--rollouts changes nothing", "eval --data data --policy query --rollouts 4"},
		{`there is no preset "x"`, "eval --data data --preset x"},
		{"--max-cost wants", "eval --data data --max-cost 0"},
		{"is given twice", "eval --data data --policy bm25 --policy bm25"},
		{"--limit and --concurrency", "eval --data data --limit -1"},
		{"RUN is missing", "compare"},
		{`there is no run "x"`, "compare x"},
		{"is given twice", "compare taken taken"},
		{"there is nothing to judge", "judge taken"},
		{"--model is for --judge", "judge taken --model m"},
		{"can't be used together", "judge taken --page --judge chat"},
	} {
		_, stderr, code := try(t, strings.Fields(c.args)...)
		if code == 0 || !strings.Contains(stderr, c.says) || !strings.HasPrefix(stderr, "Error: ") || strings.Count(stderr, "\n") > 2 {
			t.Errorf("winnow %s: exit code %d, %s", c.args, code, stderr)
		}
	}
}

func TestGoldOutsideOfTheCorpusIsReportedAndNotScored(t *testing.T) {
	stage(t)
	write(t, "notes/a.md", "Apples are red.\n")
	write(t, "mine.jsonl", `{"id": "q1", "question": "What is red?", "supporting_ids": ["a.md"]}`+"\n"+`{"id": "q2", "question": "What is blue?", "supporting_ids": ["gone.md"]}`+"\n")
	out, stderr, code := try(t, "eval", "--questions", "mine.jsonl", "--in", "notes", "--policy", "bm25")
	if code != 0 || !strings.Contains(out, "1 question,") || !strings.Contains(stderr, `gold of question "q2" is not in the corpus: gone.md`) {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
}

func TestDocumentsOfSeveralCollectionsAreToldApart(t *testing.T) {
	stage(t)
	write(t, "one/a.md", "Apples are red.\n")
	write(t, "two/a.md", "Apples are green.\n")
	write(t, "mine.jsonl", `{"id": "q1", "question": "Which apples are red?", "supporting_ids": ["a.md"]}`+"\n"+`{"id": "q2", "question": "Which apples are blue?", "supporting_ids": ["b.md"]}`+"\n")
	r := report(t, must(t, "eval", "--questions", "mine.jsonl", "--in", "one", "--in", "two", "--policy", "bm25", "--json", "--out", "run"))
	if r.Questions != 1 || *r.Metrics["recall@2"] != 1 {
		t.Errorf("%+v", r)
	}
	if got := strings.Count(rankings(t, "run"), "\n"); got != 2 {
		t.Errorf("%d documents are ranked:\n%s", got, rankings(t, "run"))
	}
}

func TestRunsOfOneCommandAreComparedAndKept(t *testing.T) {
	fruit(t)
	out := must(t, "eval", "--data", "data", "--policy", "bm25", "--policy", "query", "--out", "runs", "--report", "page.html")
	if !strings.Contains(out, "difference") || !strings.Contains(out, "The run is runs/query.") {
		t.Errorf("it prints\n%s", out)
	}
	page, err := os.ReadFile("page.html")
	if err != nil || !bytes.Contains(page, []byte("Which fruit is yellow?")) {
		t.Errorf("the page: %v", err)
	}
	var table struct {
		Questions int
		Runs      []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(must(t, "compare", "--json", "runs/bm25", "runs/query")), &table); err != nil || table.Questions != 2 || len(table.Runs) != 2 {
		t.Errorf("%+v, %v", table, err)
	}
	for _, file := range []string{"manifest.json", "questions.jsonl", "results.jsonl", "report.json", "run.trec"} {
		if _, err := os.Stat(filepath.Join("runs/bm25", file)); err != nil {
			t.Error(err)
		}
	}
	// A leg alone is what the policy of that leg does.
	must(t, "eval", "--data", "data", "--policy", "query", "--ablate", "bm25-only", "--out", "leg")
	one, two := rankings(t, "runs/bm25"), rankings(t, "leg")
	if one != two {
		t.Errorf("bm25 ranks\n%s\nand query with bm25 alone\n%s", one, two)
	}
}

func TestTheRankingsOfAnotherSystemAreScored(t *testing.T) {
	fruit(t)
	write(t, "other.trec", "q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\n")
	out := must(t, "eval", "--data", "data", "--policy", "bm25", "--trec", "other.trec", "--out", "runs", "--report", "page.html")
	if !strings.Contains(out, "policy other: 2 questions") || !strings.Contains(out, "The run is runs/other.") {
		t.Errorf("it prints\n%s", out)
	}
	r := report(t, must(t, "eval", "--data", "data", "--trec", "other.trec", "--json"))
	if *r.Metrics["recall@2"] != 0.5 || *r.Metrics["map"] != 0.25 || r.Metrics["latency_ms_p50"] != nil {
		t.Errorf("%+v", r.Metrics)
	}
	write(t, "broken.trec", "q1 a 1\n")
	if _, stderr, code := try(t, "eval", "--data", "data", "--trec", "broken.trec"); code == 0 || !strings.Contains(stderr, "broken.trec:1: a line of a run has 6 columns") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// rankings are the lines of a TREC run file without its name.
func rankings(t *testing.T, run string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(run, "run.trec"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		b.WriteString(strings.Join(f[:len(f)-1], " ") + "\n")
	}
	return b.String()
}

// librarian is a model that searches for what it is asked and answers with the
// first thing found, as long as it has credit. Beyond a number of replies, if
// there is one, it says so and leaves the caller waiting until it may go on.
type librarian struct {
	requests atomic.Int64
	credit   atomic.Int64
	most     atomic.Int64
	reached  chan struct{}
	goOn     chan struct{}
}

func (l *librarian) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	reply := policytest.Reply{Calls: []winnow.Call{{ID: "s", Tool: "search_corpus", Arguments: `{"query": "yellow fruit"}`}}}
	switch {
	case r.Method != http.MethodPost:
	case bytes.Contains(body, []byte("=====DOCUMENT=====")):
		l.requests.Add(1)
		reply = policytest.Reply{Text: "<Document id=relevant><Justification>yes</Justification></Document>"}
	default:
		n := l.requests.Add(1)
		if most := l.most.Load(); most > 0 && n > most {
			l.reached <- struct{}{}
			select {
			case <-l.goOn:
			case <-r.Context().Done():
				return
			}
		}
		if n > l.credit.Load() {
			reply = policytest.Reply{Status: http.StatusPaymentRequired, Body: `{"error": {"message": "insufficient_quota"}}`}
		} else if bytes.Contains(body, []byte(`"role":"tool"`)) {
			reply = policytest.Reply{Text: "<Document id=c1><Justification>it says so</Justification></Document>"}
		}
	}
	(&policytest.Server{Script: []policytest.Reply{reply}}).ServeHTTP(w, r)
}

// many is a data set of n questions, and a model with credit for so many replies.
func many(t *testing.T, n, credit int) *librarian {
	t.Helper()
	fruit(t)
	var questions strings.Builder
	for i := range n {
		fmt.Fprintf(&questions, `{"id": "q%d", "question": "Which fruit is yellow, number %d?", "supporting_ids": ["b"]}`+"\n", i, i)
	}
	write(t, "data/questions.jsonl", questions.String())
	l := &librarian{reached: make(chan struct{}, 100), goOn: make(chan struct{})}
	l.credit.Store(int64(credit))
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	write(t, filepath.Join(os.Getenv("WINNOW_HOME"), "winnow.yaml"), fmt.Sprintf(`embedder: "off"
policies:
  clerk: {policy: chat, model: test, base_url: "%s/v1", headers: {X-Gate: "secret-header"}, price: {prompt: 100, completion: 100}}
  unpriced: {policy: chat, model: test, base_url: "%s/v1"}
`, server.URL, server.URL))
	return l
}

func TestAModelThatDiesInTheMiddleLosesNothing(t *testing.T) {
	l := many(t, 5, 5) // enough for two questions and a half
	_, stderr, code := try(t, "eval", "--data", "data", "--policy", "clerk")
	if code != exitFail || !strings.Contains(stderr, "stopped after 2 of 5 questions, which stay: the account") || !strings.Contains(stderr, "the same command with --resume") || strings.Count(stderr, "\n") != 2 {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	l.credit.Store(1000)
	before := l.requests.Load()
	r := report(t, must(t, "eval", "--data", "data", "--policy", "clerk", "--resume", "--json"))
	if r.Questions != 5 || r.Failed != 0 || *r.Metrics["recall"] != 1 {
		t.Errorf("%+v", r)
	}
	if asked := l.requests.Load() - before; asked != 6 {
		t.Errorf("three questions that were open took %d requests", asked)
	}
	before = l.requests.Load()
	again := report(t, must(t, "eval", "--data", "data", "--policy", "clerk", "--out", filepath.Join(os.Getenv("WINNOW_HOME"), "evals", r.Run), "--resume", "--json"))
	if asked := l.requests.Load() - before; asked != 0 || again.Questions != 5 {
		t.Errorf("a run that is finished was asked again: %d requests", asked)
	}
	dir := filepath.Join(os.Getenv("WINNOW_HOME"), "evals", r.Run)
	run, err := folder.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range run.Tasks {
		if tr, err := run.Trajectory(task.ID); err != nil || tr == nil || tr.End() == nil {
			t.Errorf("%s has no whole trajectory: %v", task.ID, err)
		}
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(manifest, []byte("secret")) {
		t.Error("the manifest holds a key")
	}
	for _, field := range []string{`"winnow"`, `"corpus"`, `"questions"`, `"sha256"`, `"policy": "clerk"`, `"model": "test"`, `"config"`} {
		if !bytes.Contains(manifest, []byte(field)) {
			t.Errorf("the manifest lacks %s", field)
		}
	}
}

func TestAKilledRunGoesOnBehindTheLastQuestion(t *testing.T) {
	l := many(t, 6, 1000)
	l.most.Store(4) // two questions
	cmd := exec.CommandContext(t.Context(), os.Args[0], "eval", "--data", "data", "--policy", "clerk", "--out", "run")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-l.reached // the third question has begun
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	close(l.goOn)
	before := l.requests.Load()
	r := report(t, must(t, "eval", "--data", "data", "--policy", "clerk", "--out", "run", "--resume", "--json"))
	if r.Questions != 6 || r.Failed != 0 {
		t.Errorf("%+v", r)
	}
	if asked := l.requests.Load() - before; asked != 8 {
		t.Errorf("four open questions took %d requests", asked)
	}
}

func TestCtrlCKeepsWhatIsFinished(t *testing.T) {
	l := many(t, 3, 1000)
	l.most.Store(2) // one question
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var interrupted sync.WaitGroup
	interrupted.Go(func() {
		<-l.reached
		interrupt()
	})
	var stdout, stderr bytes.Buffer
	code := Run(ctx, []string{"eval", "--data", "data", "--policy", "clerk", "--out", "run"}, strings.NewReader(""), &stdout, &stderr)
	interrupted.Wait()
	if code != exitFail || stderr.String() != "Error: interrupted; the questions that are finished stay in run\nTry: the same command with --resume\n" {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
	if run, err := folder.Read("run"); err != nil || len(run.Results) != 1 {
		t.Errorf("%v, %+v", err, run)
	}
}

func TestCostIsBounded(t *testing.T) {
	many(t, 20, 1000)
	_, stderr, code := try(t, "eval", "--data", "data", "--policy", "clerk", "--max-cost", "0.8", "--out", "run")
	if code != exitFail || !strings.Contains(stderr, "would go beyond --max-cost 0.80") || !strings.Contains(stderr, "a larger --max-cost") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	run, err := folder.Read("run")
	if err != nil {
		t.Fatal(err)
	}
	spent := 0.0
	for i := range run.Results {
		spent += *run.Results[i].Outcome.CostUSD
	}
	if spent > 0.8 || len(run.Results) == 0 || run.Unfinished() == 0 {
		t.Errorf("%d questions cost %.2f", len(run.Results), spent)
	}
	_, stderr, code = try(t, "eval", "--data", "data", "--policy", "unpriced", "--max-cost", "1")
	if code != exitFail || !strings.Contains(stderr, "no price is known") {
		t.Errorf("without a price: exit code %d, %s", code, stderr)
	}
}

func TestAPresetIsRecordedWithWhatDeviates(t *testing.T) {
	many(t, 2, 1000)
	must(t, "eval", "--data", "data", "--policy", "clerk", "--preset", "context-1-report", "--temperature", "0.5", "--rollouts", "2", "--ablate", "no-prune", "--out", "run")
	run, err := folder.Read("run")
	if err != nil {
		t.Fatal(err)
	}
	s := run.Manifest.Setup
	if s.Profile != "context-1" || s.Budget != 32768 || s.MaxTurns != 64 || s.Rollouts != 2 || s.Name() != "clerk ×2 no-prune" {
		t.Errorf("the setup is %+v", s)
	}
	all := strings.Join(run.Manifest.Deviations, "\n")
	for _, what := range []string{"embedder", "reranker", "pool", "prompt", "temperature: 0.5 in place of 1"} {
		if !strings.Contains(all, what) {
			t.Errorf("nothing is said of the %s in\n%s", what, all)
		}
	}
	tr, err := run.Trajectory("q0")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tr.Start().Tools {
		if tool.Name == "prune_chunks" {
			t.Error("the tool that was to go is there")
		}
	}
}

// answers types a letter for each document that is shown.
func judged(t *testing.T, typed string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = Run(t.Context(), args, strings.NewReader(typed), &out, &err)
	return out.String(), err.String(), code
}

func TestJudgingStopsAndGoesOn(t *testing.T) {
	l := many(t, 1, 1000)
	write(t, "notes/a.md", "# Apples\n\nApples are red.\n")
	write(t, "notes/b.md", "# Bananas\n\nBananas are yellow.\n")
	write(t, "mine.txt", "# what people ask\nWhich fruit is yellow?\nWhich fruit is red?\n")
	must(t, "eval", "--questions", "mine.txt", "--in", "notes", "--policy", "bm25", "--out", "run")
	out, stderr, code := judged(t, "r\nq\n", "judge", "run", "--out", "gold.jsonl")
	if code != 0 || !strings.Contains(out, "1 of ") || !strings.Contains(stderr, "Which fruit is") {
		t.Fatalf("exit code %d\n%s%s", code, out, stderr)
	}
	if strings.Contains(stderr, "bm25") {
		t.Errorf("the judge is told who found it:\n%s", stderr)
	}
	out, _, _ = judged(t, strings.Repeat("x\nn\n", 10), "judge", "run", "--out", "gold.jsonl")
	if !strings.Contains(out, "1 relevant, 0 unsure, 0 left") {
		t.Errorf("it prints\n%s", out)
	}
	before := l.requests.Load()
	out = must(t, "judge", "run", "--judge", "clerk", "--out", "gold.jsonl")
	if !strings.Contains(out, "test and you agree on") || l.requests.Load() == before {
		t.Errorf("it prints\n%s", out)
	}
	if again := must(t, "judge", "run", "--judge", "clerk", "--out", "gold.jsonl", "--json"); !strings.Contains(again, `"agreement":{"test":{"both":`) {
		t.Errorf("as JSON: %s", again)
	}
	f, err := os.Open("gold.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		if !strings.Contains(lines.Text(), `"supporting_ids":[`) {
			t.Errorf("a question without gold: %s", lines.Text())
		}
	}
	if n != 2 {
		t.Errorf("%d questions are written", n)
	}
	must(t, "eval", "--questions", "gold.jsonl", "--in", "notes", "--policy", "query", "--json")
	if _, stderr, code := judged(t, "", "judge", "run", "--judge", "bm25"); code == 0 || !strings.Contains(stderr, "asks no model and can't judge") {
		t.Errorf("a policy without words judges: %s", stderr)
	}
}
