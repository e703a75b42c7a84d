package serve_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
)

// The requests in the documentation are ones that work, in their order.
func TestDocumentedRequestsWork(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	s := start(t, desk.Options{}, serve.Options{})
	text, err := os.ReadFile("../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".curlrc"), []byte("fail\nshow-error\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "curl ") {
			continue
		}
		n++
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, "localhost:7700", strings.TrimPrefix(s.URL, "http://")))
		cmd.Env = append(os.Environ(), "CURL_HOME="+home)
		cmd.Dir = home // which takes what is saved
		if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 && !strings.Contains(line, "DELETE") && !strings.Contains(line, " -o ") {
			t.Errorf("%s%v: %s", line, err, out)
		}
	}
	if n < 15 {
		t.Errorf("only %d requests were found", n)
	}
}

func TestEveryRouteIsDocumented(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	text, err := os.ReadFile("../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	described := fetch[struct {
		Paths map[string]map[string]any
	}](s, "GET", "/openapi.json", "")
	n := 0
	for path, methods := range described.Paths {
		for method := range methods {
			n++
			if route := "`" + strings.ToUpper(method) + " " + path + "`"; !strings.Contains(string(text), route) {
				t.Errorf("%s is not in docs/serve.md", route)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d routes are described", n)
	}
}
