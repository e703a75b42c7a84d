package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
)

// scope is what binds every call of a run. Searches carry it to the corpus;
// what is read by name is held to it here.
type scope struct {
	winnow.Scope
	where    filter.Expr
	document filter.Expr
	path     *filter.Glob
	joined   bool // excluded ids may be qualified
}

func newScope(s winnow.Scope, collections []string) (out scope, err error) {
	out.Scope, out.joined = s, len(collections) > 1
	if out.where, err = filter.Parse(s.Where); err != nil {
		return out, err
	}
	if out.document, err = filter.ParseDocument(s.WhereDocument); err != nil {
		return out, err
	}
	out.path, err = filter.CompileGlob(s.Path)
	return out, err
}

// with narrows the scope by a filter of the policy's and by chunks to leave out.
func (s *scope) with(where json.RawMessage, exclude []string) winnow.Scope {
	out := s.Scope
	switch {
	case len(where) == 0:
	case len(out.Where) == 0:
		out.Where = where
	default:
		out.Where = slices.Concat(json.RawMessage(`{"$and":[`), out.Where, json.RawMessage(`,`), where, json.RawMessage(`]}`))
	}
	out.ExcludeChunks = slices.Concat(s.ExcludeChunks, exclude)
	return out
}

// holds reports whether a chunk is in scope.
func (s *scope) holds(c *winnow.Chunk) bool {
	path := c.Path
	if path == "" {
		path = c.Document
	}
	return !s.names(s.ExcludeDocuments, c.Collection, c.Document) && !s.names(s.ExcludeChunks, c.Collection, c.ID) &&
		filter.Match(s.where, c.Metadata, c.Text) && filter.Match(s.document, c.Metadata, c.Text) &&
		(s.Path == "" || s.path.Match(path))
}

// names reports whether a list holds an id.
func (s *scope) names(list []string, collection, id string) bool {
	return slices.Contains(list, id) || s.joined && slices.Contains(list, winnow.QualifiedID(collection, id))
}

// within is the scope of one document.
func (s *scope) within(d *winnow.Document) winnow.Scope {
	out := s.Scope
	path := d.Path
	if path == "" {
		path = d.ID
	}
	var b strings.Builder
	b.WriteByte('/') // from the root: a bare name would match at any depth
	for _, r := range path {
		if strings.ContainsRune(`?*[]{}\,!^`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	out.Path = b.String()
	return out
}
