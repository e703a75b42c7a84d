// Package chromatest is a Chroma server in memory, for tests: a single node, or
// what Chroma Cloud documents of itself with its Search API and its quotas.
//
// It is strict where a real server is lenient. A field it does not know, an
// expression it does not know, a request above a quota is refused, so that a
// client that passes here sends nothing by accident. What it traded away is
// everything but the meaning of requests: it scans, and it forgets.
package chromatest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Server is a running server.
type Server struct {
	// URL is its address, as in chroma://127.0.0.1:1234.
	URL string
	// Cloud has the Search API and the quotas of Chroma Cloud.
	cloud bool
	// Token is what requests must carry; "" takes all.
	token string

	mu          sync.Mutex
	collections []*collection
	made        int
	// Before is called before each request; what it answers is the answer.
	before func(http.ResponseWriter, *http.Request) bool

	connections, reading atomic.Int64
}

// Options of a server.
type Options struct {
	Cloud bool
	Token string
	// Before sees each request first; true means that it has answered.
	Before func(http.ResponseWriter, *http.Request) bool
}

// Start starts a server that ends with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{cloud: o.Cloud, token: o.Token, before: o.Before}
	h := httptest.NewUnstartedServer(s)
	h.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.connections.Add(1)
		case http.StateClosed, http.StateHijacked:
			s.connections.Add(-1)
		}
	}
	h.Start()
	t.Cleanup(h.Close)
	s.URL = "chroma://" + strings.TrimPrefix(h.URL, "http://")
	return s
}

// Connections is how many are open now.
func (s *Server) Connections() int { return int(s.connections.Load()) }

type collection struct {
	id, name  string
	metadata  map[string]any
	config    json.RawMessage
	schema    json.RawMessage
	dimension int
	sparse    map[string]bool // keys with an index
	records   []*stored
}

type stored struct {
	id       string
	document *string
	metadata map[string]any
	vector   []float64
}

// refusal is an answer other than success.
type refusal struct {
	status        int
	kind, message string
}

func (r *refusal) Error() string { return r.message }

func bad(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, "InvalidArgumentError", fmt.Sprintf(format, args...)}
}

func quota(what string, is, most int) error {
	return bad("Quota exceeded: %s exceeded limit of %d for action, got %d", what, most, is)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.before != nil && s.before(w, r) {
		return
	}
	out, err := s.admit(r)
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		f, ok := err.(*refusal)
		if !ok {
			f = &refusal{http.StatusUnprocessableEntity, "ChromaError", "Failed to deserialize the JSON body into the target type: " + err.Error()}
		}
		w.WriteHeader(f.status)
		out = map[string]string{"error": f.kind, "message": f.message}
	}
	json.NewEncoder(w).Encode(out)
}

// admit answers as many reads at once as the quota allows.
func (s *Server) admit(r *http.Request) (any, error) {
	read := strings.HasSuffix(r.URL.Path, "/search") || strings.HasSuffix(r.URL.Path, "/get") || strings.HasSuffix(r.URL.Path, "/query")
	if !s.cloud || !read {
		return s.answer(r)
	}
	defer s.reading.Add(-1)
	if n := int(s.reading.Add(1)); n > maxReads {
		return nil, quota("Number of concurrent reads", n, maxReads)
	}
	return s.answer(r)
}

func (s *Server) answer(r *http.Request) (any, error) {
	if s.token != "" && r.Header.Get("x-chroma-token") != s.token {
		return nil, &refusal{http.StatusUnauthorized, "AuthError", "Unauthorized"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	path, ok := strings.CutPrefix(r.URL.Path, "/api/v2")
	if !ok {
		return nil, notFound("no such path")
	}
	switch path {
	case "/heartbeat":
		return map[string]int{"nanosecond heartbeat": 1}, nil
	case "/version":
		return "1.0.0", nil
	case "/pre-flight-checks":
		return map[string]any{"max_batch_size": 5461, "supports_base64_encoding": true}, nil
	case "/auth/identity":
		return map[string]any{"user_id": "", "tenant": "default_tenant", "databases": []string{"default_database"}}, nil
	}
	rest, ok := strings.CutPrefix(path, "/tenants/default_tenant/databases/default_database/collections")
	if !ok {
		return nil, notFound("no such tenant or database")
	}
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	switch {
	case rest == "" && r.Method == http.MethodGet:
		list := []any{}
		for _, c := range s.collections {
			list = append(list, c.described())
		}
		return list, nil
	case rest == "" && r.Method == http.MethodPost:
		return s.create(r)
	case len(parts) == 1 && r.Method == http.MethodGet:
		if c := s.find(func(c *collection) bool { return c.name == parts[0] }); c != nil {
			return c.described(), nil
		}
	case len(parts) == 1 && r.Method == http.MethodDelete:
		s.collections = slices.DeleteFunc(s.collections, func(c *collection) bool { return c.name == parts[0] })
		return struct{}{}, nil
	case len(parts) == 2:
		if c := s.find(func(c *collection) bool { return c.id == parts[0] }); c != nil {
			return s.about(c, parts[1], r)
		}
	}
	return nil, notFound(fmt.Sprintf("Collection [%s] does not exist", parts[0]))
}

func notFound(message string) error {
	return &refusal{http.StatusNotFound, "NotFoundError", message}
}

func (s *Server) find(is func(*collection) bool) *collection {
	if i := slices.IndexFunc(s.collections, is); i >= 0 {
		return s.collections[i]
	}
	return nil
}

// read decodes a request, all of it known.
func read(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func (s *Server) create(r *http.Request) (any, error) {
	var in struct {
		Name     string          `json:"name"`
		Metadata map[string]any  `json:"metadata"`
		Config   json.RawMessage `json:"configuration"`
		Schema   json.RawMessage `json:"schema"`
		OrGet    bool            `json:"get_or_create"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if len(in.Name) < 3 {
		return nil, bad("Expected a name containing 3-512 characters")
	}
	if c := s.find(func(c *collection) bool { return c.name == in.Name }); c != nil {
		if in.OrGet {
			return c.described(), nil
		}
		return nil, &refusal{http.StatusConflict, "UniqueConstraintError", "it exists"}
	}
	var schema struct {
		Keys map[string]struct {
			Sparse *struct {
				Index *struct {
					Enabled bool
				} `json:"sparse_vector_index"`
			} `json:"sparse_vector"`
		}
	}
	if len(in.Schema) > 0 {
		if err := json.Unmarshal(in.Schema, &schema); err != nil {
			return nil, err
		}
	}
	s.made++
	c := &collection{id: fmt.Sprintf("00000000-0000-0000-0000-%012d", s.made), name: in.Name, metadata: in.Metadata, config: in.Config, schema: in.Schema, sparse: map[string]bool{}}
	for key, k := range schema.Keys {
		if k.Sparse != nil && k.Sparse.Index != nil && k.Sparse.Index.Enabled {
			c.sparse[key] = true
		}
	}
	if len(c.sparse) > 0 && !s.cloud {
		return nil, bad("Sparse vector indexing is not enabled in local")
	}
	s.collections = append(s.collections, c)
	return c.described(), nil
}

func (c *collection) described() any {
	config, schema := c.config, c.schema
	if config == nil {
		config = json.RawMessage(`{"hnsw":{"space":"cosine"},"embedding_function":null}`)
	}
	var keys struct {
		Keys map[string]json.RawMessage `json:"keys"`
	}
	if schema != nil {
		json.Unmarshal(schema, &keys)
	}
	if keys.Keys == nil {
		keys.Keys = map[string]json.RawMessage{}
	}
	for _, r := range c.records {
		for k := range r.metadata {
			if keys.Keys[k] == nil {
				keys.Keys[k] = json.RawMessage(`{}`)
			}
		}
	}
	var dimension any
	if c.dimension > 0 {
		dimension = c.dimension
	}
	return map[string]any{"id": c.id, "name": c.name, "tenant": "default_tenant", "database": "default_database", "dimension": dimension,
		"metadata": c.metadata, "configuration_json": config, "schema": keys, "log_position": 0, "version": 0}
}

// about answers a call about a collection.
func (s *Server) about(c *collection, call string, r *http.Request) (any, error) {
	if call == "count" && r.Method == http.MethodGet {
		return len(c.records), nil
	}
	if r.Method != http.MethodPost {
		return nil, &refusal{http.StatusMethodNotAllowed, "ChromaError", "method not allowed"}
	}
	switch call {
	case "upsert":
		return s.upsert(c, r)
	case "delete":
		return s.remove(c, r)
	case "get":
		return s.get(c, r)
	case "query":
		return s.query(c, r)
	case "search":
		if !s.cloud {
			return nil, &refusal{http.StatusNotImplemented, "ChromaError", "Error executing plan: Not implemented: Search operation is not implemented for local executor"}
		}
		return s.search(c, r)
	}
	return nil, notFound("no such call")
}

// The quotas of Chroma Cloud.
const (
	maxResults    = 300
	maxRecords    = 300
	maxPredicates = 8
	maxPattern    = 256
	maxDocument   = 16384
	maxIDBytes    = 128
	maxKeys       = 32
	maxReads      = 10 // at once
)

func (s *Server) upsert(c *collection, r *http.Request) (any, error) {
	var in struct {
		IDs       []string         `json:"ids"`
		Vectors   [][]float64      `json:"embeddings"`
		Documents []*string        `json:"documents"`
		Metadatas []map[string]any `json:"metadatas"`
	}
	raw := new(bytes.Buffer)
	if _, err := raw.ReadFrom(r.Body); err != nil {
		return nil, err
	}
	d := json.NewDecoder(raw)
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(&in); err != nil {
		return nil, err
	}
	if in.Metadatas == nil {
		in.Metadatas = make([]map[string]any, len(in.IDs))
	}
	if len(in.Vectors) != len(in.IDs) || len(in.Documents) != len(in.IDs) || len(in.Metadatas) != len(in.IDs) {
		return nil, bad("lengths differ")
	}
	if s.cloud && len(in.IDs) > maxRecords {
		return nil, quota("Number of records", len(in.IDs), maxRecords)
	}
	for i, id := range in.IDs {
		if c.dimension == 0 {
			c.dimension = len(in.Vectors[i])
		}
		if len(in.Vectors[i]) != c.dimension {
			return nil, bad("Collection expecting embedding with dimension of %d, got %d", c.dimension, len(in.Vectors[i]))
		}
		if s.cloud && (len(*in.Documents[i]) > maxDocument || len(id) > maxIDBytes || len(in.Metadatas[i]) > maxKeys) {
			return nil, quota("Size of record", len(*in.Documents[i]), maxDocument)
		}
		one := &stored{id, in.Documents[i], in.Metadatas[i], in.Vectors[i]}
		if at := slices.IndexFunc(c.records, func(o *stored) bool { return o.id == id }); at >= 0 {
			c.records[at] = one
		} else {
			c.records = append(c.records, one)
		}
	}
	return struct{}{}, nil
}

func (s *Server) remove(c *collection, r *http.Request) (any, error) {
	var in struct {
		IDs []string `json:"ids"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	before := len(c.records)
	c.records = slices.DeleteFunc(c.records, func(o *stored) bool { return slices.Contains(in.IDs, o.id) })
	return map[string]int{"deleted": before - len(c.records)}, nil
}
