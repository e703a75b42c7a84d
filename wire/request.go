package wire

import (
	"encoding/json"

	"github.com/winnow-search/winnow"
)

// In is the WHERE of a request: which collections, and what of them.
type In struct {
	// Collections are names of collections, or of the folders that the server
	// was started with; none means what the server was started with.
	Collections []string `json:"collections,omitempty" jsonschema:"names of the collections to search; leave out to search the default ones"`
	// Where is a filter over metadata in Chroma's syntax.
	Where json.RawMessage `json:"where,omitempty" jsonschema:"only chunks whose metadata match this filter in Chroma's syntax, such as {\"type\": \"markdown\"}"`
	// WhereDocument is a filter over text.
	WhereDocument json.RawMessage `json:"where_document,omitempty" jsonschema:"only chunks whose text matches this filter, such as {\"$contains\": \"lock\"}"`
	Path          string          `json:"path,omitempty" jsonschema:"only files whose path matches this glob, such as docs/**/*.md"`
	Exclude       []string        `json:"exclude,omitempty" jsonschema:"ids of documents to leave out"`
}

// Scope is what binds every search of the request.
func (in *In) Scope() winnow.Scope {
	return winnow.Scope{Where: in.Where, WhereDocument: in.WhereDocument, Path: in.Path, ExcludeDocuments: in.Exclude}
}

// AskRequest asks a question of a policy.
type AskRequest struct {
	Question string `json:"question" jsonschema:"what you want to know, as a whole question"`
	In
	// Policy is the name of a policy; "" is the server's own.
	Policy   string `json:"policy,omitempty" jsonschema:"who searches: the name of a policy of the server; leave out for its default"`
	Rollouts int    `json:"rollouts,omitempty" jsonschema:"independent runs whose rankings are fused; 1 if left out"`
	Budget   int    `json:"budget,omitempty" jsonschema:"bound on the view in tokens"`
	Seed     uint64 `json:"seed,omitempty" jsonschema:"of the policy; the same seed gives the same run"`
	Explain  bool   `json:"explain,omitempty" jsonschema:"say how each hit was found"`
	// Deadline bounds the run in seconds; at its end the best ranking so far is
	// returned.
	Deadline float64 `json:"deadline_s,omitempty" jsonschema:"seconds after which the best ranking so far is returned"`
	// MaxTokens bounds the text of the ranking.
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"bound on the text of the answer in tokens"`
}

// QueryRequest asks for one search.
type QueryRequest struct {
	Query string `json:"query" jsonschema:"what to look for, in words"`
	In
	K         int  `json:"k,omitempty" jsonschema:"the number of passages; 10 if left out"`
	Explain   bool `json:"explain,omitempty" jsonschema:"say how each hit was found"`
	MaxTokens int  `json:"max_tokens,omitempty" jsonschema:"bound on the text of the answer in tokens"`
}

// GrepRequest asks for the lines that match.
type GrepRequest struct {
	Pattern string `json:"pattern" jsonschema:"a regular expression in RE2 syntax"`
	In
	IgnoreCase bool `json:"ignore_case,omitempty" jsonschema:"upper and lower case are the same"`
	Limit      int  `json:"limit,omitempty" jsonschema:"the most lines to return; 1000 if left out"`
	MaxTokens  int  `json:"max_tokens,omitempty" jsonschema:"bound on the text of the answer in tokens"`
}

// ReadRequest asks for a document or a part of one.
type ReadRequest struct {
	Document string `json:"document" jsonschema:"the id of a document or of a chunk, a path, or path:line for the chunk that holds a line"`
	In
	Page      int    `json:"page,omitempty" jsonschema:"only this page, from 1"`
	Heading   string `json:"heading,omitempty" jsonschema:"only what stands under a heading that contains this"`
	Line      int    `json:"line,omitempty" jsonschema:"only the chunk that holds this line"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"bound on the text of the answer in tokens"`
}

// Read is a document, or a part of one: an entry whose text is that of all its
// chunks.
type Read struct {
	Entry
	Chunks   []Entry  `json:"chunks"`
	Warnings []string `json:"warnings"`
}

// ReadOf is a document with these of its chunks, of which there is at least one.
func ReadOf(d *winnow.Document, chunks []winnow.Chunk, warnings []string) Read {
	whole := chunks[0]
	whole.Lines[1] = chunks[len(chunks)-1].Lines[1]
	whole.Text, whole.Metadata = (&winnow.Document{Chunks: chunks}).Text(), d.Metadata
	r := Read{Entry: EntryOf(&whole), Chunks: make([]Entry, len(chunks)), Warnings: append([]string{}, warnings...)}
	for i := range chunks {
		r.Chunks[i] = EntryOf(&chunks[i])
	}
	return r
}
