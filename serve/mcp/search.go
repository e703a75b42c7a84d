package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/wire"
)

// where is what every search takes.
type where struct {
	Collections []string       `json:"collections,omitempty" jsonschema:"names of the collections to search; leave out for the default ones"`
	Where       map[string]any `json:"where,omitempty" jsonschema:"only chunks whose metadata match, in Chroma's filter syntax, such as {\"type\": \"markdown\"}"`
	Path        string         `json:"path,omitempty" jsonschema:"only files whose path matches this glob, such as docs/**/*.md"`
	Exclude     []string       `json:"exclude,omitempty" jsonschema:"ids of documents to leave out"`
	MaxTokens   int            `json:"max_tokens,omitempty" jsonschema:"the most tokens to return; 8000 if left out"`
}

// in is the same as the desk takes it, with the bound on the answer.
func (w *where) in() (wire.In, int, error) {
	if w.MaxTokens < 0 || w.MaxTokens > maxTokens {
		return wire.In{}, 0, &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("max_tokens wants a number from 1 to %d", maxTokens), Hint: "max_tokens: 8000"}
	}
	in := wire.In{Collections: w.Collections, Path: w.Path, Exclude: w.Exclude}
	if w.Where != nil {
		raw, err := json.Marshal(w.Where)
		if err != nil {
			return in, 0, err
		}
		in.Where = raw
	}
	return in, cmp.Or(w.MaxTokens, defaultTokens), nil
}

type queryArguments struct {
	Query string `json:"query" jsonschema:"what to look for, in words"`
	where
	K int `json:"k,omitempty" jsonschema:"the number of passages; 10 if left out"`
}

type found struct {
	Passages []passage `json:"passages" jsonschema:"best first"`
	Warnings []string  `json:"warnings"`
}

func (t *tools) query(ctx context.Context, _ *sdk.CallToolRequest, q *queryArguments) (string, *found, error) {
	in, most, err := q.in()
	if err != nil {
		return "", nil, err
	}
	r, err := t.desk.Query(ctx, &wire.QueryRequest{Query: q.Query, In: in, K: q.K})
	if err != nil {
		return "", nil, err
	}
	passages := make([]passage, len(r.Hits))
	for i := range r.Hits {
		passages[i] = passageOf(&r.Hits[i].Entry, r.Files[i])
	}
	out := &found{}
	passages, left := fit(passages, most)
	out.Passages, out.Warnings = passages, append(r.Warnings, left...)
	before := ""
	if len(passages) == 0 {
		before = "Nothing matches."
	}
	return render(before, passages, out.Warnings), out, nil
}

type grepArguments struct {
	Pattern string `json:"pattern" jsonschema:"a regular expression in RE2 syntax"`
	where
	IgnoreCase bool `json:"ignore_case,omitempty" jsonschema:"upper and lower case are the same"`
	Limit      int  `json:"limit,omitempty" jsonschema:"the most lines to return; 100 if left out"`
}

type lines struct {
	Matches   []match  `json:"matches"`
	Truncated bool     `json:"truncated" jsonschema:"whether there are more"`
	Warnings  []string `json:"warnings"`
}

type match struct {
	Document   string `json:"document"`
	Collection string `json:"collection"`
	Path       string `json:"path"`
	Line       int    `json:"line"`
	Text       string `json:"text"`
}

// grepLines is what a call without a limit gets: lines are for finding places,
// and a hundred of them are more than anyone reads.
const grepLines = 100

func (t *tools) grep(ctx context.Context, _ *sdk.CallToolRequest, q *grepArguments) (string, *lines, error) {
	in, most, err := q.in()
	if err != nil {
		return "", nil, err
	}
	// Half of it is for the names around the lines.
	r, err := t.desk.Grep(ctx, &wire.GrepRequest{Pattern: q.Pattern, In: in, IgnoreCase: q.IgnoreCase, Limit: cmp.Or(q.Limit, grepLines), MaxTokens: max(1, most/2)})
	if err != nil {
		return "", nil, err
	}
	out := &lines{Matches: make([]match, len(r.Matches)), Truncated: r.Truncated, Warnings: r.Warnings}
	passages := make([]passage, len(r.Matches))
	for i := range r.Matches {
		m := &r.Matches[i]
		out.Matches[i] = match{Document: m.Document, Collection: m.Collection, Path: r.Files[i], Line: m.Line, Text: m.Text}
		passages[i] = passage{Document: m.Document, Collection: m.Collection, Path: r.Files[i], Text: m.Text}
	}
	kept, left := fit(passages, most)
	out.Matches, out.Warnings = out.Matches[:len(kept)], append(out.Warnings, left...)
	text := ""
	for i := range out.Matches {
		out.Matches[i].Text = kept[i].Text
		m := &out.Matches[i]
		text += fmt.Sprintf("%s:%d:%s\n", m.Path, m.Line, m.Text)
	}
	if text == "" {
		text = "Nothing matches."
	}
	if out.Truncated {
		out.Warnings = append(out.Warnings, "there are more lines than these")
	}
	return render(text, nil, out.Warnings), out, nil
}

type readArguments struct {
	Document    string   `json:"document" jsonschema:"the id of a document or of a chunk, a path, or path:line for the part that holds a line"`
	Collections []string `json:"collections,omitempty" jsonschema:"where to look; leave out for the default collections"`
	Page        int      `json:"page,omitempty" jsonschema:"only this page, from 1"`
	Heading     string   `json:"heading,omitempty" jsonschema:"only what stands under a heading that contains this"`
	MaxTokens   int      `json:"max_tokens,omitempty" jsonschema:"the most tokens to return; 8000 if left out"`
}

type document struct {
	passage
	Warnings []string `json:"warnings"`
}

func (t *tools) read(ctx context.Context, _ *sdk.CallToolRequest, q *readArguments) (string, *document, error) {
	w := where{Collections: q.Collections, MaxTokens: q.MaxTokens}
	in, most, err := w.in()
	if err != nil {
		return "", nil, err
	}
	r, err := t.desk.Read(ctx, &wire.ReadRequest{Document: q.Document, In: in, Page: q.Page, Heading: q.Heading, MaxTokens: most})
	if err != nil {
		return "", nil, err
	}
	kept, _ := fit([]passage{passageOf(&r.Entry, r.File)}, most)
	out := &document{passage: kept[0], Warnings: r.Warnings}
	if len(out.Text) < len(r.Text) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the text is cut by max_tokens %d; read goes on with path:line", most))
	}
	return render("", kept, out.Warnings), out, nil
}

type none struct{}

type collections struct {
	Collections []collection `json:"collections"`
}

type collection struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Documents   int    `json:"documents"`
	State       string `json:"state" jsonschema:"ready, indexing or broken"`
	Default     bool   `json:"default" jsonschema:"searched where a call names no collections"`
}

func (t *tools) listCollections(ctx context.Context, _ *sdk.CallToolRequest, _ *none) (string, *collections, error) {
	list, err := t.desk.Collections(ctx)
	if err != nil {
		return "", nil, err
	}
	out, text := &collections{Collections: []collection{}}, ""
	for _, c := range list.Collections {
		one := collection{Name: c.Collection, Description: cmp.Or(c.Description, c.Error), Documents: c.Documents, State: c.State, Default: c.Default}
		out.Collections = append(out.Collections, one)
		text += fmt.Sprintf("%s: %s (%d documents, %s", one.Name, one.Description, one.Documents, one.State)
		if one.Default {
			text += ", searched by default"
		}
		text += ")\n"
	}
	return cmp.Or(text, "There are no collections yet."), out, nil
}
