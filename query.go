package winnow

import "encoding/json"

// Scope bounds what a call may return. It is applied inside retrieval, so that
// k results come back whenever k exist in scope. The zero Scope is everything.
type Scope struct {
	// Where is a filter over metadata and WhereDocument one over text, both in
	// Chroma's syntax.
	Where         json.RawMessage `json:"where,omitempty"`
	WhereDocument json.RawMessage `json:"where_document,omitempty"`
	// Path is a glob over document paths (ids where there is no path); "**"
	// crosses folders.
	Path string `json:"path,omitempty"`
	// ExcludeChunks and ExcludeDocuments are ids not to be returned; ids that
	// are not in the corpus exclude nothing.
	ExcludeChunks    []string `json:"exclude_chunks,omitempty"`
	ExcludeDocuments []string `json:"exclude_documents,omitempty"`
}

// Query asks a corpus for the chunks that serve a text best.
type Query struct {
	Text string `json:"query"`
	// K is the number of hits wanted; 0 means 10.
	K     int   `json:"k,omitempty"`
	Scope Scope `json:"scope,omitzero"`
	// Legs restricts the search to these legs; empty means all there are.
	Legs []Leg `json:"legs,omitempty"`
	// Rerank chooses the second stage by name: "" for the corpus's default,
	// "off" for fusion order.
	Rerank string `json:"rerank,omitempty"`
	// Explain fills Hit.Legs and Hit.Matched.
	Explain bool `json:"explain,omitempty"`
}

// Leg is one way of finding candidates.
type Leg string

const (
	LegBM25  Leg = "bm25"
	LegDense Leg = "dense"
	LegLinks Leg = "links"
)

// Hit is a chunk with the reasons it was returned.
type Hit struct {
	Chunk
	Score float64 `json:"score"`
	// Legs is the hit's place in each leg that met it.
	Legs []LegScore `json:"legs,omitempty"`
	// Matched are the query's terms that the chunk holds, as the index stores
	// them.
	Matched []string `json:"matched,omitempty"`
	// Lead is the link that led here, where links were followed.
	Lead *Lead `json:"lead,omitempty"`
	// Features are what the ranker saw, for policies written in code. They are
	// not rendered for models.
	Features []float32 `json:"-"`
}

// Lead is a link as a reason: how a chunk was come to from another of its
// collection. Its fields are those of [Neighbour].
type Lead struct {
	From string   `json:"from"`
	Kind LinkKind `json:"kind"`
	Via  string   `json:"via"`
	Back bool     `json:"back,omitempty"`
}

// LegScore is a hit's rank (from 1) and score in one leg.
type LegScore struct {
	Leg   Leg     `json:"leg"`
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
	// Via is the name that led here, in the links leg.
	Via string `json:"via,omitempty"`
}

// Results answers a Query, best first.
type Results struct {
	Hits []Hit `json:"hits"`
	// Coverage is the share of the corpus's chunks that have vectors of its best
	// tier; 0 without a dense leg.
	Coverage float64 `json:"coverage"`
	// Warnings say what was degraded and how to mend it.
	Warnings []string `json:"warnings"`
}

// GrepQuery asks for the lines that match a regular expression (RE2 syntax).
type GrepQuery struct {
	Pattern string `json:"pattern"`
	// Limit bounds the matching lines; 0 means 1,000.
	Limit int `json:"limit,omitempty"`
	// Chunks bounds the distinct chunks; 0 means no bound.
	Chunks int   `json:"chunks,omitempty"`
	Scope  Scope `json:"scope,omitzero"`
}

// Match is one matching line.
type Match struct {
	Chunk Chunk `json:"chunk"`
	// Line counts from 1 in the document's text.
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Matches answers a GrepQuery, in the order of document id and line.
type Matches struct {
	Matches []Match `json:"matches"`
	// Truncated says that a limit cut the list.
	Truncated bool     `json:"truncated"`
	Warnings  []string `json:"warnings"`
}

// ReadQuery asks for a document in order.
type ReadQuery struct {
	// ID is a chunk's or a document's id, or a path.
	ID string `json:"id"`
	// Page, Heading and Line narrow the answer to the chunks of one page, under
	// one heading, or holding one line.
	Page    int    `json:"page,omitempty"`
	Heading string `json:"heading,omitempty"`
	Line    int    `json:"line,omitempty"`
}

// LinkQuery asks for the neighbours of chunks in the link graph.
type LinkQuery struct {
	// From are ids of chunks or documents.
	From []string `json:"from"`
	// Question ranks the neighbours; usually what is not yet covered of the
	// question that led here. Empty ranks by the strength of the link alone.
	Question string `json:"question,omitempty"`
	K        int    `json:"k,omitempty"` // 0 means 10
	Scope    Scope  `json:"scope,omitzero"`
}

// Neighbour is a hit with the link that led to it.
type Neighbour struct {
	Hit
	From string   `json:"from"` // the chunk the link starts from
	Kind LinkKind `json:"kind"`
	// Via is the name or target that makes the link, as written in the text.
	Via string `json:"via"`
	// Back is true where the neighbour refers to From and not the other way.
	Back bool `json:"back,omitempty"`
}

// Neighbours answers a LinkQuery, best first.
type Neighbours struct {
	Neighbours []Neighbour `json:"neighbours"`
	Warnings   []string    `json:"warnings"`
}

// Description is what can be known of a corpus without searching it: facets
// before filters.
type Description struct {
	Documents int      `json:"documents"`
	Chunks    int      `json:"chunks"`
	Folders   []Facet  `json:"folders"`
	Headings  []Facet  `json:"headings"`
	Keys      []KeyUse `json:"keys"`
}

// Facet is a value with the number of chunks that have it.
type Facet struct {
	Value any `json:"value"`
	Count int `json:"count"`
}

// KeyUse is a metadata key with its commonest values.
type KeyUse struct {
	Key    string  `json:"key"`
	Count  int     `json:"count"`
	Values []Facet `json:"values"`
}
