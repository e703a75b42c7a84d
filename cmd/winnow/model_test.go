package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/policytest"
	"github.com/winnow-search/winnow/wire"
)

// asCommand makes the test binary the command itself, for what takes a process.
const asCommand = "WINNOW_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	policytest.Main(m)
}

// stageModels is stageNotes with a key and nothing else that the machine says of
// models.
func stageModels(t *testing.T) {
	t.Helper()
	stageNotes(t)
	t.Setenv("OPENAI_API_KEY", "k")
	t.Setenv("ANTHROPIC_API_KEY", "k")
}

// lookup is a run with calls side by side, a prune and a justified answer. The
// ids are those of documents, which every profile knows.
func lookup() []policytest.Reply {
	return []policytest.Reply{
		{Reasoning: "Two angles.", Calls: []winnow.Call{
			{ID: "s", Tool: "search_corpus", Arguments: `{"query": "apples"}`}, {ID: "g", Tool: "grep_corpus", Arguments: `{"pattern": "gree[nN]"}`}}},
		{Reasoning: "The red ones do not help.", Calls: []winnow.Call{
			{ID: "p", Tool: "prune_chunks", Arguments: `{"chunk_ids": ["apples.md"]}`}, {ID: "r", Tool: "read_document", Arguments: `{"doc_id": "pears.md"}`}}},
		{Text: "<Document id=pears.md><Justification>It says which are green.</Justification></Document>"},
	}
}

func TestAModelIsAskedOverEveryTransport(t *testing.T) {
	for _, c := range []struct {
		name, policy, profile string
		server                *policytest.Server
		warning               string
	}{
		{"chat", "chat", "winnow", &policytest.Server{}, ""},
		{"chat with a Context-1 model", "chat", "context-1", &policytest.Server{Model: "Context-1"}, ""},
		{"harmony with ids", "harmony", "context-1", &policytest.Server{}, ""},
		{"harmony with text", "harmony", "context-1", &policytest.Server{Textual: true}, "the server takes no token ids, and prompts went to it as text"},
		{"anthropic", "anthropic", "winnow", &policytest.Server{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			stageModels(t)
			s := c.server
			s.Key, s.Context, s.Script = "k", 40_000, lookup()
			if s.Model == "" {
				s.Model = "test"
			}
			out, stderr, code := try(t, "ask", "--in", "notes", "--json", "--policy", c.policy, "--model", s.Model, "--base-url", policytest.Start(t, s), "which fruit is green?")
			if code != 0 {
				t.Fatalf("exit code %d\n%s", code, stderr)
			}
			var a wire.Ask
			if err := json.Unmarshal([]byte(out), &a); err != nil {
				t.Fatal(err)
			}
			if a.Ended != winnow.Concluded || a.Turns != 3 || a.ToolCalls != 4 || a.Pruned != 1 || a.Policy != c.policy || a.Model != s.Model || a.Tokens.Prompt == 0 {
				t.Errorf("it says %s", out)
			}
			if r := a.Ranking; len(r) != 2 || r[0].Document != "pears.md" || !r[0].Selected || r[0].Justification != "It says which are green." || r[1].Selected {
				t.Errorf("the ranking is %+v", r)
			}
			if got := strings.Join(a.Warnings, "; "); got != c.warning {
				t.Errorf("it warns %q", got)
			}
			trajectory := recorded(t, glob(t, "runs/*.jsonl"))
			if p := trajectory.Start().Profile; p != c.profile {
				t.Errorf("the profile is %s", p)
			}
			for _, line := range []string{"search_corpus apples: 2 passages of 2 documents: Apples, Pears", "pruned 1 passage"} {
				if !strings.Contains(stderr, line) {
					t.Errorf("it does not tell %q:\n%s", line, stderr)
				}
			}
			if again := must(t, "replay", "--json", "last"); again != out {
				t.Errorf("replay says\n%s", again)
			}
		})
	}
}

func TestFlagsAndNamedPoliciesReachTheServer(t *testing.T) {
	stageModels(t)
	s := &policytest.Server{Key: "named", Script: []policytest.Reply{{Text: "<Document id=c9></Document>"}}}
	server := httptest.NewServer(s)
	defer server.Close()
	t.Setenv("WINNOW_TEST_KEY", "named")
	write(t, "prompt.txt", "Look for this: {question}")
	write(t, filepath.Join(os.Getenv("WINNOW_HOME"), "winnow.yaml"), `
policies:
  mine: {policy: chat, model: test, base_url: "`+server.URL+`", key_env: WINNOW_TEST_KEY, thinking: low, temperature: 0.1, price: {prompt: 1000, completion: 1000}}
`)
	stdout, _, _ := try(t, "ask", "--in", "notes", "--json", "--policy", "mine", "--temperature", "0.25", "--seed", "7", "--budget", "9000", "--prompt", "prompt.txt", "which fruit is green?")
	var a wire.Ask
	if err := json.Unmarshal([]byte(stdout), &a); err != nil || a.Policy != "mine" || a.Model != "test" || a.CostUSD == nil || *a.CostUSD <= 0 {
		t.Errorf("it says %s (%v)", stdout, err)
	}
	if len(s.Requests()) == 0 {
		t.Fatal("nothing was asked")
	}
	var q struct {
		Temperature float64
		Seed        int
		MaxTokens   int    `json:"max_tokens"`
		Effort      string `json:"reasoning_effort"`
		Messages    []struct{ Content string }
	}
	if err := json.Unmarshal(s.Requests()[0], &q); err != nil {
		t.Fatal(err)
	}
	if q.Temperature != 0.25 || q.Seed != 7 || q.MaxTokens != 9000/8 || q.Effort != "low" || !strings.Contains(q.Messages[0].Content, "Look for this: which fruit is green?") ||
		!strings.HasPrefix(q.Messages[0].Content, "Current date: ") {
		t.Errorf("it was asked %s", s.Requests()[0])
	}
}

func TestEveryRolloutHasAConversationOfItsOwn(t *testing.T) {
	stageModels(t)
	// Calls without end: a policy that mixed up two conversations would be refused.
	address := policytest.Start(t, &policytest.Server{Script: []policytest.Reply{
		{Calls: []winnow.Call{{ID: "s", Tool: "search_corpus", Arguments: `{"query": "apples"}`}}},
		{Calls: []winnow.Call{{ID: "s", Tool: "search_corpus", Arguments: `{"query": "pears"}`}}},
		{Calls: []winnow.Call{{ID: "s", Tool: "grep_corpus", Arguments: `{"pattern": "red"}`}}},
		{Text: "<Document id=pears.md></Document>"},
	}})
	a := asked(t, "--in", "notes", "--model", "test", "--base-url", address, "--rollouts", "3", "which fruit is green?")
	if a.Ended != winnow.Concluded || len(a.Ranking) == 0 || a.Ranking[0].Document != "pears.md" {
		t.Errorf("it ends %s with %+v", a.Ended, a.Ranking)
	}
}

func TestWhatIsWrongWithAModelIsOneSentence(t *testing.T) {
	stageModels(t)
	must(t, "ask", "--in", "notes", "apples")
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>Welcome</title>")
	}))
	defer page.Close()
	search := policytest.Reply{Calls: []winnow.Call{{ID: "s", Tool: "search_corpus", Arguments: `{"query": "pears"}`}}}
	all := []string{"chat", "harmony", "anthropic"}
	var running sync.WaitGroup
	defer running.Wait()
	for _, c := range []struct {
		name     string
		policies []string
		server   *policytest.Server
		address  string
		says     string
		hint     string
		ranked   bool // what was found by then is printed
	}{
		{"no server", all, nil, "http://127.0.0.1:1", "no server answers at http://127.0.0.1:1", "--base-url", false},
		{"a wrong key", all, &policytest.Server{Key: "other"}, "", "does not accept the key", "a key that is valid", false},
		{"an unknown model", all, &policytest.Server{Model: "elsewhere"}, "", `has no model "test"`, "elsewhere", false},
		{"no tool calling", all[:1], &policytest.Server{Toolless: true}, "", "test can't call tools as it is served", "--enable-auto-tool-choice", false},
		{"a reply cut in the middle", all, &policytest.Server{Script: []policytest.Reply{search, {Text: "I think", CutAfter: 2}}}, "", "broke off in the middle", "run it again", true},
		{"a web page", all[:2], nil, page.URL, "answered with a web page and not with JSON", "/v1", false},
		{"a web page for anthropic", all[2:], nil, page.URL, "does not speak the Messages API", "https://api.anthropic.com", false},
		{"a small context", all[:2], &policytest.Server{Context: 8192}, "", "is 8192 tokens, and the budget is 32768", "--max-model-len", false},
		{"a prompt that is cut without a word", all[:2], &policytest.Server{Script: []policytest.Reply{search, {Text: "x", Calls: search.Calls, Prompt: 100}}}, "", "the server read 100 tokens of a prompt of", "OLLAMA_CONTEXT_LENGTH", true},
	} {
		for _, policy := range c.policies {
			address := c.address
			if c.server != nil {
				address = policytest.Start(t, c.server)
			}
			running.Go(func() {
				stdout, stderr, code := try(t, "ask", "--in", "notes", "--no-record", "--policy", policy, "--model", "test", "--base-url", address, "which fruit is green?")
				var said []string
				for line := range strings.Lines(stderr) {
					if !strings.HasPrefix(line, "turn ") {
						said = append(said, line)
					}
				}
				if code != exitFail && code != exitUsage || len(said) != 2 || !strings.HasPrefix(said[0], "Error: ") || !strings.Contains(said[0], c.says) ||
					!strings.HasPrefix(said[1], "Try: ") || !strings.Contains(said[1], c.hint) {
					t.Errorf("%s, %s: exit code %d\n%s", policy, c.name, code, stderr)
				}
				if strings.Contains(stdout, "pears.md") != c.ranked {
					t.Errorf("%s, %s prints\n%s", policy, c.name, stdout)
				}
			})
		}
	}
}

func TestCtrlCPrintsTheRankingSoFar(t *testing.T) {
	stageModels(t)
	script := append(lookup()[:1], policytest.Reply{Text: "Well", Stall: true})
	address := policytest.Start(t, &policytest.Server{Script: script})
	cmd := exec.Command(os.Args[0], "ask", "--in", "notes", "--json", "--trace", "run.jsonl", "--model", "test", "--base-url", address, "which fruit is green?")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.HasSuffix(lines.Text(), "tokens used") { // and now the model is silent
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitFail {
		t.Errorf("it ends with %v", err)
	}
	var a wire.Ask
	if err := json.Unmarshal(stdout.Bytes(), &a); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout.String(), said.String())
	}
	if a.Ended != winnow.WasCancelled || len(a.Ranking) != 2 || !strings.HasSuffix(said.String(), "Error: interrupted; this is what was found so far\n") {
		t.Errorf("it says %s\n%s", stdout.String(), said.String())
	}
	recorded(t, "run.jsonl")
	recorded(t, glob(t, "runs/*.jsonl"))
}
