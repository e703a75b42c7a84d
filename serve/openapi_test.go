package serve_test

import (
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
)

// description is an OpenAPI document, as far as the test reads it.
type description struct {
	OpenAPI string
	Paths   map[string]map[string]struct {
		RequestBody *struct{ Content content }
		Responses   map[string]struct{ Content content }
	}
	Components struct {
		Schemas map[string]*jsonschema.Schema
	}
}

type content map[string]struct {
	Schema struct {
		Ref string `json:"$ref"`
	}
}

// check validates a document against what the description says of a media type.
func (d *description) check(t *testing.T, c content, media string, data []byte) {
	t.Helper()
	of, ok := c[media]
	if !ok {
		t.Errorf("the description has no %s", media)
		return
	}
	name, named := strings.CutPrefix(of.Schema.Ref, "#/components/schemas/")
	if !named {
		return // any object
	}
	schema, err := d.Components.Schemas[name].Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v in %.300s", name, err, data)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%s: %v in %.300s", name, err, data)
	}
}

func TestRepliesAreWhatTheDescriptionSays(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{Version: "1.2.3"})
	data, _ := io.ReadAll(s.do("GET", "/openapi.json", "").Body)
	var d description
	if err := json.Unmarshal(data, &d); err != nil || d.OpenAPI != "3.1.0" {
		t.Fatalf("%v: %s", err, data)
	}
	tried := map[string]bool{}
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/v1/ask", `{"question": "hive", "explain": true}`},
		{"POST", "/v1/ask", `{"question": "where was the builder of the hive born", "rollouts": 2, "seed": 3, "max_tokens": 20}`},
		{"POST", "/v1/ask", `{"question": ""}`},
		{"POST", "/v1/query", `{"query": "hive", "explain": true, "where": {"type": "markdown"}}`},
		{"POST", "/v1/query", `{"query": "hive", "where": {"nothing": 1}}`},
		{"POST", "/v1/grep", `{"pattern": "hive"}`},
		{"POST", "/v1/grep", `{"pattern": "zzz"}`},
		{"POST", "/v1/read", `{"document": "bees.md"}`},
		{"POST", "/v1/read", `{"document": "nothing"}`},
		{"POST", "/v1/collections", `{"name": "facts"}`},
		{"POST", "/v1/collections/{name}/documents", `{"documents": [{"id": "a", "text": "b", "metadata": {"n": 1}}]}`},
		{"GET", "/v1/collections", ""},
		{"GET", "/v1/collections/{name}", ""},
		{"DELETE", "/v1/collections/{name}", ""},
		{"GET", "/v1/runs", ""},
		{"GET", "/v1/runs/{id}", ""},
		{"GET", "/v1/server", ""},
		{"POST", "/v1/login-link", ""},
		{"GET", "/healthz", ""},
		{"GET", "/readyz", ""},
		{"GET", "/openapi.json", ""},
		{"GET", "/login", ""},
	} {
		key := strings.ToLower(c.method) + " " + c.path
		tried[key] = true
		operation, ok := d.Paths[c.path][strings.ToLower(c.method)]
		if !ok {
			t.Errorf("%s is not described", key)
			continue
		}
		path := strings.NewReplacer("{name}", "facts", "{id}", "last").Replace(c.path)
		resp := s.do(c.method, path, c.body)
		reply, _ := io.ReadAll(resp.Body)
		if resp.StatusCode < 300 {
			if operation.RequestBody != nil {
				d.check(t, operation.RequestBody.Content, "application/json", []byte(c.body))
			}
			described, ok := operation.Responses[strconv.Itoa(resp.StatusCode)]
			if !ok {
				t.Errorf("%s: %s is not described", key, resp.Status)
			}
			if len(reply) > 0 {
				d.check(t, described.Content, resp.Header.Get("Content-Type"), reply)
			}
			continue
		}
		d.check(t, operation.Responses["default"].Content, resp.Header.Get("Content-Type"), reply)
	}
	streams := regexp.MustCompile(`^(post /search|get /metrics|get /v1/runs/\{id\}/page)$`) // whose replies are no documents
	for path, methods := range d.Paths {
		for method := range methods {
			if key := method + " " + path; !tried[key] && !streams.MatchString(key) {
				t.Errorf("%s is described and was not tried", key)
			}
		}
	}
}
