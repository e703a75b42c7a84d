package main

import (
	"os"
	"strings"
	"testing"
)

// The commands in the documentation are ones that can be typed.
func TestDocumentedCommandsParse(t *testing.T) {
	for _, file := range []string{"../../README.md", "../../docs/cli.md", "../../docs/configuration.md", "../../docs/models.md", "../../docs/evaluation.md", "../../docs/head-to-head.md", "../../docs/reproduce.md", "../../docs/serve.md", "../../docs/mcp.md", "../../docs/chroma.md", "../../docs/builtin-policy.md", "../../docs/page.md", "../../integrations/skills/winnow/SKILL.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		inside := false
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "```") {
				inside = strings.TrimSpace(line) == "```sh"
				continue
			}
			command, _, _ := strings.Cut(strings.TrimSpace(line), " | ")
			command, _, _ = strings.Cut(command, "  #")
			command = strings.Replace(command, "go run ./cmd/winnow", "winnow", 1)
			if args, ok := strings.CutPrefix(command, "winnow "); ok && inside {
				parse(t, file, fields(args))
			}
		}
	}
	for _, cmd := range (&cli{}).root().Commands() {
		for line := range strings.Lines(cmd.Example) {
			command, _, _ := strings.Cut(strings.TrimSpace(line), " | ")
			if args, ok := strings.CutPrefix(command, "winnow "); ok { // others show what stands around it
				parse(t, cmd.Name()+" --help", fields(args))
			}
		}
	}
}

func parse(t *testing.T, where string, args []string) {
	t.Helper()
	cmd, rest, err := (&cli{}).root().Find(args)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	if err != nil || !cmd.HasParent() {
		t.Errorf("%s: winnow %s: %v", where, strings.Join(args, " "), err)
	}
}
