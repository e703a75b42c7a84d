package filter

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/winnow-search/winnow"
)

// Narrow is the scope of what is in both, and refuses one whose filters can't be
// used, before anything is opened to find out.
func Narrow(a, b winnow.Scope) (both winnow.Scope, err error) {
	if both.Where, err = and(Parse, a.Where, b.Where); err != nil {
		return both, err
	}
	if both.WhereDocument, err = and(ParseDocument, a.WhereDocument, b.WhereDocument); err != nil {
		return both, err
	}
	if both.Path = cmp.Or(a.Path, b.Path); a.Path != "" && b.Path != "" {
		both.Path = a.Path + "\n" + b.Path
	}
	if _, err := CompileGlob(both.Path); err != nil {
		return both, err
	}
	both.ExcludeChunks = slices.Concat(a.ExcludeChunks, b.ExcludeChunks)
	both.ExcludeDocuments = slices.Concat(a.ExcludeDocuments, b.ExcludeDocuments)
	return both, nil
}

func and(parse func(json.RawMessage) (Expr, error), x, y json.RawMessage) (json.RawMessage, error) {
	var all And
	for _, raw := range []json.RawMessage{x, y} {
		e, err := parse(raw)
		if err != nil {
			return nil, err
		}
		if every, ok := e.(And); !ok || len(every) > 0 {
			all = append(all, e)
		}
	}
	switch len(all) {
	case 0:
		return nil, nil
	case 1:
		return JSON(all[0]), nil
	}
	return JSON(all), nil
}

// Keep leaves only those chunks of a document that are in scope, and reports
// whether there are any. A search leaves the others out by itself; reading names
// what it wants.
func Keep(doc *winnow.Document, s *winnow.Scope) (bool, error) {
	where, err := Parse(s.Where)
	if err != nil {
		return false, err
	}
	text, err := ParseDocument(s.WhereDocument)
	if err != nil {
		return false, err
	}
	path, err := CompileGlob(s.Path)
	if err != nil {
		return false, err
	}
	if slices.Contains(s.ExcludeDocuments, doc.ID) || !path.Match(cmp.Or(doc.Path, doc.ID)) {
		return false, nil
	}
	doc.Chunks = slices.DeleteFunc(doc.Chunks, func(c winnow.Chunk) bool {
		return slices.Contains(s.ExcludeChunks, c.ID) || !Match(where, c.Metadata, c.Text) || !Match(text, c.Metadata, c.Text)
	})
	return len(doc.Chunks) > 0, nil
}
