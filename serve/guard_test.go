package serve_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

const token = "correct-horse-battery"

func TestBeyondLoopbackATokenIsNeeded(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	for addr, safe := range map[string]bool{
		"127.0.0.1:0": true, "localhost:0": true, "[::1]:0": true, "127.9.9.9:1": true,
		"0.0.0.0:7700": false, ":7700": false, "[::]:7700": false, "192.168.1.2:7700": false, "example.org:7700": false, "nonsense": false,
	} {
		_, err := serve.New(serve.Options{Desk: s.desk, Addr: addr})
		if (err == nil) != safe {
			t.Errorf("on %s without a token: %v", addr, err)
		}
		if err != nil && winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("on %s the error is %v", addr, err)
		}
	}
	if _, err := serve.New(serve.Options{Desk: s.desk, Addr: "0.0.0.0:1", Token: token}); err != nil {
		t.Error(err)
	}
	if _, err := serve.New(serve.Options{Desk: s.desk, Token: "short"}); err == nil {
		t.Error("a token of five letters is taken")
	}
}

func TestOtherNamesAndOtherSitesAreRefused(t *testing.T) {
	mcp := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	s := start(t, desk.Options{}, serve.Options{Hosts: []string{"search.example.org"}, MCP: mcp})
	own := strings.TrimPrefix(s.URL, "http://")
	for _, c := range []struct {
		why     string
		headers []string
		want    int
	}{
		{"the server's own name", nil, 200},
		{"localhost", []string{"Host", "localhost:7700"}, 200},
		{"IPv6 loopback", []string{"Host", "[::1]:7700"}, 200},
		{"a name that was given", []string{"Host", "search.example.org"}, 200},
		{"a rebound name", []string{"Host", "evil.example:7700"}, 403},
		{"a name that begins like ours", []string{"Host", "localhost.evil.example"}, 403},
		{"another address", []string{"Host", "192.168.1.2:7700"}, 403},
		{"nothing", []string{"Host", ":"}, 403},
		{"its own page", []string{"Origin", s.URL}, 200},
		{"another page", []string{"Origin", "http://evil.example"}, 403},
		{"another port's page", []string{"Origin", "http://127.0.0.1:1"}, 403},
		{"a rebound page", []string{"Host", "evil.example", "Origin", "http://evil.example"}, 403},
		{"a page without a name", []string{"Origin", "null"}, 403},
		{"another site by its browser's word", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"the same site by its browser's word", []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://" + own}, 200},
	} {
		for _, path := range []string{"/v1/query", "/search", "/mcp"} {
			body, want := `{"query": "hive"}`, c.want
			if path == "/mcp" && want == 200 {
				want = http.StatusTeapot
			}
			if resp := s.do("POST", path, body, c.headers...); resp.StatusCode != want {
				t.Errorf("%s: %s is answered with %s", c.why, path, resp.Status)
			}
		}
	}
}

func TestALinkFromAnotherSiteLeadsToThePageAlone(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{Page: fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}}})
	for path, want := range map[string]int{"/": 200, "/runs/last": 200, "/v1/runs": 403, "/v1/collections": 403, "/metrics": 403} {
		if resp := s.do("GET", path, "", "Sec-Fetch-Site", "cross-site"); resp.StatusCode != want {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}

func TestATokenGuardsEverythingButHealth(t *testing.T) {
	mcp := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	s := start(t, desk.Options{}, serve.Options{Token: token, MCP: mcp})
	for _, path := range []string{"/v1/runs", "/v1/runs/last", "/v1/collections", "/v1/server", "/metrics", "/mcp"} {
		for _, c := range []struct {
			value string
			want  int
		}{{"", 401}, {"Bearer wrong", 401}, {"Bearer " + token + "x", 401}, {"Basic " + token, 401}, {"Bearer " + token, 200}} {
			resp := s.do("GET", path, "", "Authorization", c.value)
			if resp.StatusCode != c.want && !(c.want == 200 && resp.StatusCode == 404) {
				t.Errorf("%s with %q: %s", path, c.value, resp.Status)
			}
		}
	}
	for _, path := range []string{"/healthz", "/openapi.json"} {
		if resp := s.do("GET", path, ""); resp.StatusCode != 200 {
			t.Errorf("%s without a token: %s", path, resp.Status)
		}
	}
}

func TestALinkLogsInOnce(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{Token: token})
	link := fetch[wire.LoginLink](s, "POST", "/v1/login-link", "", "Authorization", "Bearer "+token).Link
	path, ok := strings.CutPrefix(link, s.URL)
	if !ok || strings.Contains(link, token) {
		t.Fatalf("the link is %s", link)
	}
	resp := s.do("GET", path, "")
	cookies := resp.Cookies()
	if resp.StatusCode != http.StatusSeeOther || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("logged in with %s and %v", resp.Status, cookies)
	}
	fetch[wire.Runs](s, "GET", "/v1/runs", "", "Cookie", cookies[0].Name+"="+cookies[0].Value)
	for why, headers := range map[string][]string{
		"a cookie of one's own": {"Cookie", cookies[0].Name + "=AAAA"},
		"no cookie":             nil,
	} {
		if resp := s.do("GET", "/v1/runs", "", headers...); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s", why, resp.Status)
		}
	}
	for _, again := range []string{path, "/login?code=", "/login", "/login?code=%00"} {
		if resp := s.do("GET", again, ""); resp.StatusCode != http.StatusUnauthorized || len(resp.Cookies()) > 0 {
			t.Errorf("%s logs in: %s", again, resp.Status)
		}
	}
}

func TestNothingInlineMayRun(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	for _, path := range []string{"/", "/healthz", "/v1/nothing", "/openapi.json"} {
		h := s.do("GET", path, "").Header
		csp := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'self';") || strings.Contains(csp, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s has the policy %q", path, csp)
		}
	}
}
