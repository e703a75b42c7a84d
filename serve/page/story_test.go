package page_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/policytest"
	"github.com/winnow-search/winnow/policy/scripted"
)

// question is answered by a chain of three notes: the incident names the service,
// and the service's page names the team.
const question = "Who leads the team behind the service whose outage delayed the Lisbon migration?"

// model plays a model that takes a step only when it is let: what the page shows
// before that, it shows live.
type model struct {
	script []func(seen handles) policytest.Reply
	steps  chan struct{} // nil where nobody has to let it

	mu     sync.Mutex
	server policytest.Server
}

// handles are those of the chunks that the model has been shown, by what stands
// behind them in their headers.
type handles map[string]string

func (h handles) of(parts ...string) (out []string) {
	for _, part := range parts {
		for where, handle := range h {
			if strings.Contains(where, part) {
				out = append(out, handle)
			}
		}
	}
	return out
}

var header = regexp.MustCompile(`(?m)^\[(c\d+)\] (.*) \(\d+ tokens\)$`)

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.Method == http.MethodPost {
		var request struct {
			Messages []struct{ Role, Content string }
		}
		json.Unmarshal(body, &request) // the server behind refuses what is wrong
		seen, turn := handles{}, 0
		for _, message := range request.Messages {
			if message.Role == "assistant" {
				turn++
			}
			for _, found := range header.FindAllStringSubmatch(message.Content, -1) {
				seen[found[2]] = found[1]
			}
		}
		if m.steps != nil {
			select {
			case <-m.steps:
			case <-r.Context().Done():
				return
			}
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.server.Script = append(m.server.Script, m.script[min(turn, len(m.script)-1)](seen))
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	m.server.ServeHTTP(w, r)
}

// step lets the model take its next step.
func (m *model) step() { m.steps <- struct{}{} }

// detective finds the chain: two searches side by side, a prune, links, a read.
func detective() []func(handles) policytest.Reply {
	return []func(handles) policytest.Reply{
		func(handles) policytest.Reply {
			return policytest.Reply{Reasoning: "Three facts: which outage delayed the Lisbon migration, which service that was, and who leads the team behind it. The first can be searched for at once.",
				Calls: []winnow.Call{scripted.Search("incident whose outage delayed the Lisbon migration"), scripted.Search("team that owns the service behind an outage")}}
		},
		func(seen handles) policytest.Reply {
			return policytest.Reply{Reasoning: "Incident 2041 delayed it. Mail, maps and hiring do not help.",
				Calls: []winnow.Call{
					scripted.Call("prune_chunks", map[string]any{"chunk_ids": seen.of("2012-mail", "2055-map", "hiring", "antwerp", "bergen", "cork", "graz", "turku", "avocet", "bittern", "dunlin", "teal")}),
					scripted.Call("follow_links", map[string]any{"chunk_ids": seen.of("2041", "ledger-gateway"), "question": "who looks after the service that failed"}),
				}}
		},
		func(seen handles) policytest.Reply {
			return policytest.Reply{Reasoning: "The Ledger Gateway failed, and Heron built it.",
				Calls: []winnow.Call{scripted.Call("follow_links", map[string]any{"chunk_ids": seen.of("heron"), "question": "who leads the team that built it"}), scripted.Call("grep_corpus", map[string]any{"pattern": `[Ll]ed by`})}}
		},
		func(seen handles) policytest.Reply {
			choose := func(name, why string) string {
				found := seen.of(name)
				if len(found) == 0 {
					return ""
				}
				return "<Document id=" + found[0] + "><Justification>" + why + "</Justification></Document>\n"
			}
			return policytest.Reply{Text: choose("teams/heron", "Heron is led by Mirre Okafor.") +
				choose("ledger-gateway", "The Ledger Gateway was built by Heron, who carry its pager.") +
				choose("2041", "The outage of the Ledger Gateway put the Lisbon migration off by three weeks.")}
		},
	}
}

// notes is the folder of notes with enough others around them that say "team",
// "outage" and "migration" more loudly: only the links lead to the answer.
func notes(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "notes")
	if err := os.CopyFS(dir, os.DirFS("testdata/notes")); err != nil {
		t.Fatal(err)
	}
	write := func(name, format string, args ...any) {
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, format, args...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, city := range []string{"Antwerp", "Bergen", "Cork", "Dresden", "Esbjerg", "Ghent", "Graz", "Izmir", "Košice", "Łódź", "Malmö", "Turku"} {
		write(fmt.Sprintf("plans/%s.md", strings.ToLower(city)), "# The %s migration\n\nThe migration of the %s data centre was delayed by %d days. The uplink was late.\n", city, city, i+2)
	}
	for bird, service := range map[string]string{
		"Avocet": "returns", "Bittern": "warehouse", "Curlew": "coupons", "Dunlin": "gift cards", "Egret": "tax", "Godwit": "invoices",
		"Knot": "login", "Ruff": "loyalty", "Sanderling": "stock", "Teal": "delivery", "Twite": "photos", "Wigeon": "reviews",
	} {
		write(fmt.Sprintf("teams/%s.md", strings.ToLower(bird)), "# %s\n\nThe team that owns the service behind %s. An outage of it is told to all other teams first.\n", bird, service)
	}
	return dir
}

// program is the winnow command, built once.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "winnow-page")
	if err != nil {
		return "", err
	}
	built = dir
	path := filepath.Join(dir, "winnow")
	out, err := exec.Command("go", "build", "-o", path, "github.com/winnow-search/winnow/cmd/winnow").CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return path, err
})

var built string // the folder of it, if a test needed one

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}

// serving is a winnow serve that runs.
type serving struct {
	t    testing.TB
	home string
	url  string
	args []string // of the model
}

// serve starts winnow serve with a model and folders to search.
func serve(t testing.TB, m *model, args ...string) *serving {
	t.Helper()
	models := httptest.NewServer(m)
	t.Cleanup(func() {
		models.CloseClientConnections() // a model that nobody lets go on waits
		models.Close()
	})
	s := &serving{t: t, home: t.TempDir(), args: []string{"--policy", "chat", "--model", "test", "--base-url", models.URL + "/v1", "--no-dense"}}
	s.start(append(s.args, args...)...)
	return s
}

// start starts the server and waits until the folders are indexed.
func (s *serving) start(args ...string) {
	t := s.t
	t.Helper()
	cmd := s.command(append([]string{"serve", "--json", "--addr", "127.0.0.1:0"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatalf("winnow serve said nothing: %v", err)
	}
	var said struct{ Addr, Link string }
	if err := json.Unmarshal(line, &said); err != nil {
		t.Fatalf("winnow serve said %q", line)
	}
	s.url = strings.TrimSuffix(said.Link, "/")
	ready := "http://" + said.Addr + "/readyz"
	for status := 0; status != http.StatusOK; {
		resp, err := http.Get(ready)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		status = resp.StatusCode
	}
}

// command is winnow with the state of the server.
func (s *serving) command(args ...string) *exec.Cmd {
	s.t.Helper()
	path, err := program()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "WINNOW_HOME="+s.home, "HOME="+s.home, "NO_COLOR=1")
	cmd.Stderr = s.t.Output()
	return cmd
}
