package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/winnow-search/winnow/bench/corpus"
)

// server is winnow serve in a process of its own.
type server struct {
	url    string
	policy string
	dir    string
	cmd    *exec.Cmd
	client *http.Client
}

// startServer builds winnow, indexes the passages and starts the server with its
// default policy. Vectors are those of the fast tier: the others take minutes to
// compute, and the server would do that meanwhile.
func startServer(ctx context.Context, texts *corpus.Corpus, passages int) (s *server, err error) {
	dir, err := scratch("serve")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	progress("building winnow and indexing %d passages", passages)
	binary, file := filepath.Join(dir, "winnow"), filepath.Join(dir, "corpus.jsonl")
	if out, err := exec.CommandContext(ctx, "go", "build", "-C", "..", "-o", binary, "./cmd/winnow").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building winnow: %w\n%s", err, out)
	}
	if err := writeCorpus(file, texts, passages); err != nil {
		return nil, err
	}
	environment := append(os.Environ(), "WINNOW_HOME="+filepath.Join(dir, "home"), "WINNOW_EMBEDDER=static")
	index := exec.CommandContext(ctx, binary, "index", "--quiet", "--collection", "passages", file)
	index.Env = environment
	if out, err := index.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("indexing: %w\n%s", err, out)
	}
	s = &server{dir: dir, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024}}}
	s.cmd = exec.Command(binary, "serve", "--json", "--addr", "127.0.0.1:0", "--collection", "passages", "--queue", "256")
	s.cmd.Env, s.cmd.Stderr = environment, os.Stderr
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	var said struct{ Addr string }
	if err := json.NewDecoder(stdout).Decode(&said); err != nil {
		s.stop()
		return nil, fmt.Errorf("the server did not start: %w", err)
	}
	s.url = "http://" + said.Addr
	var about struct{ Policy string }
	resp, err := s.client.Get(s.url + "/v1/server")
	if err == nil {
		err = json.NewDecoder(resp.Body).Decode(&about)
		resp.Body.Close()
	}
	if s.policy = about.Policy; err != nil {
		s.stop()
	}
	return s, err
}

func (s *server) stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
	os.RemoveAll(s.dir)
}

// residentMB is the memory that the server holds, mapped files included.
func (s *server) residentMB() (mb int) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			fmt.Sscan(value, &mb)
		}
	}
	return mb >> 10
}

// asked is how long an answer took, in milliseconds.
type asked struct {
	headers float64 // until the headers and the place in the queue were there
	done    float64
}

// ask asks one question, in our own form and in Chroma's by turns, and fails
// unless every event comes, in order, and exactly one of them is the last.
func (s *server) ask(ctx context.Context, i int, question string) (a asked, err error) {
	ours := i%2 == 0
	path, body := "/search", map[string]string{"query": question}
	if ours {
		path, body = "/v1/ask", map[string]string{"question": question}
	}
	data, err := json.Marshal(body)
	if err != nil {
		return a, err
	}
	r, err := http.NewRequestWithContext(ctx, "POST", s.url+path, bytes.NewReader(data))
	if err != nil {
		return a, err
	}
	r.Header.Set("Accept", "text/event-stream")
	began := time.Now()
	since := func() float64 { return float64(time.Since(began)) / 1e6 }
	resp, err := s.client.Do(r)
	if err != nil {
		return a, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		data, _ := io.ReadAll(resp.Body)
		return a, fmt.Errorf("%s: %s", resp.Status, data)
	}
	var kinds []string
	lines := bufio.NewReaderSize(resp.Body, 64<<10)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return a, err
		}
		switch {
		case strings.HasPrefix(line, ": queued") && a.headers == 0:
			a.headers = since()
		case ours && strings.HasPrefix(line, "event: "):
			kinds = append(kinds, strings.TrimSpace(line[7:]))
		case ours && strings.HasPrefix(line, "id: "):
			if want := fmt.Sprintf("id: %d\n", len(kinds)); line != want {
				return a, fmt.Errorf("event %d has the number %q", len(kinds), line)
			}
		case !ours && strings.HasPrefix(line, `data: {"type":"`):
			kind, _, _ := strings.Cut(line[15:], `"`)
			kinds = append(kinds, kind)
		}
	}
	a.done = since()
	if a.headers == 0 {
		return a, fmt.Errorf("the place in the queue was not told")
	}
	return a, whole(kinds, ours)
}

// whole checks the order of a stream's events.
func whole(kinds []string, ours bool) error {
	all := strings.Join(kinds, " ")
	if ours {
		if !strings.HasPrefix(all, "start action") || !strings.HasSuffix(all, "action end result") || strings.Count(all, "result") != 1 {
			return fmt.Errorf("the stream is %q", all)
		}
		return nil
	}
	if !strings.HasPrefix(all, "action usage observation") || !strings.HasSuffix(all, "action usage result done") || strings.Count(all, "done") != 1 {
		return fmt.Errorf("the stream is %q", all)
	}
	return nil
}
