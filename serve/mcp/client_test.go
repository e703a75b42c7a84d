package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/mcp"
)

// binary builds the command.
func binary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "winnow")
	if out, err := exec.Command("go", "build", "-o", path, "github.com/winnow-search/winnow/cmd/winnow").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// run runs a client and returns what it printed on stdout.
func run(t *testing.T, name string, arguments ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, arguments...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.String())
	}
	return out
}

// The protocol's Python client knows nothing of our SDK.
func TestThePythonClientUnderstandsUs(t *testing.T) {
	python := os.Getenv("WINNOW_MCP_PYTHON")
	if python == "" {
		t.Skip("set WINNOW_MCP_PYTHON to a Python that has the package mcp")
	}
	d := opened(t, once())
	s, err := serve.New(serve.Options{Desk: d, MCP: mcp.Handler(mcp.New(mcp.Options{Desk: d}))})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	for _, to := range [][]string{{binary(t), "mcp", "--in", folder(t), "--policy", "query"}, {server.URL + "/mcp"}} {
		var saw struct {
			Tools      []string
			Structured answer
			Text       string
			Progress   []string
			Wrong      bool
		}
		out := run(t, python, append([]string{"testdata/client.py"}, to...)...)
		if err := json.Unmarshal(out, &saw); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if len(saw.Tools) != 5 || len(saw.Structured.Passages) == 0 || !strings.Contains(saw.Text, "born in Brno") || len(saw.Progress) < 2 || !saw.Wrong {
			t.Errorf("of %s it saw %s", to[0], out)
		}
	}
}

func TestTheInspectorUnderstandsUs(t *testing.T) {
	inspector := os.Getenv("WINNOW_MCP_INSPECTOR")
	if inspector == "" {
		t.Skip("set WINNOW_MCP_INSPECTOR to the mcp-inspector of the npm package @modelcontextprotocol/inspector")
	}
	t.Setenv("WINNOW_HOME", t.TempDir())
	// Its command line mixes up the server's flags and its own, so the server is
	// named in a file.
	config := filepath.Join(t.TempDir(), "mcp.json")
	server := fmt.Sprintf(`{"mcpServers": {"winnow": {"command": %q, "args": ["mcp", "--in", %q, "--policy", "query"], "env": {"WINNOW_HOME": %q}}}}`,
		binary(t), folder(t), os.Getenv("WINNOW_HOME"))
	if err := os.WriteFile(config, []byte(server), 0o600); err != nil {
		t.Fatal(err)
	}
	to := []string{"--cli", "--config", config, "--server", "winnow", "--method"}
	if out := run(t, inspector, append(to, "tools/list")...); !bytes.Contains(out, []byte(`"list_collections"`)) {
		t.Errorf("the tools are %s", out)
	}
	out := run(t, inspector, append(to, "tools/call", "--tool-name", "ask", "--tool-arg", "question=where was the builder of the hive born")...)
	if !bytes.Contains(out, []byte("born in Brno")) || !bytes.Contains(out, []byte(`"structuredContent"`)) {
		t.Errorf("the answer is %s", out)
	}
}
