package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// try runs a command and returns what it printed.
func try(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = Run(t.Context(), args, strings.NewReader(""), &out, &err)
	return out.String(), err.String(), code
}

// must runs a command that has to work, and returns its standard output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, code := try(t, args...)
	if code != 0 {
		t.Fatalf("winnow %s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

func TestEveryCommandHasHelpWithExamples(t *testing.T) {
	stage(t)
	for _, cmd := range (&cli{}).root().Commands() {
		stdout, _, code := try(t, cmd.Name(), "--help")
		if code != 0 || !strings.Contains(stdout, "Usage:") {
			t.Errorf("winnow %s --help: exit code %d\n%s", cmd.Name(), code, stdout)
		}
		if cmd.Example == "" && cmd.Name() != "version" && cmd.Name() != "config" {
			t.Errorf("winnow %s has no example", cmd.Name())
		}
	}
}

func TestCompletionKnowsTheCollections(t *testing.T) {
	stage(t)
	write(t, "a.md", "# Apples\n")
	must(t, "index", "--collection", "fruit", ".")
	for _, args := range [][]string{{"query", "--collection", ""}, {"rm", ""}} {
		if out := must(t, append([]string{"__complete"}, args...)...); !strings.Contains(out, "fruit\n") {
			t.Errorf("completing %q offers %q", args, out)
		}
	}
	if out := must(t, "completion", "bash"); !strings.Contains(out, "winnow") {
		t.Error("there is no completion for bash")
	}
}

func TestAnInterruptIsOneSentence(t *testing.T) {
	stage(t)
	write(t, "a.md", "# Apples\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	code := Run(ctx, []string{"query", "apples"}, nil, &stdout, &stderr)
	if code != exitFail || stderr.String() != "Error: interrupted; what was committed stays\n" || stdout.Len() > 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
	}
}

func TestTheRootAndTheHomeFolderWantToBeNamed(t *testing.T) {
	dir := stage(t)
	write(t, "a.md", "# Apples\n")
	t.Setenv("HOME", dir)
	_, stderr, code := try(t, "query", "apples")
	if code != exitUsage || !strings.Contains(stderr, "home folder") || !strings.Contains(stderr, "Try: --in .") {
		t.Errorf("in the home folder: exit code %d, %s", code, stderr)
	}
	if out := must(t, "query", "--in", ".", "--format", "paths", "apples"); out != "a.md\n" {
		t.Errorf("asked for, it prints %q", out)
	}
	t.Chdir("/")
	_, stderr, code = try(t, "query", "apples")
	if code != exitUsage || !strings.Contains(stderr, "root of the disk") {
		t.Errorf("in /: exit code %d, %s", code, stderr)
	}
}

func TestTheStateStaysOutOfTheFolder(t *testing.T) {
	dir := stage(t)
	write(t, "a.md", "# Apples\n")
	must(t, "query", "apples")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("the folder holds %v", entries)
	}
}

func TestEveryFieldOfAnEntryIsThere(t *testing.T) {
	stage(t)
	write(t, "a.txt", "plain\n")
	var answer struct {
		Hits []map[string]any `json:"hits"`
	}
	if err := json.Unmarshal([]byte(must(t, "query", "--json", "plain")), &answer); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"rank", "collection", "document", "chunk", "path", "lines", "page", "heading", "title", "text", "score", "metadata"} {
		if _, ok := answer.Hits[0][field]; !ok {
			t.Errorf("a hit has no %s", field)
		}
	}
}

func TestQuietSaysOnlyWhatWasAskedFor(t *testing.T) {
	stage(t)
	write(t, "a.md", "# Apples\n")
	_, stderr, code := try(t, "query", "--quiet", "--embedder", "off", "zeppelin")
	if code != exitFail || stderr != "" {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

func TestAnIndexFromAFutureVersionIsRefusedByName(t *testing.T) {
	stage(t)
	write(t, "notes/a.md", "# Apples\n")
	must(t, "index", "--collection", "fruit", "notes")
	manifest := glob(t, "collections/fruit/index-*/manifest.json")
	data, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	write(t, manifest, strings.Replace(string(data), `"format": `, `"format": 9`, 1))
	_, stderr, code := try(t, "query", "--collection", "fruit", "apples")
	if code != exitFail || !strings.Contains(stderr, "format 9") || !strings.Contains(stderr, "Try: ") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if out, _, code := try(t, "ls"); code != exitFail || !strings.Contains(out, "broken") {
		t.Errorf("ls: exit code %d\n%s", code, out)
	}
}

func TestCheckFindsAFlippedByte(t *testing.T) {
	stage(t)
	write(t, "notes/a.md", "# Apples\n\n"+strings.Repeat("Apples are red. ", 400))
	must(t, "index", "notes")
	segment := glob(t, "folders/notes-*/index-*/segment-*")
	data, err := os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	write(t, segment, string(data))
	if out, stderr, code := try(t, "ls", "--check", "notes"); code != exitFail || !strings.Contains(out, "broken") {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
	must(t, "index", "--rebuild", "notes")
	must(t, "ls", "--check", "notes")
}

// glob returns the one file below the state that matches.
func glob(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(os.Getenv("WINNOW_HOME"), pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s matches %v (%v)", pattern, found, err)
	}
	return found[0]
}

func TestReadFindsHeadingsLinesAndChunks(t *testing.T) {
	stage(t)
	section := func(name string) string {
		return "## " + name + "\n\n" + strings.Repeat("All about "+name+", at length and with patience.\n", 40) + "\n"
	}
	write(t, "docs/guide.md", "# Guide\n\n"+section("Installing")+section("Using")+section("Removing"))
	for _, args := range [][]string{
		{"--heading", "using", "guide.md"},
		{"guide.md:60"},
		{"docs/guide.md:60"},
		{"guide.md_1"},
	} {
		out := must(t, append([]string{"read", "--in", "docs"}, args...)...)
		if !strings.Contains(out, "All about Using") || strings.Contains(out, "All about Installing") {
			t.Errorf("read %v prints\n%s", args, out)
		}
	}
	var answer struct {
		Chunks []struct{ Chunk string } `json:"chunks"`
		Lines  [2]int                   `json:"lines"`
	}
	if err := json.Unmarshal([]byte(must(t, "read", "--in", "docs", "--json", "guide.md")), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Chunks) < 3 || answer.Chunks[1].Chunk != "guide.md_1" || answer.Lines[0] != 1 || answer.Lines[1] < 120 {
		t.Errorf("read --json gives %+v", answer)
	}
	limited := must(t, "read", "--in", "docs", "--max-tokens", "600", "guide.md")
	if whole := must(t, "read", "--in", "docs", "guide.md"); !strings.HasPrefix(whole, limited) || len(limited) == len(whole) {
		t.Error("--max-tokens does not print the beginning of the document")
	}
}
