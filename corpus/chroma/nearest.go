package chroma

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"

	"github.com/winnow-search/winnow"
)

// question is what several vectors can ask in one request.
type question struct {
	n                    int
	where, whereDocument string
}

// near asks a server for neighbours of vectors. Requests that meet while the
// server is busy go together: eight vectors in one request take it a third of
// the time that they take one by one.
//
// Only what asks for the same number and filter goes together, so what a search
// gets does not depend on its company: an approximate index answers differently
// where more is asked of it.
type near struct {
	collection *Collection
	slots      chan struct{} // requests under way

	mu      sync.Mutex
	waiting map[question]*batch
}

// batch is vectors that wait for one request. Who opened it sends it.
type batch struct {
	vectors []winnow.Vector
	done    chan struct{}
	lists   [][]string
	err     error
}

// batchMost bounds the vectors of a request.
const batchMost = 16

var errAbandoned = errors.New("chroma: who was to ask has gone")

func newNear(c *Collection) *near {
	return &near{collection: c, slots: make(chan struct{}, c.limits.Reads), waiting: map[question]*batch{}}
}

// ask returns the ids of the records nearest to a vector, best first.
func (n *near) ask(ctx context.Context, q question, v winnow.Vector) ([]string, error) {
	for {
		ids, err := n.join(ctx, q, v)
		if err != errAbandoned {
			return ids, err
		}
	}
}

func (n *near) join(ctx context.Context, q question, v winnow.Vector) ([]string, error) {
	n.mu.Lock()
	if b := n.waiting[q]; b != nil {
		i := len(b.vectors)
		if b.vectors = append(b.vectors, v); len(b.vectors) == batchMost {
			delete(n.waiting, q)
		}
		n.mu.Unlock()
		select {
		case <-b.done:
			return b.list(i)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	b := &batch{vectors: []winnow.Vector{v}, done: make(chan struct{})}
	n.waiting[q] = b
	n.mu.Unlock()
	defer close(b.done)
	select {
	case n.slots <- struct{}{}:
		defer func() { <-n.slots }()
	case <-ctx.Done():
		n.close(q, b)
		b.err = errAbandoned
		return nil, context.Cause(ctx)
	}
	n.close(q, b)
	if b.lists, b.err = n.collection.query(ctx, q, b.vectors); b.err != nil && ctx.Err() != nil {
		b.err = errAbandoned
		return nil, context.Cause(ctx)
	}
	return b.list(0)
}

// close lets nobody else in.
func (n *near) close(q question, b *batch) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.waiting[q] == b {
		delete(n.waiting, q)
	}
}

func (b *batch) list(i int) ([]string, error) {
	if b.err != nil {
		return nil, b.err
	}
	return b.lists[i], nil
}

// query asks for the neighbours of several vectors. Distances alone: texts make
// a reply three times as slow, and the companion has them.
func (c *Collection) query(ctx context.Context, q question, vectors []winnow.Vector) ([][]string, error) {
	in := struct {
		Vectors       []winnow.Vector `json:"query_embeddings"`
		N             int             `json:"n_results"`
		Where         json.RawMessage `json:"where,omitempty"`
		WhereDocument json.RawMessage `json:"where_document,omitempty"`
		Include       []string        `json:"include"`
	}{vectors, q.n, json.RawMessage(q.where), json.RawMessage(q.whereDocument), []string{withDistances}}
	var out struct {
		IDs       [][]string  `json:"ids"`
		Distances [][]float64 `json:"distances"`
	}
	if err := c.client.call(ctx, impatient, http.MethodPost, c.path("query"), in, &out); err != nil {
		return nil, err
	}
	if len(out.IDs) != len(vectors) {
		return nil, &winnow.Error{Code: winnow.Unavailable, Message: "Chroma answers another number of questions than it was asked", Hint: "run it again"}
	}
	for i, ids := range out.IDs {
		if i < len(out.Distances) && len(out.Distances[i]) == len(ids) {
			out.IDs[i] = byDistance(ids, out.Distances[i])
		}
	}
	return out.IDs, nil
}

// byDistance puts records at the same distance in the order of their ids: the
// server's differs from one restart to the next.
func byDistance(ids []string, distances []float64) []string {
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(distances[a], distances[b]), cmp.Compare(ids[a], ids[b]))
	})
	sorted := make([]string, len(ids))
	for i, j := range order {
		sorted[i] = ids[j]
	}
	return sorted
}
