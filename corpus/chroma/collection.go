package chroma

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/winnow-search/winnow"
)

// Collection is a collection on a server.
type Collection struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Tenant    string         `json:"tenant"`
	Database  string         `json:"database"`
	Dimension int            `json:"dimension"` // 0 as long as it is empty
	Metadata  map[string]any `json:"metadata"`
	Config    struct {
		Function *Function `json:"embedding_function"`
	} `json:"configuration_json"`
	Schema *Schema `json:"schema"`

	client *Client
	// limits are those that the server was found to have.
	limits Limits
	reads  chan struct{} // requests under way; nil where they are not counted
}

// read takes a place among the requests under way, and returns how to give it
// back.
func (c *Collection) read(ctx context.Context) (done func(), err error) {
	if c.reads == nil {
		return func() {}, nil
	}
	select {
	case c.reads <- struct{}{}:
		return func() { <-c.reads }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Function says which embedding function made a collection's vectors, as far as
// its clients tell.
type Function struct {
	Type   string         `json:"type"`
	Name   string         `json:"name"`
	Config map[string]any `json:"config"`
}

// Schema says which indexes a collection has, by key.
type Schema struct {
	Keys map[string]schemaKey `json:"keys"`
}

type schemaKey struct {
	FloatList *struct {
		Index *struct {
			Config struct {
				Function *Function `json:"embedding_function"`
			} `json:"config"`
		} `json:"vector_index"`
	} `json:"float_list"`
	Sparse *struct {
		Index *struct {
			Enabled bool `json:"enabled"`
			Config  struct {
				Function *Function `json:"embedding_function"`
			} `json:"config"`
		} `json:"sparse_vector_index"`
	} `json:"sparse_vector"`
}

// Embedder names the model that made the vectors, "" where nobody says.
func (c *Collection) Embedder() string {
	f := c.Config.Function
	if f == nil && c.Schema != nil {
		if k := c.Schema.Keys[keyEmbedding]; k.FloatList != nil && k.FloatList.Index != nil {
			f = k.FloatList.Index.Config.Function
		}
	}
	if f == nil || f.Name == "" {
		name, _ := c.Metadata["winnow_embedder"].(string)
		return name
	}
	for _, key := range []string{"model_name", "model", "model_id"} {
		if m, ok := f.Config[key].(string); ok && m != "" {
			return f.Name + "/" + m
		}
	}
	return f.Name
}

// database is the path of the address's database.
func (c *Client) database(a Address) string {
	tenant, database := a.Tenant, a.Database
	if tenant == "" {
		tenant, database = defaultTenant, defaultDatabase
	}
	return "/tenants/" + url.PathEscape(tenant) + "/databases/" + url.PathEscape(database)
}

// resolve completes an address that leaves tenant and database open: a server
// with tokens knows to whom the token belongs.
func (c *Client) resolve(ctx context.Context) error {
	if c.address.Tenant != "" || c.o.Token == "" {
		return nil
	}
	var who struct {
		Tenant    string   `json:"tenant"`
		Databases []string `json:"databases"`
	}
	if err := c.call(ctx, opening, http.MethodGet, "/auth/identity", nil, &who); err != nil {
		return err
	}
	if len(who.Databases) != 1 || who.Tenant == "" {
		return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("the key is for %d databases (%s)", len(who.Databases), strings.Join(who.Databases, ", ")),
			Hint: "name one: " + addressHint}
	}
	c.address.Tenant, c.address.Database = who.Tenant, who.Databases[0]
	return nil
}

// Collections lists those of the address's database.
func (c *Client) Collections(ctx context.Context) ([]*Collection, error) {
	if err := c.resolve(ctx); err != nil {
		return nil, err
	}
	var all []*Collection
	const page = 100
	for {
		var some []*Collection
		path := fmt.Sprintf("%s/collections?limit=%d&offset=%d", c.database(c.address), page, len(all))
		if err := c.call(ctx, opening, http.MethodGet, path, nil, &some); err != nil {
			return nil, err
		}
		for _, one := range some {
			one.client = c
		}
		all = append(all, some...)
		if len(some) < page {
			return all, nil
		}
	}
}

// Collection looks the address's collection up, and finds out what the server
// can do.
func (c *Client) Collection(ctx context.Context) (*Collection, error) {
	if err := c.resolve(ctx); err != nil {
		return nil, err
	}
	if c.address.Collection == "" {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the address " + c.address.String() + " names no collection", Hint: addressHint}
	}
	one := &Collection{client: c}
	err := c.call(ctx, opening, http.MethodGet, c.database(c.address)+"/collections/"+url.PathEscape(c.address.Collection), nil, one)
	if winnow.CodeOf(err) == winnow.NotFound {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("there is no collection %q on %s", c.address.Collection, c.address.Server()),
			Hint: "winnow ls " + c.address.Root().String() + " lists what there is, and winnow index --to makes one"}
	}
	if err != nil {
		return nil, err
	}
	return one, one.probe(ctx)
}

// Make makes the address's collection if it is not there, for vectors compared
// by their angle. Where the server searches words too, it gets an index for
// them.
func (c *Client) Make(ctx context.Context, metadata map[string]any, function Function) (*Collection, error) {
	if err := c.resolve(ctx); err != nil {
		return nil, err
	}
	if c.address.Collection == "" {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the address " + c.address.String() + " names no collection", Hint: addressHint}
	}
	one := &Collection{client: c}
	in := map[string]any{"name": c.address.Collection, "metadata": metadata, "get_or_create": true, "schema": newSchema(function)}
	path := c.database(c.address) + "/collections"
	err := c.call(ctx, opening, http.MethodPost, path, in, one)
	if status := statusOf(err); status == http.StatusBadRequest || status == http.StatusUnprocessableEntity || status == http.StatusNotImplemented {
		// A single node refuses sparse indexes, and older servers know no schema.
		delete(in, "schema")
		in["configuration"] = map[string]any{"hnsw": map[string]any{"space": "cosine"}, "embedding_function": function}
		err = c.call(ctx, patient, http.MethodPost, path, in, one)
	}
	if err != nil {
		return nil, err
	}
	return one, one.probe(ctx)
}

// Restore returns a collection as it was last seen, to be asked through the
// client again.
func (c *Client) Restore(one *Collection) *Collection {
	restored := *one
	restored.client = c
	restored.limits = Limits{Page: nodePage, Write: nodePage, Reads: nodeReads}
	return &restored
}

// path is that of a call about the collection.
func (c *Collection) path(call string) string {
	return c.client.database(Address{Tenant: c.Tenant, Database: c.Database}) + "/collections/" + url.PathEscape(c.ID) + "/" + call
}

// Count is the number of records.
func (c *Collection) Count(ctx context.Context) (n int, err error) {
	return n, c.client.call(ctx, patient, http.MethodGet, c.path("count"), nil, &n)
}

// Drop deletes the address's collection with all its records.
func (c *Client) Drop(ctx context.Context) error {
	return c.call(ctx, patient, http.MethodDelete, c.database(c.address)+"/collections/"+url.PathEscape(c.address.Collection), nil, nil)
}

// newSchema is the index of a collection with words and vectors.
func newSchema(function Function) json.RawMessage {
	vector := map[string]any{"space": "cosine", "source_key": keyDocument, "embedding_function": function}
	keys := map[string]any{
		keyEmbedding: map[string]any{"float_list": map[string]any{"vector_index": map[string]any{"enabled": true, "config": vector}}},
		keyDocument: map[string]any{"string": map[string]any{
			"fts_index": map[string]any{"enabled": true, "config": struct{}{}}, "string_inverted_index": map[string]any{"enabled": false, "config": struct{}{}}}},
		sparseKey: map[string]any{"sparse_vector": map[string]any{"sparse_vector_index": map[string]any{"enabled": true,
			"config": map[string]any{"source_key": keyDocument, "bm25": true, "embedding_function": defaultBM25.function()}}}},
	}
	inverted := func(kind string) map[string]any {
		return map[string]any{kind + "_inverted_index": map[string]any{"enabled": true, "config": struct{}{}}}
	}
	raw, err := json.Marshal(map[string]any{"keys": keys, "defaults": map[string]any{
		"string": inverted("string"), "int": inverted("int"), "float": inverted("float"), "bool": inverted("bool")}})
	if err != nil {
		panic(err) // maps of strings and numbers always marshal
	}
	return raw
}
