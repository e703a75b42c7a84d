package serve_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

func TestARunIsFetchedAsOnePage(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	a := fetch[wire.Ask](s, "POST", "/v1/ask", `{"question": "where is the hive"}`)
	const said = "was born in Brno"
	for query, holds := range map[string]bool{"": true, "?text=no": false} {
		resp := s.do("GET", "/v1/runs/"+a.Run+"/page"+query, "")
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusOK || !strings.Contains(resp.Header.Get("Content-Disposition"), a.Run) || !strings.Contains(string(body), "where is the hive") {
			t.Errorf("%q is answered with %d %q", query, resp.StatusCode, resp.Header)
		}
		if strings.Contains(string(body), said) != holds {
			t.Errorf("with %q the text of a document is there: %v", query, !holds)
		}
	}
	for path, want := range map[string]int{"/v1/runs/" + a.Run + "/page?text=some": http.StatusBadRequest, "/v1/runs/nowhere/page": http.StatusNotFound} {
		if got := s.do("GET", path, "").StatusCode; got != want {
			t.Errorf("%s is answered with %d", path, got)
		}
	}
}
