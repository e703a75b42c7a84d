package open

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/corpus/chroma/chromatest"
)

// errand is a policy that searches for one thing after the other, and does
// something before each.
type errand struct {
	searches []string
	before   func(turn int)
}

func (errand) Name() string { return "errand" }
func (e errand) Next(_ context.Context, v *winnow.View) (winnow.Action, error) {
	if e.before != nil {
		e.before(v.Turn)
	}
	if v.Turn <= len(e.searches) {
		arguments, err := json.Marshal(map[string]string{"query": e.searches[v.Turn-1]})
		return winnow.Action{Calls: []winnow.Call{{Tool: "search_corpus", Arguments: string(arguments)}}}, err
	}
	answer := &winnow.Answer{}
	v.Chunks(func(p *winnow.Part) { answer.Selected = append(answer.Selected, winnow.Choice{ID: p.Name()}) })
	return winnow.Action{Answer: answer}, nil
}

// ask runs an errand to its end.
func ask(t *testing.T, o *Opened, p errand) *winnow.End {
	t.Helper()
	trajectory, err := agent.Do(t.Context(), agent.Options{Question: "who owns the orchard?", Corpus: o.Corpus, Policy: p, Collections: o.Collections})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range trajectory.Events {
		if e.Observation == nil {
			continue
		}
		for _, r := range e.Observation.Results {
			if r.Code != "" {
				t.Errorf("turn %d: a call fails with %s", e.Turn, r.Code)
			}
		}
	}
	return trajectory.End()
}

// node is a real server that a test may kill.
type node struct {
	t    *testing.T
	bin  string
	dir  string
	port string
	cmd  *exec.Cmd
}

func startNode(t *testing.T) *node {
	t.Helper()
	bin := os.Getenv("WINNOW_TEST_CHROMA_BIN")
	if bin == "" {
		const why = "no Chroma server to kill: set WINNOW_TEST_CHROMA_BIN to the chroma program, or run .ci/chroma go test ./open"
		if os.Getenv("WINNOW_E2E") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	n := &node{t: t, bin: bin, dir: t.TempDir(), port: port}
	n.start()
	t.Cleanup(n.kill)
	return n
}

func (n *node) address() string { return "chroma://127.0.0.1:" + n.port + "/fruits" }

// start returns when the server answers.
func (n *node) start() {
	n.t.Helper()
	n.cmd = exec.Command(n.bin, "run", "--path", n.dir, "--host", "127.0.0.1", "--port", n.port)
	if err := n.cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(n.t.Context(), 30*time.Second)
	defer cancel()
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		resp, err := http.Get("http://127.0.0.1:" + n.port + "/api/v2/heartbeat")
		if err == nil {
			resp.Body.Close()
			tick.Stop()
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			n.t.Fatal("Chroma does not start")
		}
	}
}

func (n *node) kill() {
	n.cmd.Process.Signal(syscall.SIGKILL)
	n.cmd.Wait()
}

func TestAServerKilledInTheMiddleOfARunCostsTheRunNothing(t *testing.T) {
	n := startNode(t)
	h, dir := fruits(t)
	if _, err := h.IndexChroma(t.Context(), n.address(), []string{dir}, &Config{}, nil); err != nil {
		t.Fatal(err)
	}
	open := func() *Opened {
		t.Helper()
		o, err := h.Open(t.Context(), Where{Collections: []string{n.address()}}, chromaOptions(dir, Settings{}))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	o := open()
	end := ask(t, o, errand{searches: []string{"orchard", "Ada Winter", "apples"}, before: func(turn int) {
		switch turn {
		case 2:
			n.kill()
		case 3:
			n.start()
		}
	}})
	o.Close()
	if end.Ended != winnow.Concluded || end.Forced || len(end.Ranking.Selected()) != 3 {
		t.Errorf("it ended %s with %+v", end.Ended, end.Ranking)
	}
	if !slices.ContainsFunc(end.Warnings, func(w string) bool { return strings.Contains(w, "companion") }) {
		t.Errorf("the warnings are %q", end.Warnings)
	}
	again := open()
	defer again.Close()
	if end := ask(t, again, errand{searches: []string{"orchard"}}); end.Ended != winnow.Concluded || len(end.Warnings)+len(again.Warnings) != 0 {
		t.Errorf("the next question ended %s, warnings %q %q", end.Ended, end.Warnings, again.Warnings)
	}
}

func TestManyRolloutsAtOnceLeaveNoConnectionBehind(t *testing.T) {
	for name, cloud := range map[string]bool{"companion": false, "server": true} {
		t.Run(name, func(t *testing.T) { manyRollouts(t, cloud) })
	}
}

func manyRollouts(t *testing.T, cloud bool) {
	h, dir := fruits(t)
	var mu sync.Mutex
	connections := map[string]bool{}
	s := chromatest.Start(t, chromatest.Options{Cloud: cloud, Before: func(_ http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		connections[r.RemoteAddr] = true
		return false
	}})
	address := s.URL + "/fruits"
	if _, err := h.IndexChroma(t.Context(), address, []string{dir}, &Config{}, nil); err != nil {
		t.Fatal(err)
	}
	o, err := h.Open(t.Context(), Where{Collections: []string{address}}, chromaOptions(dir, Settings{}))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			end := ask(t, o, errand{searches: []string{"orchard", fmt.Sprintf("apples %d", i), "Ada Winter", "mill"}})
			if end.Ended != winnow.Concluded || len(end.Warnings) != 0 || len(end.Ranking) == 0 {
				t.Errorf("rollout %d ended %s, warnings %q", i, end.Ended, end.Warnings)
			}
		})
	}
	wg.Wait()
	o.Close()
	if len(connections) > 24 { // those of writing, those of searching
		t.Errorf("%d connections for 32 rollouts", len(connections))
	}
	for deadline := time.After(10 * time.Second); s.Connections() > 0; {
		select {
		case <-deadline:
			t.Fatalf("%d connections are left open", s.Connections())
		default:
			runtime.Gosched()
		}
	}
}

// Whatever a server does in the middle of a run, in either mode: the run ends
// with what it has found, and the next question works.
func TestARunOutlastsAServerThatFails(t *testing.T) {
	faults := map[string]func(http.ResponseWriter, *http.Request){
		"429":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
		"500":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"413":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestEntityTooLarge) },
		"reset": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"delayed": func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // or it would not be seen that the client has left
			<-r.Context().Done()
		},
	}
	for mode, cloud := range map[string]bool{"companion": false, "server": true} {
		for name, fault := range faults {
			t.Run(mode+"/"+name, func(t *testing.T) {
				t.Parallel()
				h, dir := fruits(t)
				var ill atomic.Bool
				s := chromatest.Start(t, chromatest.Options{Cloud: cloud, Before: func(w http.ResponseWriter, r *http.Request) bool {
					if !ill.Load() {
						return false
					}
					fault(w, r)
					return true
				}})
				address := s.URL + "/fruits"
				if _, err := h.IndexChroma(t.Context(), address, []string{dir}, &Config{}, nil); err != nil {
					t.Fatal(err)
				}
				settings := Settings{Chroma: ChromaSettings{Timeout: 100 * time.Millisecond}}
				run := func(p errand) (end *winnow.End, refused []winnow.Code) {
					o, err := h.Open(t.Context(), Where{Collections: []string{address}}, chromaOptions(dir, settings))
					if err != nil {
						t.Fatal(err)
					}
					defer o.Close()
					trajectory, err := agent.Do(t.Context(), agent.Options{Question: "who owns the orchard?", Corpus: o.Corpus, Policy: p, Collections: o.Collections})
					if err != nil {
						t.Fatal(err)
					}
					for _, e := range trajectory.Events {
						if e.Observation != nil && e.Observation.Results[0].Code != "" {
							refused = append(refused, e.Observation.Results[0].Code)
						}
					}
					return trajectory.End(), refused
				}
				end, refused := run(errand{searches: []string{"orchard", "Ada Winter"}, before: func(turn int) { ill.Store(turn == 2) }})
				if end.Ended != winnow.Concluded || len(end.Ranking.Selected()) == 0 {
					t.Errorf("it ended %s with %+v", end.Ended, end.Ranking)
				}
				// A companion answers in the server's place and says so; without one the
				// policy is told that this search failed.
				if told := len(end.Warnings) > 0; told == cloud || (len(refused) == 1) != cloud {
					t.Errorf("the warnings are %q, what is refused %q", end.Warnings, refused)
				}
				if end, refused := run(errand{searches: []string{"orchard"}}); end.Ended != winnow.Concluded || len(end.Warnings)+len(refused) != 0 || len(end.Ranking.Selected()) == 0 {
					t.Errorf("the next question ended %s with %+v, warnings %q", end.Ended, end.Ranking, end.Warnings)
				}
			})
		}
	}
}

// asking is set for a process that another started to ask a collection: its
// address, and the file for the answer.
const asking = "WINNOW_TEST_ASKING"

func TestTwoProcessesOverOneCollectionGiveTheSameAnswers(t *testing.T) {
	h, dir := fruits(t)
	if address, file, ok := strings.Cut(os.Getenv(asking), " "); ok {
		o, err := h.Open(t.Context(), Where{Collections: []string{address}}, chromaOptions(dir, Settings{}))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		end := ask(t, o, errand{searches: []string{"orchard", "Ada Winter", "apples behind the mill"}})
		data, err := json.Marshal(map[string]any{"ranking": end.Ranking, "warnings": append(end.Warnings, o.Warnings...)})
		if err != nil {
			t.Fatal(err)
		}
		write(t, file, string(data))
		return
	}
	for mode, cloud := range map[string]bool{"companion": false, "server": true} {
		address := chromatest.Start(t, chromatest.Options{Cloud: cloud}).URL + "/fruits"
		if _, err := h.IndexChroma(t.Context(), address, []string{dir}, &Config{}, nil); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var answers [2][]byte
		for i := range answers {
			file := filepath.Join(t.TempDir(), "answer")
			wg.Go(func() {
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
				cmd.Env = append(os.Environ(), asking+"="+address+" "+file)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: process %d: %v: %s", mode, i, err, out)
				}
				answers[i], _ = os.ReadFile(file)
			})
		}
		wg.Wait()
		if !bytes.Contains(answers[0], []byte("orchard.md")) || !bytes.Equal(answers[0], answers[1]) {
			t.Errorf("%s: one answers %s\nthe other %s", mode, answers[0], answers[1])
		}
	}
}
