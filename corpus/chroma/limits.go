package chroma

import (
	"context"
	"net/http"
)

// Limits are what a server was found to do and to bear. Its version says nothing:
// very different builds call themselves 1.0.0.
type Limits struct {
	// Search is true where the Search API answers: on Cloud and on distributed
	// Chroma, and not on a single node.
	Search bool
	// Page bounds the records of one reply, Write those of one request.
	Page, Write int
	// Reads bounds the requests under way.
	Reads int
}

// The quotas of Chroma Cloud, which distributed servers share. A single node
// bears more, and says how much it takes in one write.
const (
	cloudPage  = 300
	cloudWrite = 300
	cloudReads = 8 // of the 10 that one collection has, for all its users
	cloudExpr  = 256
	nodePage   = 1000
	nodeReads  = 4
)

// probe asks the Search API for nothing. Who has it answers, or complains about
// the question; who has it not says so.
func (c *Collection) probe(ctx context.Context) error {
	c.limits = Limits{Page: nodePage, Write: nodePage, Reads: nodeReads}
	ask := searchRequest{Searches: []searchPayload{{Limit: searchLimit{Limit: 1}, Select: searchSelect{Keys: []string{keyScore}}}}}
	err := c.client.call(ctx, patient, http.MethodPost, c.path("search"), ask, nil)
	switch status := statusOf(err); {
	case err == nil:
		c.limits = Limits{Search: true, Page: cloudPage, Write: cloudWrite, Reads: cloudReads}
		c.reads = make(chan struct{}, cloudReads)
		return nil
	case status == http.StatusNotImplemented, status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
	default:
		return err
	}
	var said struct {
		Batch int `json:"max_batch_size"`
	}
	if err := c.client.call(ctx, patient, http.MethodGet, "/pre-flight-checks", nil, &said); err != nil {
		return err
	}
	if said.Batch > 0 {
		c.limits.Write = min(c.limits.Write, said.Batch)
	}
	return nil
}

// Limits are what the server was found to do.
func (c *Collection) Limits() Limits { return c.limits }
