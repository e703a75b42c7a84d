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

// overHTTP is the address of a server.
func overHTTP(t *testing.T, token string) string {
	t.Helper()
	d := opened(t, once())
	s, err := serve.New(serve.Options{Desk: d, Token: token, MCP: mcp.Handler(mcp.New(mcp.Options{Desk: d}))})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

// The protocol's Python client knows nothing of our SDK.
func TestThePythonClientUnderstandsUs(t *testing.T) {
	python := os.Getenv("WINNOW_MCP_PYTHON")
	if python == "" {
		t.Skip("set WINNOW_MCP_PYTHON to a Python that has the package mcp")
	}
	for _, to := range [][]string{{binary(t), "mcp", "--in", folder(t), "--policy", "query"}, {overHTTP(t, "")}} {
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

// key is the token of the servers that assistants are pointed at.
const key = "a-token-that-is-long"

func TestClaudeCodeConnects(t *testing.T) {
	claude := os.Getenv("WINNOW_CLAUDE")
	if claude == "" {
		t.Skip("set WINNOW_CLAUDE to the claude of the npm package @anthropic-ai/claude-code")
	}
	winnow, address := binary(t), overHTTP(t, key)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
	run(t, claude, "mcp", "add", "process", "--", winnow, "mcp", "--in", folder(t))
	run(t, claude, "mcp", "add", "--transport", "http", "server", address, "--header", "Authorization: Bearer "+key)
	if out := run(t, claude, "mcp", "list"); bytes.Count(out, []byte("Connected")) != 2 {
		t.Errorf("it says %s", out)
	}
}

func TestCodexConnects(t *testing.T) {
	codex := os.Getenv("WINNOW_CODEX")
	if codex == "" {
		t.Skip("set WINNOW_CODEX to the codex of the npm package @openai/codex")
	}
	winnow, address := binary(t), overHTTP(t, key)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("WINNOW_TOKEN", key)
	run(t, codex, "mcp", "add", "process", "--", winnow, "mcp", "--in", folder(t))
	run(t, codex, "mcp", "add", "server", "--url", address, "--bearer-token-env-var", "WINNOW_TOKEN")
	cmd := exec.CommandContext(t.Context(), codex, "app-server")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "winnow", "version": "1"}}}`)
	fmt.Fprintln(in, `{"method": "initialized"}`)
	fmt.Fprintln(in, `{"id": 2, "method": "mcpServerStatus/list", "params": {}}`)
	var reply struct {
		ID     int
		Result struct {
			Data []struct {
				Name  string
				Tools map[string]any
			}
		}
	}
	for replies := json.NewDecoder(out); reply.ID != 2; { // notices come in between
		reply.ID = 0
		if err := replies.Decode(&reply); err != nil {
			t.Fatal(err)
		}
	}
	for _, server := range reply.Result.Data {
		if len(server.Tools) != 5 {
			t.Errorf("of %s it lists the tools %v", server.Name, server.Tools)
		}
	}
	if len(reply.Result.Data) != 2 {
		t.Errorf("it lists %+v", reply.Result.Data)
	}
	in.Close()
	cmd.Wait() // it ends with its input, as a failure
}
