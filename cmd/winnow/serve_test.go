package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestServeRefusesToBeOpenToAll(t *testing.T) {
	stage(t)
	write(t, "a.md", "# Apples\n")
	for _, args := range [][]string{
		{"--addr", "0.0.0.0:0"}, {"--addr", ":0"}, {"--token-env", "WINNOW_NO_SUCH_VARIABLE"}, {"--token", "short"},
		{"--token", "a-token-that-is-long", "--token-env", "HOME"}, {"--addr", "7700"}, {"--queue", "-1"}, {"--policy", "nothing"},
		{"--where", "["}, {"--path", "a{"},
	} {
		_, stderr, code := try(t, append([]string{"serve"}, args...)...)
		if code != exitUsage || !strings.Contains(stderr, "Try:") {
			t.Errorf("serve %s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
		}
		if strings.Contains(stderr, "a-token-that-is-long") {
			t.Errorf("the token is printed: %s", stderr)
		}
	}
}

func TestServeAnswersUntilItIsStopped(t *testing.T) {
	stage(t)
	write(t, "a.md", "# Apples\n\nApples are ripe in September.\n")
	write(t, "draft.md", "# Apples\n\nApples are ripe in Octember.\n")
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- Run(ctx, []string{"serve", "--json", "--addr", "127.0.0.1:0", "--embedder", "static", "--exclude", "draft.md", "--token", "a-token-that-is-long"}, strings.NewReader(""), in, io.Discard)
		in.Close()
	}()
	var said struct{ Addr, Link string }
	if err := json.NewDecoder(out).Decode(&said); err != nil {
		t.Fatal(err)
	}
	r, _ := http.NewRequest("POST", "http://"+said.Addr+"/v1/ask", strings.NewReader(`{"question": "when are apples ripe", "policy": "query"}`))
	r.Header.Set("Authorization", "Bearer a-token-that-is-long")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if !bytes.Contains(data, []byte("September")) || bytes.Contains(data, []byte("Octember")) {
		t.Errorf("the answer is %s", data)
	}
	if strings.Contains(said.Link, "a-token-that-is-long") || !strings.Contains(said.Link, "/login?code=") {
		t.Errorf("the link is %s", said.Link)
	}
	stop()
	if c := <-code; c != exitOK {
		t.Errorf("stopped with exit code %d", c)
	}
}

// A client must get its first answer before a large folder is indexed, and
// nothing but the protocol on stdout.
func TestMCPAnswersAtOnceAndSpeaksOnlyTheProtocol(t *testing.T) {
	stage(t)
	for i := range 2000 {
		write(t, fmt.Sprintf("notes/%d.md", i), fmt.Sprintf("# Note %d\n\nApples of kind %d are ripe in September.\n", i, i))
	}
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	var stdout bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- Run(t.Context(), []string{"mcp", "--in", "notes", "--policy", "query", "--embedder", "static"}, fromClient, io.MultiWriter(&stdout, toClient), io.Discard)
		toClient.Close()
	}()
	began := time.Now()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("initialize took %v", took)
	}
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "which note is about apples of kind 1234"}})
	if err != nil || r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, "1234.md") {
		t.Errorf("the answer is %+v (%v)", r, err)
	}
	session.Close()
	if c := <-code; c != exitOK {
		t.Errorf("exit code %d", c)
	}
	lines := bufio.NewScanner(&stdout)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var message struct{ JSONRPC string }
		if json.Unmarshal(lines.Bytes(), &message) != nil || message.JSONRPC != "2.0" {
			t.Errorf("on stdout stands %q", lines.Text())
		}
	}
}
