package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/policytest"
)

// examined runs doctor and returns what it found, by name.
func examined(t *testing.T, want int, args ...string) (of map[string]string) {
	t.Helper()
	stdout, stderr, code := try(t, append([]string{"doctor", "--json"}, args...)...)
	var a doctorAnswer
	if err := json.Unmarshal([]byte(stdout), &a); err != nil {
		t.Fatalf("%v: exit code %d\n%s%s", err, code, stdout, stderr)
	}
	if code != want || a.OK != (want == exitOK) {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	of = map[string]string{}
	for _, f := range a.Findings {
		of[f.What] = f.Says
		if !f.OK {
			of[f.What] = "✗ " + f.Says + " → " + f.Hint
		}
	}
	return of
}

func TestDoctorTriesAModel(t *testing.T) {
	call := policytest.Reply{Calls: []winnow.Call{{ID: "s", Tool: "search_corpus", Arguments: `{"query": "winnow"}`}}}
	silent := policytest.Reply{Text: "Hello! How can I help?"}
	for _, c := range []struct {
		name, policy string
		server       *policytest.Server
		want         map[string]string // what a finding says, in part
	}{
		{"chat", "chat", &policytest.Server{Context: 40_000, Script: []policytest.Reply{call}}, map[string]string{
			"policy": "chat, of the kind chat, profile winnow", "server": "it answers and serves test", "model": "test is served",
			"context": "40000 tokens, enough", "call": "were answered with", "tool calling": "it called search_corpus"}},
		{"harmony", "harmony", &policytest.Server{Context: 40_000, Script: []policytest.Reply{call}}, map[string]string{
			"policy": "profile context-1", "server": "test", "model": "test", "context": "40000", "call": "answered", "tool calling": "it called", "token ids": "as token ids"}},
		{"harmony without ids", "harmony", &policytest.Server{Textual: true, Script: []policytest.Reply{call}}, map[string]string{
			"policy": "", "server": "", "model": "", "context": "does not say", "call": "", "tool calling": "", "token ids": "prompts go to it as text"}},
		{"anthropic", "anthropic", &policytest.Server{Script: []policytest.Reply{call}}, map[string]string{
			"policy": "", "server": "", "model": "", "context": "does not say", "call": "", "tool calling": "it called search_corpus"}},
		{"another model", "chat", &policytest.Server{Model: "other"}, map[string]string{
			"policy": "", "server": "serves other", "model": `✗ the server at ADDRESS has no model "test" → other`}},
		{"a small context", "chat", &policytest.Server{Context: 4096}, map[string]string{
			"policy": "", "server": "", "context": "✗ the context of test at ADDRESS is 4096 tokens, and the budget is 32768 → a context of at least 32768"}},
		{"a wrong key", "harmony", &policytest.Server{Key: "other"}, map[string]string{
			"policy": "", "server": "✗ the server at ADDRESS does not accept the key"}},
		{"no tools", "chat", &policytest.Server{Toolless: true}, map[string]string{
			"policy": "", "server": "", "model": "", "context": "", "call": "✗ test can't call tools as it is served at ADDRESS"}},
		{"a model that does not call", "chat", &policytest.Server{Script: []policytest.Reply{silent}}, map[string]string{
			"policy": "", "server": "", "model": "", "context": "", "call": "", "tool calling": "✗ test was asked to call a tool and did not → a model that calls tools"}},
		{"a prompt that is cut", "chat", &policytest.Server{Script: []policytest.Reply{{Text: "x", Prompt: 4096}}}, map[string]string{
			"policy": "", "server": "", "model": "", "context": "does not say", "call": "✗ the server read 4096 tokens of a prompt of about"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			stageModels(t)
			address := policytest.Start(t, c.server)
			fails := false
			for _, says := range c.want {
				fails = fails || strings.HasPrefix(says, "✗")
			}
			code := exitOK
			if fails {
				code = exitFail
			}
			got := examined(t, code, "--policy", c.policy, "--model", "test", "--base-url", address)
			for what, says := range c.want {
				if found, ok := got[what]; !ok || !strings.Contains(strings.ReplaceAll(found, address, "ADDRESS"), says) {
					t.Errorf("%s: %q, not %q", what, found, says)
				}
				delete(got, what)
			}
			if len(got) > 0 {
				t.Errorf("it also finds %v", got)
			}
		})
	}
}

func TestDoctorLooksAtWhatIsHere(t *testing.T) {
	stageModels(t)
	must(t, "query", "--in", "notes", "apples")
	write(t, filepath.Join(os.Getenv("WINNOW_HOME"), "winnow.yaml"), `
policies:
  ctx1: {policy: harmony, model: context-1, base_url: "http://localhost:8000/v1"}
  gate: {policy: chat, model: large, key_env: WINNOW_TEST_NO_KEY}
`)
	got := examined(t, exitFail)
	for what, says := range map[string]string{
		"home":          os.Getenv("WINNOW_HOME"),
		"configuration": "winnow.yaml",
		"collections":   "1, with 2 documents in 2 chunks",
		"policy ctx1":   "harmony with context-1; winnow doctor --policy ctx1 asks it",
		"policy gate":   "✗ the environment variable WINNOW_TEST_NO_KEY holds no key → export WINNOW_TEST_NO_KEY=…",
		"embedder":      "off",
	} {
		if !strings.Contains(got[what], says) {
			t.Errorf("%s: %q, not %q", what, got[what], says)
		}
	}
	t.Setenv("WINNOW_TEST_NO_KEY", "k")
	t.Setenv("WINNOW_EMBEDDER", "builtin")
	if got := examined(t, exitOK); !strings.Contains(got["embedder"], " kernels on ") {
		t.Errorf("the embedder: %q", got["embedder"])
	}
	if out := must(t, "doctor"); !strings.Contains(out, "✓ collections: 1, with 2 documents") {
		t.Errorf("it prints\n%s", out)
	}
}
