package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/policy/query"
	"github.com/winnow-search/winnow/policy/scripted"
	"github.com/winnow-search/winnow/runs"
	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

// own is a searcher over a policy in code.
type own func() winnow.Policy

func (f own) Options(o *open.Opened) (agent.Options, error) {
	return agent.Options{Policy: f(), Corpus: o.Corpus, Collections: o.Collections}, nil
}

// deciding is a searcher that decides by a function.
func deciding(next func(context.Context, *winnow.View) (winnow.Action, error)) own {
	return func() winnow.Policy { return scripted.Func(next) }
}

// served is a server over a folder of three notes.
type served struct {
	*httptest.Server
	t      testing.TB
	desk   *desk.Desk
	server *serve.Server
	folder string
	failed []string
}

var notes = map[string]string{
	"bees.md":  "# Bees\n\nThe hive on the roof was built by Ada Novak in 2019.\n",
	"novak.md": "# Ada Novak\n\nAda Novak was born in Brno and keeps bees.\n",
	"brno.md":  "# Brno\n\nBrno is a city in Moravia. See [bees](bees.md).\n",
}

func start(t testing.TB, d desk.Options, o serve.Options) *served {
	t.Helper()
	t.Setenv("WINNOW_HOME", t.TempDir()) // also where a user's configuration is looked for
	home := open.NewHome(os.Getenv("WINNOW_HOME"))
	folder := filepath.Join(t.TempDir(), "notes")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range notes {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	config, err := open.LoadConfig(folder, map[string]string{"embedder": "static"})
	if err != nil {
		t.Fatal(err)
	}
	d.Home, d.Config, d.Dir, d.Runs = home, config, folder, runs.In(home.Dir())
	if d.Own == nil {
		d.Own = own(func() winnow.Policy { return query.Policy{} })
	}
	s := &served{t: t, folder: folder}
	if s.desk, err = desk.New(d); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.desk.Close() })
	for !s.desk.Ready() {
		runtime.Gosched()
	}
	o.Desk = s.desk
	o.Failed = func(route string, err error) { s.failed = append(s.failed, route+": "+err.Error()) }
	if s.server, err = serve.New(o); err != nil {
		t.Fatal(err)
	}
	s.Server = httptest.NewServer(s.server.Handler())
	t.Cleanup(s.Server.Close)
	return s
}

// do sends a request; headers are pairs.
func (s *served) do(method, path, body string, headers ...string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// fetch sends a request and decodes the reply.
func fetch[T any](s *served, method, path, body string, headers ...string) (v T) {
	s.t.Helper()
	resp := s.do(method, path, body, headers...)
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if resp.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %s: %s", method, path, resp.Status, data)
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &v); err != nil {
			s.t.Fatalf("%s %s: %v in %s", method, path, err, data)
		}
	}
	return v
}

// event is one of a stream; comments have only a comment.
type event struct {
	name, id, comment string
	data              json.RawMessage
}

// events reads a stream to its end, or until stop says so.
func events(t *testing.T, body io.Reader, stop func(event) bool) (list []event) {
	t.Helper()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 16<<20)
	var e event
	for lines.Scan() {
		line := lines.Text()
		key, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "":
			list = append(list, e)
			if stop != nil && stop(e) {
				return list
			}
			e = event{}
		case key == "":
			e.comment = value
		case key == "event":
			e.name = value
		case key == "id":
			e.id = value
		case key == "data":
			e.data = json.RawMessage(value)
		default:
			t.Fatalf("a line that is no event: %q", line)
		}
	}
	return list
}

const stream = "text/event-stream"

func names(list []event) string {
	var out []string
	for _, e := range list {
		if e.name != "" {
			out = append(out, e.name)
		}
	}
	return strings.Join(out, " ")
}

func TestAnAskStreamsTheTrajectoryAndEndsOnce(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	resp := s.do("POST", "/v1/ask", `{"question": "where was the builder of the hive born"}`, "Accept", stream)
	list := events(t, resp.Body, nil)
	if got := names(list); got != "start action observation action end result" {
		t.Fatalf("the stream is %q", got)
	}
	if list[0].comment != "queued 0" {
		t.Errorf("the stream begins with %+v", list[0])
	}
	for i, e := range list[1:] {
		if e.id != fmt.Sprint(i+1) {
			t.Errorf("event %d has the number %q", i+1, e.id)
		}
	}
	var answer wire.Ask
	if err := json.Unmarshal(list[len(list)-1].data, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Run != resp.Header.Get("Winnow-Run") || len(answer.Ranking) != 3 || answer.Ended != winnow.Concluded {
		t.Errorf("the answer is %+v", answer)
	}
	whole := fetch[wire.Ask](s, "POST", "/v1/ask", `{"question": "where was the builder of the hive born"}`)
	whole.Run = answer.Run
	if a, b := fmt.Sprintf("%+v", whole), fmt.Sprintf("%+v", answer); a != b {
		t.Errorf("asked for as a document the answer is\n%s\nand as a stream\n%s", a, b)
	}
}

func TestSearchSpeaksChromasContract(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	resp := s.do("POST", "/search", `{"query": "the hive on the roof", "model": "x", "chroma_api_key": "y", "chroma_tenant": "z", "chroma_database": "w"}`)
	var kinds []string
	for _, e := range events(t, resp.Body, nil) {
		if e.comment != "" {
			continue
		}
		var line struct {
			Type string
			Data map[string]any
		}
		if err := json.Unmarshal(e.data, &line); err != nil || e.name != "" {
			t.Fatalf("%+v (%v)", e, err)
		}
		kinds = append(kinds, line.Type)
		switch line.Type {
		case "action":
			tools, params := line.Data["tools"].([]any), line.Data["params"].([]any)
			if len(tools) != 1 || len(params) != 1 || line.Data["sources"] == nil {
				t.Errorf("the action %v", line.Data)
			}
		case "result":
			first := line.Data["documents"].([]any)[0].(map[string]any)
			if first["id"] != "bees.md" {
				t.Errorf("the first document is %v", first)
			}
		}
	}
	if got := strings.Join(kinds, " "); got != "action usage observation action usage result done" {
		t.Errorf("the stream is %q", got)
	}
}

func TestFilesThatChangeAreSearchedAsTheyAre(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	if err := os.WriteFile(filepath.Join(s.folder, "wasps.md"), []byte("# Wasps\n\nWasps chew wood.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for { // the test's own time limit is the bound
		found := fetch[wire.Query](s, "POST", "/v1/query", `{"query": "wasps chew wood", "k": 1}`)
		if len(found.Hits) > 0 && found.Hits[0].Document == "wasps.md" {
			return
		}
	}
}

func TestQueryGrepAndReadAnswerAsTheCommandLineDoes(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	found := fetch[wire.Query](s, "POST", "/v1/query", `{"query": "hive on the roof", "k": 2, "explain": true}`)
	if len(found.Hits) != 2 || found.Hits[0].Document != "bees.md" || len(found.Hits[0].Legs) == 0 {
		t.Errorf("query found %+v", found)
	}
	found = fetch[wire.Query](s, "POST", "/v1/query", `{"query": "Brno", "exclude": ["brno.md"], "path": "n*.md"}`)
	if len(found.Hits) != 1 || found.Hits[0].Document != "novak.md" {
		t.Errorf("in scope query found %+v", found)
	}
	lines := fetch[wire.Grep](s, "POST", "/v1/grep", `{"pattern": "BRNO", "ignore_case": true, "limit": 2}`)
	if len(lines.Matches) != 2 || !lines.Truncated || lines.Matches[0].Line != 1 {
		t.Errorf("grep found %+v", lines)
	}
	for _, name := range []string{"novak.md", "novak.md_0", "novak.md:3"} {
		text := fetch[wire.Read](s, "POST", "/v1/read", `{"document": "`+name+`"}`)
		if text.Document != "novak.md" || text.Text != notes["novak.md"] || len(text.Chunks) != 1 {
			t.Errorf("%s reads %+v", name, text)
		}
	}
	short := fetch[wire.Read](s, "POST", "/v1/read", `{"document": "novak.md", "max_tokens": 3}`)
	if short.Text == "" || len(short.Text) >= len(notes["novak.md"]) {
		t.Errorf("three tokens are %q", short.Text)
	}
}

func TestACollectionLivesFromContent(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	made := fetch[wire.Collection](s, "POST", "/v1/collections", `{"name": "facts", "description": "Things that are so."}`)
	if made.Kind != "content" || made.Description != "Things that are so." || made.State != wire.CollectionReady {
		t.Errorf("created as %+v", made)
	}
	put := func(body string) wire.Written {
		return fetch[wire.Written](s, "POST", "/v1/collections/facts/documents", body)
	}
	put(`{"documents": [{"id": "ants", "title": "Ants", "text": "Ants build hills.", "metadata": {"legs": 6, "big": 12345678901234567, "weight": 0.5, "wild": true}}, {"id": "moles", "text": "Moles build hills too."}]}`)
	hills := func(body string) string {
		var ids []string
		for _, h := range fetch[wire.Query](s, "POST", "/v1/query", body).Hits {
			ids = append(ids, h.Document)
		}
		return strings.Join(ids, " ")
	}
	if got := hills(`{"query": "hills ants", "collections": ["facts"]}`); got != "ants moles" {
		t.Errorf("hills are built by %q", got)
	}
	if got := hills(`{"query": "hills", "collections": ["facts"], "where": {"legs": 6}}`); got != "ants" {
		t.Errorf("six legs have %q", got)
	}
	if text := fetch[wire.Read](s, "POST", "/v1/read", `{"document": "ants", "collections": ["facts"]}`); fmt.Sprint(text.Metadata["big"]) != "1.2345678901234568e+16" {
		t.Errorf("a large number is %v", text.Metadata["big"]) // as this test decodes it; the server sends all digits
	}
	put(`{"documents": [{"id": "moles", "text": "Moles dig."}], "delete": ["ants"]}`)
	if got := hills(`{"query": "dig", "collections": ["facts"]}`); got != "moles" {
		t.Errorf("afterwards there are %q", got)
	}
	list := fetch[wire.Collections](s, "GET", "/v1/collections", "").Collections
	if len(list) != 2 || !list[0].Default || list[0].Documents != 3 || list[1].Collection != "facts" || list[1].Documents != 1 {
		t.Errorf("the list is %+v", list)
	}
	if resp := s.do("DELETE", "/v1/collections/facts", ""); resp.StatusCode != http.StatusNoContent {
		t.Errorf("deleted with %s", resp.Status)
	}
	if resp := s.do("GET", "/v1/collections/facts", ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("then it is there with %s", resp.Status)
	}
}

func TestMetricsAreInPrometheusForm(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	fetch[wire.Ask](s, "POST", "/v1/ask", `{"question": "hive"}`)
	s.do("GET", "/v1/nothing", "")
	data, _ := io.ReadAll(s.do("GET", "/metrics", "").Body)
	for _, want := range []string{`winnow_runs_total{ended="concluded"} 1`, `winnow_http_requests_total{route="POST /v1/ask",status="200"} 1`, "winnow_runs_running 0"} {
		if !bytes.Contains(data, []byte(want+"\n")) {
			t.Errorf("no %s in\n%s", want, data)
		}
	}
	if bytes.Contains(data, []byte("nothing")) {
		t.Error("what a client makes up is a label")
	}
}
