package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the commands print into the transcripts")

// A transcript is a story told in commands:
//
//	-- notes/a.md --          a file of the folder that the story plays in
//	% a remark
//	$ winnow query commit     a command; also $ rm, $ mkdir, $ cd and $ set NAME=VALUE
//	what it prints
//	! what it prints on stderr
//	? 1                       its exit code, if that is not 0
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			path, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(want))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			sameLines(t, string(want), got)
		})
	}
}

// sameLines reports the first line that differs, with what stands before it.
func sameLines(t *testing.T, want, got string) {
	t.Helper()
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		wanted, is := "(the end)", "(the end)"
		if i < len(w) {
			wanted = w[i]
		}
		if i < len(g) {
			is = g[i]
		}
		if wanted != is {
			t.Fatalf("line %d\nwant: %s\ngot:  %s\n\nafter:\n%s", i+1, wanted, is, strings.Join(g[max(0, i-8):min(i, len(g))], "\n"))
		}
	}
}

// stage makes an empty folder the current one, with a state of its own.
func stage(t *testing.T) (dir string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(root, "here")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("WINNOW_HOME", filepath.Join(root, "home"))
	t.Setenv("HOME", filepath.Join(root, "user"))
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("NO_COLOR", "")
	t.Setenv("WINNOW_LANGUAGE", "")
	for _, name := range []string{"WINNOW_COLLECTIONS", "WINNOW_POLICY", "WINNOW_MODEL", "WINNOW_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"} {
		t.Setenv(name, "")
	}
	return dir
}

func play(t *testing.T, transcript string) string {
	dir := stage(t)
	var out strings.Builder
	var file *bytes.Buffer // that the lines belong to
	name := ""
	finish := func() {
		if file != nil {
			write(t, name, file.String())
			file = nil
		}
	}
	skipping := false // what a command printed the last time
	for line := range strings.Lines(transcript) {
		text := strings.TrimSuffix(line, "\n")
		command, isCommand := strings.CutPrefix(text, "$ ")
		isFile := strings.HasPrefix(text, "-- ") && strings.HasSuffix(text, " --")
		switch {
		case isFile:
			finish()
			skipping = false
			name, file = strings.TrimSuffix(strings.TrimPrefix(text, "-- "), " --"), &bytes.Buffer{}
		case isCommand:
			finish()
			skipping = true
			out.WriteString(line + perform(t, dir, command))
			continue
		case file != nil:
			file.WriteString(line)
		case strings.HasPrefix(text, "% "):
			skipping = false
			if out.Len() > 0 {
				out.WriteString("\n")
			}
		case skipping:
			continue
		}
		out.WriteString(line)
	}
	return out.String()
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func perform(t *testing.T, dir, command string) string {
	t.Helper()
	args := fields(command)
	switch args[0] {
	case "winnow":
		return printed(t, dir, args[1:])
	case "rm":
		if err := os.RemoveAll(args[1]); err != nil {
			t.Fatal(err)
		}
	case "mkdir":
		if err := os.MkdirAll(args[1], 0o755); err != nil {
			t.Fatal(err)
		}
	case "cd":
		t.Chdir(filepath.Join(dir, args[1]))
	case "set":
		name, value, _ := strings.Cut(args[1], "=")
		t.Setenv(name, value)
	default:
		t.Fatalf("a transcript can't %s", args[0])
	}
	return ""
}

func printed(t *testing.T, dir string, args []string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	var b strings.Builder
	b.WriteString(stdout.String())
	for line := range strings.Lines(stderr.String()) {
		b.WriteString("! " + line)
	}
	if code != 0 {
		fmt.Fprintf(&b, "? %d\n", code)
	}
	return normal(dir, b.String())
}

// normal replaces what differs from one time and machine to the next.
func normal(dir, text string) string {
	text = strings.ReplaceAll(text, dir, "$HERE")
	text = strings.ReplaceAll(text, filepath.Join(filepath.Dir(dir), "home"), "$HOME")
	for _, r := range unstable {
		text = r.pattern.ReplaceAllString(text, r.with)
	}
	return text
}

var unstable = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\b\d{8}-\d{6}\.\d{3}-[0-9a-f]{6}\b`), "RUN"},
	{regexp.MustCompile(`\b\d+(\.\d)? m?s\b`), "0 ms"},
	{regexp.MustCompile(`("(?:index_)?seconds"|"latency_ms_p\d\d"):[\d.e-]+`), "$1:0"},
	{regexp.MustCompile(`"\d{4}-\d\d-\d\dT[\d:.]+Z"`), `"TIME"`},
	{regexp.MustCompile(`("disk_bytes"|"format"):\d+`), "$1:0"},
	{regexp.MustCompile(`\d+\.\d KiB( +)just now`), "0.0 KiB${1}just now"},
	{regexp.MustCompile(`(\d+\.\d\d\d)\d+`), "$1"}, // the last digits differ between architectures
	{regexp.MustCompile(`(\S)   +`), "$1  "},       // columns are as wide as the paths in them
}

// fields splits a command at spaces, outside of quotes.
func fields(command string) (args []string) {
	var arg strings.Builder
	quote, open := rune(0), false
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			arg.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case r == ' ':
			if open {
				args = append(args, arg.String())
				arg.Reset()
				open = false
			}
		default:
			arg.WriteRune(r)
			open = true
		}
	}
	if open {
		args = append(args, arg.String())
	}
	return args
}
