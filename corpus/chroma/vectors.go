package chroma

import (
	"context"
	"fmt"
	"math"

	"github.com/winnow-search/winnow"
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
		v := unit(records[i].Vector)
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

// unit is a vector of length 1, nil for one that has no direction.
func unit(v winnow.Vector) winnow.Vector {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil
	}
	out := make(winnow.Vector, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return out
}

// mean unites the windows of a long text.
func mean(windows []winnow.Vector) winnow.Vector {
	if len(windows) == 0 {
		return nil
	}
	sum := make(winnow.Vector, len(windows[0]))
	for _, w := range windows {
		for i, x := range w {
			sum[i] += x
		}
	}
	return unit(sum)
}
