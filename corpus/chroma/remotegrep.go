package chroma

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
)

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
