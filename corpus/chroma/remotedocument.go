package chroma

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-search/winnow"
)

// Read returns a document with the chunks asked for. An id is looked up as a
// record's first, then as a document's, then as document:line.
func (r *Remote) Read(ctx context.Context, q winnow.ReadQuery) (*winnow.Document, error) {
	d, err := r.lookUp(ctx, q.ID)
	if i := strings.LastIndexByte(q.ID, ':'); d == nil && err == nil && i > 0 {
		if line, nerr := strconv.Atoi(q.ID[i+1:]); nerr == nil && line > 0 {
			q.Line = line
			d, err = r.lookUp(ctx, q.ID[:i])
		}
	}
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("there is no document %q", q.ID), Hint: "search first and use the ids it returns"}
	}
	d.Chunks = slices.DeleteFunc(d.Chunks, func(c winnow.Chunk) bool {
		return q.Page > 0 && c.Page != q.Page ||
			q.Heading != "" && !strings.Contains(strings.ToLower(c.Heading), strings.ToLower(q.Heading)) ||
			q.Line > 0 && (q.Line < c.Lines[0] || q.Line > c.Lines[1])
	})
	if len(d.Chunks) == 0 {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("document %q has no such page, heading or line", d.ID),
			Hint: "read it without --page and --heading to see what it has"}
	}
	return d, nil
}

// lookUp returns the document of an id with its chunks, or with the one chunk
// that the id names; nil if there is neither.
func (r *Remote) lookUp(ctx context.Context, id string) (*winnow.Document, error) {
	records, err := r.collection.byID(ctx, []string{id}, withDocuments, withMetadata)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		if records, err = r.recordsOf(ctx, id); err != nil || len(records) == 0 {
			return nil, err
		}
	}
	document, _, _ := r.layout.place(&records[0])
	d := r.layout.document(document, records)
	for i := range d.Chunks {
		_, ordinal, numbered := r.layout.place(&records[i])
		if !numbered {
			ordinal = int64(i)
		}
		c := &d.Chunks[i]
		c.ID, c.Document, c.Ordinal, c.Collection = records[i].ID, document, int(ordinal), r.o.Collection
	}
	return d, nil
}

// recordsOf are a document's, in order.
func (r *Remote) recordsOf(ctx context.Context, document string) (records []Record, err error) {
	include := []string{withDocuments, withMetadata}
	page := r.collection.limits.Page
	switch {
	case r.layout.Document != "":
		for {
			some, err := r.collection.get(ctx, selection{Where: where(r.layout.Document, "$eq", document), Limit: page, Offset: len(records), Include: include})
			if err != nil {
				return nil, err
			}
			if records = append(records, some...); len(some) < page {
				break
			}
		}
	case r.layout.Separator != "":
		ids := make([]string, documentMost)
		for n := range ids {
			ids[n] = fmt.Sprintf("%s%s%d", document, r.layout.Separator, n)
		}
		if records, err = r.collection.byID(ctx, ids, include...); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(records, func(a, b Record) int {
		_, x, _ := r.layout.place(&a)
		_, y, _ := r.layout.place(&b)
		return cmp.Compare(x, y)
	})
	return records, nil
}

// The bounds of what is looked for as a neighbour.
const (
	namesMost = 100
	nameWords = 6
)

// Neighbours returns the documents that the chunks name by their titles, and
// those that hold the titles of the chunks' documents, ranked for the question.
// Without an index here it knows no other links.
func (r *Remote) Neighbours(ctx context.Context, q winnow.LinkQuery) (*winnow.Neighbours, error) {
	k := q.K
	if k <= 0 {
		k = defaultK
	}
	out := &winnow.Neighbours{Neighbours: []winnow.Neighbour{}, Warnings: []string{}}
	if r.layout.Title == "" {
		return out, nil
	}
	var from []*winnow.Document
	for _, id := range q.From {
		d, err := r.lookUp(ctx, id)
		if err != nil {
			return nil, err
		}
		if d == nil {
			return nil, &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("there is no document or chunk %q", id), Hint: "search first and use the ids it returns"}
		}
		from = append(from, d)
	}
	seen := map[string]bool{}
	for _, d := range from {
		seen[d.ID] = true
	}
	add := func(d *winnow.Document, back bool, also any) error {
		scope := q.Scope
		scope.ExcludeDocuments = append(slices.Clone(scope.ExcludeDocuments), d.ID)
		s, err := r.scope(&scope, also)
		if err != nil {
			return err
		}
		text := cmp.Or(q.Question, d.Chunks[0].Text)
		found := &winnow.Results{}
		lists, weights, err := r.lists(ctx, winnow.Query{Text: text}, found)
		for _, w := range found.Warnings {
			if !slices.Contains(out.Warnings, w) {
				out.Warnings = append(out.Warnings, w)
			}
		}
		if err != nil || len(lists) == 0 {
			return err
		}
		if err := r.gather(ctx, winnow.Query{Text: text}, s, lists, weights, k, found); err != nil {
			return err
		}
		for _, h := range found.Hits {
			if seen[h.Document] {
				continue
			}
			seen[h.Document] = true
			n := winnow.Neighbour{Hit: h, From: d.Chunks[0].ID, Kind: winnow.LinkNamed, Via: h.Title, Back: back}
			if back {
				n.Via = d.Title
			}
			out.Neighbours = append(out.Neighbours, n)
		}
		return nil
	}
	for _, d := range from {
		if names := namesIn(d); len(names) > 0 {
			if err := add(d, false, condition(r.layout.Title, "$in", names)); err != nil {
				return nil, err
			}
		}
		if d.Title != "" && len(d.Title) <= cloudExpr {
			if err := add(d, true, condition(keyDocument, "$contains", d.Title)); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(out.Neighbours, func(a, b winnow.Neighbour) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	out.Neighbours = out.Neighbours[:min(k, len(out.Neighbours))]
	return out, nil
}

// namesIn are the runs of words in a document's text that may be titles: those
// that begin and end with a capital or a digit.
func namesIn(d *winnow.Document) (names []string) {
	capital := func(w string) bool {
		return w != "" && (w[0] >= 'A' && w[0] <= 'Z' || w[0] >= '0' && w[0] <= '9' || w[0] >= 0x80)
	}
	seen := map[string]bool{d.Title: true}
	for i := range d.Chunks {
		words := strings.Fields(d.Chunks[i].Text)
		for n, w := range words {
			words[n] = strings.Trim(w, `.,;:!?"“”'’`)
		}
		for from := range words {
			if !capital(words[from]) {
				continue
			}
			for to := from; to < min(from+nameWords, len(words)) && len(names) < namesMost; to++ {
				if name := strings.Join(words[from:to+1], " "); capital(words[to]) && !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// Describe tells what there is to filter by, from a sample. The number of
// documents is estimated from it too: no server counts them.
func (r *Remote) Describe(ctx context.Context) (*winnow.Description, error) {
	count, err := r.collection.Count(ctx)
	if err != nil {
		return nil, err
	}
	sample, err := r.collection.get(ctx, selection{Limit: r.collection.limits.Page, Include: []string{withMetadata}})
	if err != nil {
		return nil, err
	}
	out := &winnow.Description{Chunks: count, Keys: []winnow.KeyUse{}}
	documents := map[string]bool{}
	folders, heads, keys := map[any]int{}, map[any]int{}, map[string]map[any]int{}
	for i := range sample {
		c := r.chunk(&sample[i])
		documents[c.Document] = true
		folder := "."
		if at := strings.LastIndexByte(c.Path, '/'); at > 0 {
			folder = c.Path[:at]
		}
		folders[folder]++
		if c.Heading != "" {
			heads[c.Heading]++
		}
		for k, v := range c.Metadata {
			if keys[k] == nil {
				keys[k] = map[any]int{}
			}
			keys[k][v]++
		}
	}
	if len(sample) > 0 {
		out.Documents = max(len(documents), len(documents)*count/len(sample))
	}
	const values, places, most = 8, 40, 60
	out.Folders, out.Headings = facets(folders, places), facets(heads, places)
	for k, vs := range keys {
		use := winnow.KeyUse{Key: k, Values: facets(vs, values)}
		for _, n := range vs {
			use.Count += n
		}
		out.Keys = append(out.Keys, use)
	}
	slices.SortFunc(out.Keys, func(a, b winnow.KeyUse) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Key, b.Key)) })
	out.Keys = out.Keys[:min(len(out.Keys), most)]
	return out, nil
}

// facets are the commonest values.
func facets(counts map[any]int, most int) []winnow.Facet {
	out := make([]winnow.Facet, 0, len(counts))
	for v, n := range counts {
		out = append(out, winnow.Facet{Value: v, Count: n})
	}
	slices.SortFunc(out, func(a, b winnow.Facet) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(fmt.Sprint(a.Value), fmt.Sprint(b.Value)))
	})
	return out[:min(len(out), most)]
}
