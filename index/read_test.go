package index_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

// manual is a document with all that a document can have.
func manual() *winnow.Document {
	d := document("docs/manual.md", "# Manual\nWelcome.\n|## Install\nRun it.\n|### Linux\nUse the package.\n|## Use\nSearch.\n", winnow.Metadata{
		"author": "Ada", "year": int64(2021), "score": 0.5, "draft": false,
	})
	d.Title = "The Manual"
	d.Names = []string{"manual", "handbook"}
	d.Links = []winnow.Link{{Kind: winnow.LinkHyper, Target: "https://example.org", At: 3}, {Kind: winnow.LinkCitation, Target: "[1]", At: 20}}
	for i, heading := range []string{"Manual", "Manual > Install", "Manual > Install > Linux", "Manual > Use"} {
		d.Chunks[i].Heading = heading
		d.Chunks[i].Page = 1 + i/2
		d.Chunks[i].Tokens = 5 + i
	}
	d.Chunks[2].Metadata = winnow.Metadata{"year": int64(2024), "os": "linux"}
	return d
}

func TestReadFindsChunksByManyNames(t *testing.T) {
	ctx := context.Background()
	snap := open(t, manual(),
		document("a", "a zero|a one", nil), document("a_1", "named like a chunk", nil), document("b", "b zero", nil), document("b_1", "no chunk has this name", nil),
		document("x:7", "a colon in its id", nil), document("long_12345678901", "a long number", nil), document("n_01", "no chunk either|second", nil))
	for _, c := range []struct {
		about string
		query winnow.ReadQuery
		want  string // ids of the chunks, or a code
	}{
		{"a document", winnow.ReadQuery{ID: "docs/manual.md"}, "docs/manual.md_0 docs/manual.md_1 docs/manual.md_2 docs/manual.md_3"},
		{"a chunk", winnow.ReadQuery{ID: "docs/manual.md_2"}, "docs/manual.md_2"},
		{"a line after the path", winnow.ReadQuery{ID: "docs/manual.md:4"}, "docs/manual.md_1"},
		{"a line", winnow.ReadQuery{ID: "docs/manual.md", Line: 5}, "docs/manual.md_2"},
		{"a page", winnow.ReadQuery{ID: "docs/manual.md", Page: 2}, "docs/manual.md_2 docs/manual.md_3"},
		{"a heading and what is under it", winnow.ReadQuery{ID: "docs/manual.md", Heading: "install"}, "docs/manual.md_1 docs/manual.md_2"},
		{"a heading on a page", winnow.ReadQuery{ID: "docs/manual.md", Heading: "Install", Page: 2}, "docs/manual.md_2"},
		{"a chunk's id that is a document's too", winnow.ReadQuery{ID: "a_1"}, "a_1"},
		{"the document is found by its chunk", winnow.ReadQuery{ID: "a_1_0"}, "a_1_0"},
		{"a document's id that looks like a chunk's", winnow.ReadQuery{ID: "b_1"}, "b_1_0"},
		{"a leading zero makes no chunk's id", winnow.ReadQuery{ID: "n_01"}, "n_01_0 n_01_1"},
		{"a number too long for a chunk", winnow.ReadQuery{ID: "long_12345678901"}, "long_12345678901_0"},
		{"a colon in an id", winnow.ReadQuery{ID: "x:7"}, "x:7_0"},
		{"a line of an id with a colon", winnow.ReadQuery{ID: "x:7:1"}, "x:7_0"},

		{"no such document", winnow.ReadQuery{ID: "docs/none.md"}, "not_found"},
		{"no such chunk", winnow.ReadQuery{ID: "docs/manual.md_4"}, "not_found"},
		{"no such line", winnow.ReadQuery{ID: "docs/manual.md:99"}, "not_found"},
		{"no such page", winnow.ReadQuery{ID: "docs/manual.md", Page: 3}, "not_found"},
		{"no such heading", winnow.ReadQuery{ID: "docs/manual.md", Heading: "Windows"}, "not_found"},
		{"no line", winnow.ReadQuery{ID: "docs/manual.md:x"}, "not_found"},
		{"nothing", winnow.ReadQuery{}, "not_found"},
		{"only a number", winnow.ReadQuery{ID: "_0"}, "not_found"},
	} {
		t.Run(c.about, func(t *testing.T) {
			doc, err := snap.Read(ctx, c.query)
			if err != nil {
				var e *winnow.Error
				if !errors.As(err, &e) || string(e.Code) != c.want || e.Hint == "" {
					t.Errorf("got %v, want %s", err, c.want)
				}
				return
			}
			var ids []string
			for _, chunk := range doc.Chunks {
				ids = append(ids, chunk.ID)
			}
			if got := strings.Join(ids, " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	if doc, err := snap.Read(ctx, winnow.ReadQuery{ID: "a_1"}); err != nil || doc.Text() != "a one" {
		t.Errorf("a_1 is %+v (%v), want the chunk of a", doc, err)
	}
}

func TestReadReturnsAllThatWasPut(t *testing.T) {
	want := manual()
	got, err := open(t, document("before", "text", nil), manual(), document("z", "text", nil)).Read(context.Background(), winnow.ReadQuery{ID: want.ID})
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Chunks { // what a stored chunk has from its document
		c := &want.Chunks[i]
		c.ID, c.Document, c.Title, c.Path, c.Metadata = winnow.ChunkID(want.ID, i), want.ID, want.Title, want.Path, merged(want, c)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestADocumentWithoutTextIsThere(t *testing.T) {
	snap := open(t, &winnow.Document{ID: "empty", Title: "Nothing inside"})
	doc, err := snap.Read(context.Background(), winnow.ReadQuery{ID: "empty"})
	if err != nil || doc.Text() != "" || doc.Title != "Nothing inside" || snap.Info().Documents != 1 {
		t.Errorf("got %+v, %v", doc, err)
	}
	found, err := snap.Top(context.Background(), index.Request{Query: winnow.Query{Text: "nothing", K: 1, Scope: winnow.Scope{}}})
	if err != nil || len(found) != 1 {
		t.Errorf("its title finds %v, %v", found, err)
	}
}
