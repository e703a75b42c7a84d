package filter

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

// shelf is a few documents that differ in all that a scope can tell apart.
func shelf() (docs []*winnow.Document) {
	for i, path := range []string{"docs/a.md", "docs/b.txt", "src/c.md", "src/d.go"} {
		d := &winnow.Document{ID: string("abcd"[i]), Path: path}
		for j := range 2 {
			d.Chunks = append(d.Chunks, winnow.Chunk{ID: fmt.Sprintf("%s_%d", d.ID, j), Document: d.ID,
				Text: fmt.Sprintf("page %d of %s", j, d.ID), Metadata: winnow.Metadata{"page": int64(j), "folder": strings.Split(path, "/")[0]}})
		}
		docs = append(docs, d)
	}
	return docs
}

// kept are the chunks of the shelf that are in scope.
func kept(t *testing.T, s winnow.Scope) string {
	t.Helper()
	var ids []string
	for _, d := range shelf() {
		ok, err := Keep(d, &s)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range d.Chunks {
			if ok {
				ids = append(ids, c.ID)
			}
		}
	}
	return strings.Join(ids, " ")
}

// scopes are scopes with what they keep of the shelf.
var scopes = []struct {
	scope winnow.Scope
	kept  string
}{
	{winnow.Scope{}, "a_0 a_1 b_0 b_1 c_0 c_1 d_0 d_1"},
	{winnow.Scope{Where: json.RawMessage("null"), WhereDocument: json.RawMessage("{}")}, "a_0 a_1 b_0 b_1 c_0 c_1 d_0 d_1"},
	{winnow.Scope{Where: json.RawMessage(`{"page": 1}`)}, "a_1 b_1 c_1 d_1"},
	{winnow.Scope{Where: json.RawMessage(`{"folder": {"$ne": "src"}}`)}, "a_0 a_1 b_0 b_1"},
	{winnow.Scope{WhereDocument: json.RawMessage(`{"$contains": "page 0"}`)}, "a_0 b_0 c_0 d_0"},
	{winnow.Scope{WhereDocument: json.RawMessage(`{"$regex": "[bd]$"}`)}, "b_0 b_1 d_0 d_1"},
	{winnow.Scope{Path: "*.md"}, "a_0 a_1 c_0 c_1"},
	{winnow.Scope{Path: "!docs/"}, "c_0 c_1 d_0 d_1"},
	{winnow.Scope{ExcludeDocuments: []string{"a", "d"}}, "b_0 b_1 c_0 c_1"},
	{winnow.Scope{ExcludeChunks: []string{"a_0", "b_1"}}, "a_1 b_0 c_0 c_1 d_0 d_1"},
}

func TestAScopeKeepsWhatItSays(t *testing.T) {
	for _, c := range scopes {
		if got := kept(t, c.scope); got != c.kept {
			t.Errorf("%+v keeps %q, not %q", c.scope, got, c.kept)
		}
	}
}

func TestANarrowedScopeIsWhatBothKeep(t *testing.T) {
	for _, a := range scopes {
		for _, b := range scopes {
			s, err := Narrow(a.scope, b.scope)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for id := range strings.FieldsSeq(a.kept) {
				if strings.Contains(b.kept, id) {
					want = append(want, id)
				}
			}
			if got := kept(t, s); got != strings.Join(want, " ") {
				t.Errorf("%+v and %+v keep %q, not %q", a.scope, b.scope, got, want)
			}
		}
	}
}

func TestAScopeThatCantBeUsedIsRefused(t *testing.T) {
	for _, bad := range []winnow.Scope{
		{Where: json.RawMessage(`{"a": {"$near": 1}}`)}, {WhereDocument: json.RawMessage(`{"$contains": 1}`)}, {Path: "a{"},
	} {
		if _, err := Narrow(winnow.Scope{}, bad); winnow.CodeOf(err) != winnow.BadFilter {
			t.Errorf("%+v gives %v", bad, err)
		}
		if _, err := Keep(shelf()[0], &bad); winnow.CodeOf(err) != winnow.BadFilter {
			t.Errorf("keeping by %+v gives %v", bad, err)
		}
	}
}
