package winnow

import "context"

// Corpus is a searchable set of documents, pinned: for as long as it is open
// every call sees the same generation. All methods may be called concurrently.
// Failures a caller can act on are *Error.
type Corpus interface {
	// Search returns up to Query.K hits, never fewer while more are in scope
	// and match.
	Search(context.Context, Query) (*Results, error)
	Grep(context.Context, GrepQuery) (*Matches, error)
	// Read returns a document with the chunks asked for, in order.
	Read(context.Context, ReadQuery) (*Document, error)
	// Neighbours returns what the chunks refer to and what refers to them.
	Neighbours(context.Context, LinkQuery) (*Neighbours, error)
	Describe(context.Context) (*Description, error)
	Close() error
}

// Writer fills a corpus. Nothing is visible before Commit, and Commit makes all
// of it visible at once, durably.
type Writer interface {
	// Put adds a document, or replaces the one with its id.
	Put(context.Context, *Document) error
	// Delete removes a document; an unknown id is not an error.
	Delete(context.Context, string) error
	Commit(context.Context) error
	Close() error
}

// Vector is an embedding of unit length.
type Vector []float32

// Embedder turns text into vectors of one space.
type Embedder interface {
	// Name identifies the space and its version. It is recorded with every
	// vector, and vectors of different names are never compared.
	Name() string
	Dim() int
	// Embed returns for each text its vectors, one per window of the model; a
	// text that fits the window has one, an empty text none.
	Embed(ctx context.Context, texts []string) ([][]Vector, error)
}

// Reranker scores candidates against a query a second time. It returns one
// score per hit, higher is better.
type Reranker interface {
	Name() string
	Rerank(ctx context.Context, query string, hits []Hit) ([]float64, error)
}
