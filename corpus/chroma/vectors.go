package chroma

import (
	"context"
	"fmt"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus"
)

// vectorPage is how many vectors one request asks for: some megabytes of JSON.
const vectorPage = 500

// copied are the vectors that a server holds, as a source for the companion's
// copy of them.
type copied struct {
	collection *Collection
	embedder   winnow.Embedder
	byDocument map[string][]*entry // sorted by ordinal
}

func (c *copied) Name() string { return c.embedder.Name() }
func (c *copied) Dim() int     { return c.collection.Dimension }

// Vectors asks the server for those of some chunks. A record that is gone has
// none.
func (c *copied) Vectors(ctx context.Context, chunks []winnow.Chunk) ([][]winnow.Vector, error) {
	out := make([][]winnow.Vector, len(chunks))
	at := make(map[string]int, len(chunks))
	var ids []string
	for i := range chunks {
		of := c.byDocument[chunks[i].Document]
		if n := chunks[i].Ordinal; n < len(of) && of[n].ordinal == n {
			at[of[n].id] = i
			ids = append(ids, of[n].id)
		}
	}
	records, err := c.collection.byID(ctx, ids, withVectors)
	if err != nil {
		return nil, err
	}
	for i := range records {
		v := corpus.Unit(records[i].Vector)
		if v == nil {
			continue
		}
		if len(v) != c.Dim() {
			return nil, &winnow.Error{Code: winnow.Unavailable, Message: fmt.Sprintf("Chroma sends a vector of %d dimensions of a collection with %d", len(v), c.Dim()),
				Hint: "run it again; the collection may have been made anew meanwhile"}
		}
		out[at[records[i].ID]] = []winnow.Vector{v}
	}
	return out, nil
}
