package index_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

func TestAScopeThatCantBeUsedSaysWhy(t *testing.T) {
	ctx := context.Background()
	snap := open(t, manual())
	for _, c := range []struct {
		about string
		scope winnow.Scope
		code  winnow.Code
		says  []string
	}{
		{"unknown key", winnow.Scope{Where: json.RawMessage(`{"yaer": 2021}`)}, winnow.BadFilter, []string{`"yaer"`, `"author", "draft", "os", "score", "year"`}},
		{"unknown key inside", winnow.Scope{Where: json.RawMessage(`{"$and": [{"year": 2021}, {"colour": {"$ne": "red"}}]}`)}, winnow.BadFilter, []string{`"colour"`, `"year"`}},
		{"not JSON", winnow.Scope{Where: json.RawMessage(`{year: 2021}`)}, winnow.BadFilter, []string{"JSON"}},
		{"not an object", winnow.Scope{Where: json.RawMessage(`[1]`)}, winnow.BadFilter, []string{"object"}},
		{"unknown operator", winnow.Scope{Where: json.RawMessage(`{"year": {"$above": 2021}}`)}, winnow.BadFilter, []string{"$above"}},
		{"text filter is not JSON", winnow.Scope{WhereDocument: json.RawMessage(`contains`)}, winnow.BadFilter, []string{"JSON"}},
		{"text filter with a bad pattern", winnow.Scope{WhereDocument: json.RawMessage(`{"$regex": "("}`)}, winnow.BadPattern, nil},
		{"bad glob", winnow.Scope{Path: "docs/[a"}, winnow.BadFilter, []string{"[a"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			_, searched := snap.Search(ctx, index.Request{Query: winnow.Query{Text: "search", Scope: c.scope}})
			_, grepped := snap.Grep(ctx, winnow.GrepQuery{Pattern: "search", Scope: c.scope})
			for _, err := range []error{searched, grepped} {
				var e *winnow.Error
				if !errors.As(err, &e) || e.Code != c.code || e.Hint == "" {
					t.Fatalf("got %v, want %s with a hint", err, c.code)
				}
				for _, s := range c.says {
					if !strings.Contains(e.Message, s) {
						t.Errorf("%q does not say %s", e.Message, s)
					}
				}
			}
		})
	}
}

func TestAWhereWithoutAnyMetadata(t *testing.T) {
	snap := open(t, document("a", "text", nil))
	_, err := snap.Search(context.Background(), index.Request{Query: winnow.Query{Text: "text", Scope: winnow.Scope{Where: json.RawMessage(`{"year": 1}`)}}})
	if winnow.CodeOf(err) != winnow.BadFilter || !strings.Contains(err.Error(), "no metadata") {
		t.Errorf("got %v", err)
	}
}

func TestAPathIsMatchedAgainstTheIdWhereThereIsNone(t *testing.T) {
	noPath := document("mail/1", "text", nil)
	noPath.Path = ""
	snap := open(t, noPath, document("docs/1", "text", nil))
	for glob, want := range map[string][]string{"mail/*": {"mail/1_0"}, "docs/*": {"docs/1_0"}, "**": {"docs/1_0", "mail/1_0"}, "1": {"docs/1_0", "mail/1_0"}, "none/*": nil} {
		found, err := snap.Top(context.Background(), index.Request{Query: winnow.Query{Text: "text", K: 9, Scope: winnow.Scope{Path: glob}}})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, f := range found {
			ids = append(ids, f.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%s finds %v, want %v", glob, ids, want)
		}
	}
}
