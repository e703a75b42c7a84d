package chroma

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
)

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
