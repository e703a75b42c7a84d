package chroma

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/winnow-search/winnow"
)

// The request of the Search API. Its filter is called "filter" here and "where"
// everywhere else.
type searchRequest struct {
	Searches []searchPayload `json:"searches"`
}

type searchPayload struct {
	Filter  json.RawMessage `json:"filter,omitempty"`
	Rank    any             `json:"rank,omitempty"`
	GroupBy *groupBy        `json:"group_by,omitempty"`
	Limit   searchLimit     `json:"limit"`
	Select  searchSelect    `json:"select"`
}

type searchLimit struct {
	Offset int `json:"offset"`
	Limit  int `json:"limit"`
}

type searchSelect struct {
	Keys []string `json:"keys"`
}

// groupBy keeps the best of each group.
type groupBy struct {
	Keys      []string `json:"keys"`
	Aggregate struct {
		MinK struct {
			Keys []string `json:"keys"`
			K    int      `json:"k"`
		} `json:"$min_k"`
	} `json:"aggregate"`
}

func bestOf(key string, k int) *groupBy {
	g := &groupBy{Keys: []string{key}}
	g.Aggregate.MinK.Keys, g.Aggregate.MinK.K = []string{keyScore}, k
	return g
}

// knn is a list of neighbours as a rank expression.
type knn struct {
	Query any    `json:"query"` // a winnow.Vector or a sparse
	Key   string `json:"key"`
	Limit int    `json:"limit"`
	// Default is the rank of what the list does not hold. Without one a record
	// has to be in every list, and drops out of the result if it is not.
	Default float64 `json:"default"`
	// ReturnRank has the place count and not the distance.
	ReturnRank bool `json:"return_rank"`
}

// The constants of fusion. A record that a list does not hold gets from it what
// is as good as nothing.
const (
	rrfK   = 60
	absent = 1e6
)

// fused is −Σ weight/(60 + rank): reciprocal rank fusion, which the wire has no
// word for. Lower is better.
func fused(lists []knn, weights []float64) any {
	type m = map[string]any
	var sum []any
	for i, l := range lists {
		l.Default, l.ReturnRank = absent, true
		sum = append(sum, m{"$div": m{"left": m{"$val": weights[i]}, "right": m{"$sum": []any{m{"$val": rrfK}, m{"$knn": l}}}}})
	}
	return m{"$mul": []any{m{"$val": -1}, m{"$sum": sum}}}
}

// found is a record with its score, lower is better.
type found struct {
	Record
	score float64
}

// search asks the Search API. There is one list of records for each search.
func (c *Collection) search(ctx context.Context, searches ...searchPayload) ([][]found, error) {
	var r struct {
		IDs       [][]string         `json:"ids"`
		Documents [][]*string        `json:"documents"`
		Metadatas [][]map[string]any `json:"metadatas"`
		Scores    [][]*float64       `json:"scores"`
	}
	done, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := c.client.call(ctx, searching, http.MethodPost, c.path("search"), searchRequest{searches}, &r); err != nil {
		return nil, err
	}
	if len(r.IDs) != len(searches) {
		return nil, &winnow.Error{Code: winnow.Unavailable, Message: "Chroma answers another number of searches than it was asked", Hint: "run it again"}
	}
	out := make([][]found, len(searches))
	for i, ids := range r.IDs {
		out[i] = make([]found, len(ids))
		for j, id := range ids {
			f := &out[i][j]
			f.ID = id
			if i < len(r.Documents) && j < len(r.Documents[i]) && r.Documents[i][j] != nil {
				f.Document = *r.Documents[i][j]
			}
			if i < len(r.Metadatas) && j < len(r.Metadatas[i]) {
				f.Metadata = scalars(r.Metadatas[i][j])
			}
			if i < len(r.Scores) && j < len(r.Scores[i]) && r.Scores[i][j] != nil {
				f.score = *r.Scores[i][j]
			}
		}
	}
	return out, nil
}
