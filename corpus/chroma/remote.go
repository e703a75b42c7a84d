package chroma

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus"
	"github.com/winnow-search/winnow/filter"
)

// Remote is a collection whose server fuses words and vectors itself. It keeps
// nothing here, so any number of processes give the same answers; and it sees
// writes at once, so it is pinned only as long as nobody writes.
type Remote struct {
	collection *Collection
	layout     Layout
	words      string   // the key of the sparse index, "" without one
	code       wordCode // of that index
	count      int
	o          CorpusOptions
}

var _ winnow.Corpus = (*Remote)(nil)

// OpenRemote opens a collection of a server that has the Search API. The part of
// the layout that is not known is guessed from the first records.
func OpenRemote(ctx context.Context, c *Collection, known Layout, o CorpusOptions) (*Remote, error) {
	r := &Remote{collection: c, o: o}
	if !c.limits.Search {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "Chroma at " + c.client.address.Server() + " has no Search API",
			Hint: "chroma.mode: companion, which is the default there"}
	}
	sample, err := c.get(ctx, selection{Limit: min(guessed, c.limits.Page), Include: []string{withMetadata}})
	if err != nil {
		return nil, err
	}
	if r.count, err = c.Count(ctx); err != nil {
		return nil, err
	}
	r.layout = known.guess(sample)
	if c.Schema != nil {
		for key, k := range c.Schema.Keys {
			if k.Sparse == nil || k.Sparse.Index == nil || !k.Sparse.Index.Enabled {
				continue
			}
			if code, ok := bm25Of(k.Sparse.Index.Config.Function); ok && (r.words == "" || key < r.words) {
				r.words, r.code = key, code
			}
		}
	}
	return r, nil
}

// Coverage is 1: the server has a vector for every record.
func (r *Remote) Coverage() float64 {
	if r.o.Embedder == nil {
		return 0
	}
	return 1
}

// Records is how many there were when the corpus was opened.
func (r *Remote) Records() int { return r.count }

const (
	defaultK = 10
	// candidates is how many times the results each list holds.
	candidates = 4
	leastList  = 100
)

// Search returns the best chunks for a query.
func (r *Remote) Search(ctx context.Context, q winnow.Query) (*winnow.Results, error) {
	out := &winnow.Results{Hits: []winnow.Hit{}, Coverage: r.Coverage(), Warnings: []string{}}
	lists, weights, err := r.lists(ctx, q, out)
	if err != nil || len(lists) == 0 {
		return out, err
	}
	scope, err := r.scope(&q.Scope)
	if err != nil {
		return nil, err
	}
	k := q.K
	if k <= 0 {
		k = defaultK
	}
	again := r.o.Reranker != nil && q.Rerank == ""
	want := k
	if again {
		want = max(k, corpus.RerankTop)
	}
	if err := r.gather(ctx, q, scope, lists, weights, want, out); err != nil {
		return nil, err
	}
	if again {
		if err := corpus.Rerank(ctx, r.o.Reranker, q.Text, out); err != nil {
			return nil, err
		}
	}
	out.Hits = out.Hits[:min(k, len(out.Hits))]
	return out, nil
}

// leg names of the lists, in their order.
func legOf(l knn) winnow.Leg {
	if l.Key == keyEmbedding {
		return winnow.LegDense
	}
	return winnow.LegBM25
}

// lists are the legs of a query, without their limits.
func (r *Remote) lists(ctx context.Context, q winnow.Query, out *winnow.Results) (lists []knn, weights []float64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	uses := func(l winnow.Leg) bool { return len(q.Legs) == 0 || slices.Contains(q.Legs, l) }
	if uses(winnow.LegBM25) {
		if r.words == "" {
			out.Warnings = append(out.Warnings, r.o.Collection+" has no index of words; collections that winnow index --to makes have one")
		} else if code := r.code.encode(q.Text); len(code.Indices) > 0 {
			lists, weights = append(lists, knn{Query: code, Key: r.words}), append(weights, 1)
		}
	}
	// An empty collection has no dimension yet, and refuses vectors of any.
	if uses(winnow.LegDense) && r.o.Embedder != nil && r.collection.Dimension > 0 && strings.TrimSpace(q.Text) != "" {
		vs, err := r.o.Embedder.Embed(ctx, []string{q.Text})
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			out.Warnings = append(out.Warnings, fmt.Sprintf("searched without vectors: %v", err))
		case len(vs) == 1 && len(vs[0]) > 0:
			lists, weights = append(lists, knn{Query: mean(vs[0]), Key: keyEmbedding}), append(weights, cmp.Or(r.o.Weight, 1))
		}
	}
	return lists, weights, nil
}

// gather asks page by page until there are enough hits in scope. A glob over
// paths is the one thing that the server can't apply.
func (r *Remote) gather(ctx context.Context, q winnow.Query, s remoteScope, lists []knn, weights []float64, want int, out *winnow.Results) error {
	page := min(want, r.collection.limits.Page)
	if s.glob != nil {
		page = r.collection.limits.Page
	}
	seen := map[string]bool{}
	for offset := 0; len(out.Hits) < want; offset += page {
		depth := max(candidates*(offset+page), leastList)
		for i := range lists {
			lists[i].Limit = depth
		}
		p := searchPayload{Filter: s.filter, Rank: fused(lists, weights), Limit: searchLimit{Offset: offset, Limit: page},
			Select: searchSelect{Keys: []string{keyDocument, keyMetadata, keyScore}}}
		if r.o.PerDocument > 0 && r.layout.Document != "" {
			p.GroupBy = bestOf(r.layout.Document, r.o.PerDocument)
		}
		got, err := r.collection.search(ctx, p)
		if err != nil {
			return err
		}
		// Equal scores come in any order from a server of several parts.
		slices.SortStableFunc(got[0], func(a, b found) int { return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.ID, b.ID)) })
		for i := range got[0] {
			f := &got[0][i]
			c := r.chunk(&f.Record)
			if seen[f.ID] || s.glob != nil && !s.glob.Match(cmp.Or(c.Path, c.Document)) {
				continue
			}
			seen[f.ID] = true
			out.Hits = append(out.Hits, winnow.Hit{Chunk: c, Score: -f.score})
		}
		if len(got[0]) < page {
			break
		}
	}
	out.Hits = out.Hits[:min(want, len(out.Hits))]
	if q.Explain {
		return r.explain(ctx, s, lists, out)
	}
	return nil
}

// explain asks for each leg alone, all in one request.
func (r *Remote) explain(ctx context.Context, s remoteScope, lists []knn, out *winnow.Results) error {
	var asks []searchPayload
	for _, l := range lists {
		l.Default = absent
		asks = append(asks, searchPayload{Filter: s.filter, Rank: map[string]any{"$knn": l},
			Limit: searchLimit{Limit: r.collection.limits.Page}, Select: searchSelect{Keys: []string{keyScore}}})
	}
	legs, err := r.collection.search(ctx, asks...)
	if err != nil {
		return err
	}
	for i := range out.Hits {
		h := &out.Hits[i]
		for j, leg := range legs {
			if at := slices.IndexFunc(leg, func(f found) bool { return f.ID == h.ID }); at >= 0 {
				h.Legs = append(h.Legs, winnow.LegScore{Leg: legOf(lists[j]), Rank: at + 1, Score: -leg[at].score})
			}
		}
		h.Legs = append(h.Legs, winnow.LegScore{Leg: "fusion", Rank: i + 1, Score: h.Score})
	}
	return nil
}

// chunk is a record as a chunk. Its id is the record's: there is no table here
// that could lead from another one back to it.
func (r *Remote) chunk(rec *Record) winnow.Chunk {
	document, ordinal, _ := r.layout.place(rec)
	d := r.layout.document(document, []Record{*rec})
	c := d.Chunks[0]
	c.ID, c.Document, c.Ordinal, c.Collection = rec.ID, document, int(ordinal), r.o.Collection
	return c
}

// remoteScope is a scope as the server takes it.
type remoteScope struct {
	filter json.RawMessage // nil for everything
	glob   *filter.Glob
}

// predicates is how many of them Chroma Cloud takes in a filter.
const predicates = 8

// scope translates a scope and further conditions. Exclusions are conditions
// over ids and documents; lists of any length are one predicate.
func (r *Remote) scope(s *winnow.Scope, also ...any) (out remoteScope, err error) {
	all := also
	if len(s.Where) > 0 {
		e, err := filter.Parse(s.Where)
		if err != nil {
			return out, err
		}
		if r.collection.Schema != nil {
			if err := filter.Check(e, r.keys()); err != nil {
				return out, err
			}
		}
		all = append(all, filter.JSON(e))
	}
	if len(s.WhereDocument) > 0 {
		e, err := filter.ParseDocument(s.WhereDocument)
		if err != nil {
			return out, err
		}
		all = append(all, onDocument(filter.JSON(e)))
	}
	if len(s.ExcludeChunks) > 0 {
		all = append(all, condition(keyID, "$nin", s.ExcludeChunks))
	}
	if len(s.ExcludeDocuments) > 0 {
		switch {
		case r.layout.Document != "":
			all = append(all, condition(r.layout.Document, "$nin", s.ExcludeDocuments))
		case r.layout.Separator != "":
			var ids []string
			for _, d := range s.ExcludeDocuments {
				for n := range documentMost {
					ids = append(ids, fmt.Sprintf("%s%s%d", d, r.layout.Separator, n))
				}
			}
			all = append(all, condition(keyID, "$nin", ids))
		default:
			all = append(all, condition(keyID, "$nin", s.ExcludeDocuments))
		}
	}
	if s.Path != "" {
		if out.glob, err = filter.CompileGlob(s.Path); err != nil {
			return out, err
		}
	}
	switch len(all) {
	case 0:
		return out, nil
	case 1:
		out.filter, err = json.Marshal(all[0])
	default:
		out.filter, err = json.Marshal(map[string]any{"$and": all})
	}
	if err == nil && countPredicates(out.filter) > predicates {
		err = &winnow.Error{Code: winnow.BadFilter, Message: fmt.Sprintf("Chroma takes at most %d conditions in a filter", predicates), Hint: "$in and $nin in place of many conditions"}
	}
	return out, err
}

// documentMost is how many chunks of a document are named by their numbers where
// no metadata holds the document's id.
const documentMost = 256

// keys are those that a filter can name.
func (r *Remote) keys() (keys []string) {
	for key := range r.collection.Schema.Keys {
		if !strings.HasPrefix(key, "#") && key != r.words {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func condition(key, op string, value any) any { return map[string]any{key: map[string]any{op: value}} }

// onDocument turns a filter over text into one over the key of the text, which
// is how the Search API has them in one.
func onDocument(raw json.RawMessage) any {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return raw
	}
	for _, op := range []string{"$and", "$or"} {
		var list []json.RawMessage
		if m[op] == nil || json.Unmarshal(m[op], &list) != nil {
			continue
		}
		var all []any
		for _, one := range list {
			all = append(all, onDocument(one))
		}
		return map[string]any{op: all}
	}
	return map[string]any{keyDocument: m}
}

// countPredicates counts the conditions of a filter.
func countPredicates(raw json.RawMessage) (n int) {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return 1
	}
	for key, value := range m {
		var list []json.RawMessage
		if (key == "$and" || key == "$or") && json.Unmarshal(value, &list) == nil {
			for _, one := range list {
				n += countPredicates(one)
			}
			continue
		}
		n++
	}
	return n
}

// grepLines is what a grep returns if nobody says how many.
const grepLines = 1000

// Grep returns the lines that match a pattern. The server finds the records and
// each line is matched here.
func (r *Remote) Grep(ctx context.Context, q winnow.GrepQuery) (*winnow.Matches, error) {
	re, err := filter.CompilePattern(q.Pattern)
	if err != nil {
		return nil, err
	}
	pattern := "(?m)" + q.Pattern // ^ and $ at lines, as grep does
	if len(pattern) > cloudExpr {
		return nil, &winnow.Error{Code: winnow.BadPattern, Message: fmt.Sprintf("Chroma takes patterns of at most %d characters", cloudExpr-len("(?m)")), Hint: "a shorter pattern"}
	}
	re = regexp.MustCompile("(?m)" + re.String())
	scope, err := r.scope(&q.Scope, condition(keyDocument, "$regex", pattern))
	if err != nil {
		return nil, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = grepLines
	}
	out := &winnow.Matches{Matches: []winnow.Match{}, Warnings: []string{}}
	page := r.collection.limits.Page
	for offset := 0; len(out.Matches) <= limit; offset += page {
		got, err := r.collection.search(ctx, searchPayload{Filter: scope.filter, Limit: searchLimit{Offset: offset, Limit: page},
			Select: searchSelect{Keys: []string{keyDocument, keyMetadata}}})
		if err != nil {
			return nil, err
		}
		for i := range got[0] {
			c := r.chunk(&got[0][i].Record)
			if scope.glob != nil && !scope.glob.Match(cmp.Or(c.Path, c.Document)) {
				continue
			}
			for n, line := range strings.Split(strings.TrimSuffix(c.Text, "\n"), "\n") {
				if re.MatchString(line) {
					out.Matches = append(out.Matches, winnow.Match{Chunk: c, Line: c.Lines[0] + n, Text: strings.TrimSuffix(line, "\r")})
				}
			}
		}
		if len(got[0]) < page {
			break
		}
	}
	slices.SortStableFunc(out.Matches, func(a, b winnow.Match) int {
		return cmp.Or(cmp.Compare(a.Chunk.Document, b.Chunk.Document), cmp.Compare(a.Chunk.Ordinal, b.Chunk.Ordinal), cmp.Compare(a.Line, b.Line))
	})
	chunks, last := 0, ""
	for i, m := range out.Matches {
		if m.Chunk.ID != last {
			chunks, last = chunks+1, m.Chunk.ID
		}
		if i == limit || q.Chunks > 0 && chunks > q.Chunks {
			out.Matches, out.Truncated = out.Matches[:i], true
			break
		}
	}
	return out, nil
}

// Close closes idle connections.
func (r *Remote) Close() error {
	r.collection.client.Close()
	return nil
}
