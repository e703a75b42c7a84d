package anthropic

import (
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

// catalogue serves the list of models and knows them by name.
func catalogue(w http.ResponseWriter, r *http.Request) {
	name, one := strings.CutPrefix(r.URL.Path, "/v1/models/")
	switch {
	case r.Header.Get("X-Api-Key") != secret:
		w.WriteHeader(http.StatusUnauthorized)
	case !one:
		io.WriteString(w, `{"data":[{"id":"claude-b"},{"id":"claude-a"}],"has_more":false}`)
	case name == "claude-a" || name == "an/alias":
		io.WriteString(w, `{"id":"claude-a","type":"model"}`)
	default:
		http.NotFound(w, r)
	}
}

func TestCheckIsCheapAndTellsWhatIsWrong(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>hello") }
	text := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, "hello")
	}
	for _, c := range []struct {
		name   string
		handle http.HandlerFunc
		model  string
		key    string
		code   winnow.Code
		says   string
	}{
		{"all well", catalogue, "claude-a", secret, "", ""},
		{"a name that is not listed", catalogue, "an/alias", secret, "", ""},
		{"another model", catalogue, "claude-x", secret, winnow.NotFound, `has no model "claude-x"`},
		{"a wrong key", catalogue, "claude-a", "other", winnow.BadInput, "does not accept the key"},
		{"a gateway without a list", http.NotFound, "claude-a", secret, "", ""},
		{"a page", page, "claude-a", secret, winnow.BadInput, "does not speak the Messages API"},
		{"no JSON", text, "claude-a", secret, winnow.BadInput, "does not speak the Messages API"},
		{"silence", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "claude-a", secret, winnow.Unavailable, "silent for 50ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(c.handle)
			defer s.Close()
			o := Options{BaseURL: s.URL, Model: c.model, Key: c.key}
			if c.name == "silence" {
				o.Timeout = 50 * time.Millisecond
			}
			p, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			err = p.Check(t.Context(), winnow.Budget{})
			if winnow.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestModelsAreListedByName(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(catalogue))
	defer s.Close()
	got, err := ask(t, Options{BaseURL: s.URL}).Models(t.Context())
	if want := []endpoint.Model{{ID: "claude-a"}, {ID: "claude-b"}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	s.Close()
	if _, err := ask(t, Options{BaseURL: s.URL}).Models(t.Context()); winnow.CodeOf(err) != winnow.Unavailable {
		t.Errorf("from nobody: %v", err)
	}
}
