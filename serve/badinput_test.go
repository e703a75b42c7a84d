package serve_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

// problemIn reads a problem and complains where it is none.
func problemIn(t *testing.T, resp *http.Response) (p wire.Problem) {
	t.Helper()
	if got := resp.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("a problem comes as %q", got)
	}
	data, _ := io.ReadAll(resp.Body)
	if err := json.Unmarshal(data, &p); err != nil {
		t.Errorf("%v: %s", err, data)
	}
	if p.Status != resp.StatusCode || p.Code == "" || p.Detail == "" || strings.Contains(p.Detail, "\n") {
		t.Errorf("%s: the problem is %s", resp.Status, data)
	}
	return p
}

func TestEveryBadRequestIsAProblem(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{MaxBody: 40 << 10})
	long := strings.Repeat("why ", 10<<10)[:33<<10]
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "/v1/ask", "", 405, "method_not_allowed"},
		{"DELETE", "/v1/query", "", 405, "method_not_allowed"},
		{"PUT", "/v1/collections", "", 405, "method_not_allowed"},
		{"POST", "/v1/runs", "", 405, "method_not_allowed"},
		{"POST", "/healthz", "", 405, "method_not_allowed"},
		{"GET", "/v1/nothing", "", 404, "not_found"},
		{"POST", "/", "", 404, "not_found"},
		{"GET", "/../../etc/passwd", "", 404, "not_found"},
		{"POST", "/v1/ask", "", 400, "bad_input"},
		{"POST", "/v1/ask", "{", 400, "bad_input"},
		{"POST", "/v1/ask", "[]", 400, "bad_input"},
		{"POST", "/v1/ask", "null", 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": "a"} {"question": "b"}`, 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": 7}`, 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": "  "}`, 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": "a", "depth": 7}`, 400, "bad_input"},
		{"POST", "/v1/ask", "{\"question\": \"\xff\"}", 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": "` + long + `"}`, 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": "` + long + long + `"}`, 413, "too_large"},
		{"POST", "/v1/ask", `{"question": "a", "rollouts": -1}`, 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": "a", "rollouts": 1000000}`, 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": "a", "budget": -1}`, 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": "a", "seed": -1}`, 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": "a", "deadline_s": -1}`, 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": "a", "max_tokens": -1}`, 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": "a", "policy": "chat"}`, 400, "bad_input"},
		{"POST", "/v1/ask", `{"question": "a", "collections": ["nothing"]}`, 404, "not_found"},
		{"POST", "/v1/ask", `{"question": "a", "where": {"$nor": []}}`, 400, "bad_filter"},
		{"POST", "/v1/ask", `{"question": "a", "where": "x"}`, 400, "bad_filter"},
		{"POST", "/v1/ask", `{"question": "a", "path": "[z-a]"}`, 400, "bad_filter"},
		{"POST", "/search", `{"query": ""}`, 400, "bad_input"},
		{"POST", "/search", `{"query": "a", "collection_name": "nothing"}`, 404, "not_found"},
		{"POST", "/v1/query", `{"query": ""}`, 400, "bad_input"},
		{"POST", "/v1/query", `{"query": "a", "k": -1}`, 400, "bad_input"},
		{"POST", "/v1/query", `{"query": "a", "k": 1e99}`, 400, "bad_input"},
		{"POST", "/v1/query", `{"query": "a", "k": 1000000}`, 400, "bad_input"},
		{"POST", "/v1/query", `{"query": "a", "collections": ["/etc"]}`, 404, "not_found"},
		{"POST", "/v1/query", `{"query": "a", "collections": ["../../etc"]}`, 404, "not_found"},
		{"POST", "/v1/query", `{"query": "a", "collections": [""]}`, 404, "not_found"},
		{"POST", "/v1/query", `{"query": "a", "collections": ["a\u0000b"]}`, 404, "not_found"},
		{"POST", "/v1/grep", `{"pattern": "("}`, 400, "bad_pattern"},
		{"POST", "/v1/grep", `{"pattern": ""}`, 400, "bad_input"},
		{"POST", "/v1/grep", `{"pattern": "a", "limit": -5}`, 400, "bad_input"},
		{"POST", "/v1/read", `{}`, 400, "bad_input"},
		{"POST", "/v1/read", `{"document": "nothing.md"}`, 404, "not_found"},
		{"POST", "/v1/read", `{"document": "/etc/passwd"}`, 404, "not_found"},
		{"POST", "/v1/read", `{"document": "../../../../etc/passwd"}`, 404, "not_found"},
		{"POST", "/v1/read", `{"document": "bees.md", "page": -1}`, 400, "bad_input"},
		{"POST", "/v1/read", `{"document": "bees.md", "exclude": ["bees.md"]}`, 404, "not_found"},
		{"POST", "/v1/collections", `{"name": "../x"}`, 400, "bad_input"},
		{"POST", "/v1/collections", `{"name": "/tmp/x"}`, 400, "bad_input"},
		{"POST", "/v1/collections", `{"name": ""}`, 400, "bad_input"},
		{"POST", "/v1/collections", `{"name": "x", "language": "klingon"}`, 400, "bad_input"},
		{"POST", "/v1/collections/nothing/documents", `{"delete": ["a"]}`, 404, "not_found"},
		{"POST", "/v1/collections/..%2Fx/documents", `{"delete": ["a"]}`, 404, "not_found"},
		{"DELETE", "/v1/collections/nothing", "", 404, "not_found"},
		{"GET", "/v1/runs?limit=-1", "", 400, "bad_input"},
		{"GET", "/v1/runs?limit=many", "", 400, "bad_input"},
		{"GET", "/v1/runs/nothing", "", 404, "not_found"},
		{"GET", "/v1/runs/..%2F..%2Fwinnow", "", 404, "not_found"},
		{"GET", "/v1/runs/last", "", 404, "not_found"},
	} {
		resp := s.do(c.method, c.path, c.body)
		p := problemIn(t, resp)
		if resp.StatusCode != c.status || p.Code != c.code {
			t.Errorf("%s %s %.60s: %d %s (%s), not %d %s", c.method, c.path, c.body, p.Status, p.Code, p.Detail, c.status, c.code)
		}
	}
	if len(s.failed) > 0 {
		t.Errorf("the server blames itself: %q", s.failed)
	}
}

func TestDocumentsThatCantBeKeptAreRefused(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	fetch[wire.Collection](s, "POST", "/v1/collections", `{"name": "facts"}`)
	if p := problemIn(t, s.do("POST", "/v1/collections", `{"name": "facts"}`)); p.Status != 409 || p.Code != "exists" {
		t.Errorf("made twice: %+v", p)
	}
	for _, body := range []string{
		`{}`, `{"documents": []}`, `{"documents": [{"id": "", "text": "a"}]}`, `{"documents": [{"id": "a", "text": " "}]}`,
		`{"documents": [{"id": "a\u0007", "text": "a"}]}`, `{"documents": [{"id": "a", "text": "a"}, {"id": "a", "text": "b"}]}`,
		`{"documents": [{"id": "a", "text": "a", "metadata": {"x": [1]}}]}`, `{"documents": [{"id": "a", "text": "a", "metadata": {"x": null}}]}`,
		`{"documents": [{"id": "a", "text": "a", "metadata": {"x": 1e999}}]}`,
	} {
		if p := problemIn(t, s.do("POST", "/v1/collections/facts/documents", body)); p.Status != 400 {
			t.Errorf("%s: %+v", body, p)
		}
	}
	folder := strings.ReplaceAll(s.folder, "/", "%2F")
	for _, c := range [][2]string{{"POST", "/v1/collections/" + folder + "/documents"}, {"DELETE", "/v1/collections/" + folder}} {
		if p := problemIn(t, s.do(c[0], c[1], `{"delete": ["bees.md"]}`)); p.Status != 400 {
			t.Errorf("a folder is changed: %+v", p)
		}
	}
}

// FuzzEndpoints sends anything to any route: the reply is a document, a stream
// or a problem, and never the server's own fault.
func FuzzEndpoints(f *testing.F) {
	paths := []string{"/search", "/v1/ask", "/v1/query", "/v1/grep", "/v1/read", "/v1/collections", "/v1/collections/x/documents", "/v1/runs", "/v1/runs/last", "/login", "/mcp", "/"}
	for i := range paths {
		f.Add(uint8(i), "POST", "", []byte(`{"question": "hive", "query": "hive", "pattern": "h", "document": "bees.md", "name": "x"}`))
	}
	f.Add(uint8(1), "POST", "", []byte(`{"question": "hive", "where": {"$and": [{"a": 1}]}, "path": "**", "exclude": ["a"], "rollouts": 2, "deadline_s": 1e-9}`))
	f.Add(uint8(2), "POST", "", []byte(`{"query": "\ud800", "where_document": {"$contains": "x"}, "k": 3}`))
	f.Add(uint8(3), "POST", "", []byte(`{"pattern": "(?i)a{1,1000}|b*", "limit": 1}`))
	f.Add(uint8(4), "POST", "", []byte(`{"document": "bees.md:3", "heading": "b", "line": 9}`))
	f.Add(uint8(7), "GET", "?limit=3&before=%2e%2e", []byte(nil))
	f.Add(uint8(9), "GET", "?code=AAAA", []byte(nil))
	s := start(f, desk.Options{}, serve.Options{})
	f.Fuzz(func(t *testing.T, path uint8, method, query string, body []byte) {
		r := httptest.NewRequest("POST", paths[int(path)%len(paths)], strings.NewReader(string(body)))
		switch method {
		case "GET", "DELETE", "PUT", "HEAD", "PATCH", "OPTIONS":
			r.Method = method
		}
		r.URL.RawQuery = strings.TrimPrefix(query, "?")
		r.Host = "127.0.0.1"
		w := httptest.NewRecorder()
		s.server.Handler().ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%s %s %q: %d %s", r.Method, r.URL, body, w.Code, w.Body)
		}
		if w.Code >= 400 && w.Header().Get("Content-Type") != "application/problem+json" {
			t.Fatalf("%s %s %q: %d as %s", r.Method, r.URL, body, w.Code, w.Header().Get("Content-Type"))
		}
		if !utf8.Valid(w.Body.Bytes()) {
			t.Fatalf("the reply is not UTF-8: %q", w.Body)
		}
	})
}
