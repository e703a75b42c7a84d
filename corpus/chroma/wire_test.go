package chroma

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
)

// A single node has no Search API, and yet it reads the requests before it says
// so: what it answers 501 to, it has understood, and a rank that it does not know
// it answers with 422. So a real server vouches for our part of the wire format.
func TestARealServerUnderstandsOurSearches(t *testing.T) {
	server := os.Getenv("WINNOW_TEST_CHROMA")
	if server == "" {
		const why = "no Chroma server to test against: set WINNOW_TEST_CHROMA=chroma://host:port, or run .ci/chroma, which starts one"
		if os.Getenv("WINNOW_E2E") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	a, err := ParseAddress(fmt.Sprintf("%s/winnow-test-wire-%d", server, time.Now().UnixNano()))
	if err != nil {
		t.Fatal(err)
	}
	client, err := NewClient(a, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	c, err := client.Make(t.Context(), nil, Function{Type: "unknown"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Drop(t.Context())
	if err := c.upsert(t.Context(), []Record{{ID: "a_0", Document: "text", Vector: winnow.Vector{1, 0}, Metadata: winnow.Metadata{own.Document: "a", "year": int64(1)}}}); err != nil {
		t.Fatal(err)
	}
	if c, err = client.Collection(t.Context()); err != nil { // with the keys that it has now
		t.Fatal(err)
	}
	r := &Remote{collection: c, layout: own}
	scope, err := r.scope(&winnow.Scope{
		Where: json.RawMessage(`{"$or": [{"year": {"$gte": 1}}, {"year": {"$in": [7, 8]}}]}`), WhereDocument: json.RawMessage(`{"$or": [{"$contains": "t"}, {"$regex": "x+"}]}`),
		ExcludeChunks: []string{"b_0", "ü"}, ExcludeDocuments: []string{"b"}}, condition(keyDocument, "$regex", "(?m)^te"))
	if err != nil {
		t.Fatal(err)
	}
	whole := searchPayload{Filter: scope.filter, Rank: fused([]knn{{Query: winnow.Vector{1, 0}, Key: keyEmbedding, Limit: 40}}, []float64{0.75}),
		GroupBy: bestOf(own.Document, 2), Limit: searchLimit{Offset: 3, Limit: 10}, Select: searchSelect{Keys: []string{keyDocument, keyMetadata, keyScore}}}
	words := whole
	words.Rank = fused([]knn{{Query: defaultBM25.encode("some words"), Key: sparseKey, Limit: 40}}, []float64{1})
	wrong := whole
	wrong.Rank = map[string]any{"$rrf": 1}
	for name, test := range map[string]struct {
		search searchPayload
		status int
		says   string
	}{
		"dense, filtered, grouped":  {whole, http.StatusNotImplemented, "not implemented"},
		"words":                     {words, http.StatusBadRequest, "indexing is disabled"}, // read as a sparse query; a node has no such index
		"what there is no word for": {wrong, http.StatusUnprocessableEntity, "unknown variant"},
	} {
		_, err := c.search(t.Context(), test.search)
		if statusOf(err) != test.status || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: the server answers %v, want %d and %q", name, err, test.status, test.says)
		}
	}
	// The schema too is read whole: what it refuses is the index that it lacks.
	in := map[string]any{"name": "winnow-test-schema", "schema": newSchema(Function{Type: "known", Name: "default", Config: map[string]any{}})}
	err = client.call(t.Context(), impatient, http.MethodPost, client.database(a)+"/collections", in, nil)
	if statusOf(err) != http.StatusBadRequest || !strings.Contains(err.Error(), "Sparse vector indexing is not enabled in local") {
		t.Errorf("the schema is answered with %v", err)
	}
}
