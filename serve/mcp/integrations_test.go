package mcp_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// frontMatter is what stands between the first two lines of dashes.
func frontMatter(t *testing.T, path string) (fields map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.SplitN(string(text), "---\n", 3)
	if len(parts) != 3 || parts[0] != "" {
		t.Fatalf("%s has no front matter", path)
	}
	if err := yaml.Unmarshal([]byte(parts[1]), &fields); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return fields
}

func TestTheFilesForAssistantsAreValid(t *testing.T) {
	for path, name := range map[string]string{
		"../../integrations/skills/winnow/SKILL.md":  "winnow",
		"../../integrations/agents/winnow-search.md": "winnow-search",
	} {
		f := frontMatter(t, path)
		if f["name"] != name || !regexp.MustCompile(`^[a-z0-9-]{1,64}$`).MatchString(name) || len(f["description"]) < 50 || len(f["description"]) > 1024 {
			t.Errorf("%s is called %q: %q", path, f["name"], f["description"])
		}
	}
}

func TestTheSubagentMayUseEveryTool(t *testing.T) {
	s, _ := inMemory(t, opened(t, once()))
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, tool := range list.Tools {
		want = append(want, "mcp__winnow__"+tool.Name)
	}
	got := strings.Split(frontMatter(t, "../../integrations/agents/winnow-search.md")["tools"], ", ")
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("it may use %q, and there are %q", got, want)
	}
}
