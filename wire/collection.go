package wire

import (
	"time"

	"github.com/winnow-search/winnow"
)

// Collection is a collection in a list: how large it is, and how well.
type Collection struct {
	Collection string `json:"collection"`
	// Description says what is in it, in its maker's words or in figures.
	Description string `json:"description"`
	// Kind is folder, files or content.
	Kind      string   `json:"kind"`
	Roots     []string `json:"roots"`
	Documents int      `json:"documents"`
	Chunks    int      `json:"chunks"`
	// Bytes are those of text.
	Bytes     int64     `json:"bytes"`
	DiskBytes int64     `json:"disk_bytes"`
	Updated   time.Time `json:"updated"`
	Language  string    `json:"language"`
	// Vectors is the share of chunks that have vectors, by space.
	Vectors map[string]float64 `json:"vectors"`
	// State is ready, indexing, or broken; Error says why it is broken.
	State string `json:"state"`
	Error string `json:"error"`
	// Default says that it is searched where a request names none.
	Default bool `json:"default"`
}

// The states of a collection.
const (
	CollectionReady    = "ready"
	CollectionIndexing = "indexing"
	CollectionBroken   = "broken"
)

// Collections is the list of them.
type Collections struct {
	Collections []Collection `json:"collections"`
}

// CollectionRequest makes an empty collection.
type CollectionRequest struct {
	Name        string `json:"name" jsonschema:"letters, digits, dots, dashes and underscores, at most 64"`
	Description string `json:"description,omitempty" jsonschema:"what is in it, for people and models"`
	Language    string `json:"language,omitempty" jsonschema:"of stems and stop words; english if left out"`
}

// DocumentsRequest puts documents into a collection and removes others, all at
// once.
type DocumentsRequest struct {
	Documents []NewDocument `json:"documents,omitempty" jsonschema:"documents to add, or to replace by id"`
	Delete    []string      `json:"delete,omitempty" jsonschema:"ids of documents to remove"`
}

// NewDocument is a document by its content.
type NewDocument struct {
	ID       string          `json:"id"`
	Title    string          `json:"title,omitempty"`
	Text     string          `json:"text"`
	Metadata winnow.Metadata `json:"metadata,omitempty" jsonschema:"strings, numbers and booleans by name"`
}

// Written says what a request has changed.
type Written struct {
	Put     int `json:"put"`
	Deleted int `json:"deleted"`
}
