package ingest

import (
	"reflect"
	"testing"
)

func TestMarkups(t *testing.T) {
	p := "\n" + words(80) + "\n\n"
	want := []string{"The title", "The title > First", "The title > First > Inner", "The title > Second"}
	for name, text := range map[string]string{
		"a.rst":  "=========\nThe title\n=========\n" + p + "First\n-----\n" + p + "Inner\n~~~~~~\n" + p + "-----\n\nSecond\n------\n" + p,
		"a.adoc": "= The title\n" + p + "== First\n" + p + "=== Inner\n" + p + "====\ncode\n====\n== Second\n" + p,
		"a.org":  "* The title\n" + p + "** First\n" + p + "*** Inner\n" + p + "*bold*\n** Second\n" + p,
	} {
		doc := readOne(t, name, text)
		if got := headings(doc); !reflect.DeepEqual(got, want) || doc.Title != "The title" {
			t.Errorf("%s: title %q, headings %q", name, doc.Title, got)
		}
	}
}

func FuzzMarkup(f *testing.F) { fuzzReader(f, "a.rst", "a\n=\nTitle\n=====\nb\n---\n", "===\n") }
