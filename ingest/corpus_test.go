package ingest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestCorpus(t *testing.T) {
	docs, warnings, err := Read("data/corpus.jsonl", []byte("\xef\xbb\xbf"+
		`{"id": "p1", "title": "One", "text": "A short\npassage.", "metadata": {"year": 1999, "deep": {"a": [1, "x"], "b": null}, "score": 0.5}, "source": "s", "n": 3, "list": [1]}`+"\n"+
		"\n"+
		`{"_id": 17, "title": "", "text": "From BEIR"}`+"\n"+
		`not json`+"\n"+
		`{"title": "no id", "text": "x"}`+"\n"+
		`{"id": "empty", "text": ""}`+"\n"+
		`{"id": "p/2_0", "text": "last line without a break", "ok": true}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		id, title, text string
		metadata        winnow.Metadata
	}{
		{"p1", "One", "A short\npassage.", winnow.Metadata{"year": int64(1999), "deep.a": "1, x", "score": 0.5, "source": "s", "n": int64(3)}},
		{"17", "", "From BEIR", nil},
		{"empty", "", "", nil},
		{"p/2_0", "", "last line without a break", winnow.Metadata{"ok": true}},
	}
	if len(docs) != len(want) {
		t.Fatalf("%d documents", len(docs))
	}
	for i, doc := range docs {
		check(t, doc)
		if w := want[i]; doc.ID != w.id || doc.Title != w.title || doc.Text() != w.text || doc.Path != "" || !reflect.DeepEqual(doc.Metadata, w.metadata) {
			t.Errorf("document %d is %+v", i, doc)
		}
		if len(doc.Chunks) > 1 {
			t.Errorf("a short passage has %d chunks", len(doc.Chunks))
		}
	}
	if len(warnings) != 2 || !strings.HasPrefix(warnings[0], "line 4 is left out: not a JSON object") || warnings[1] != `line 5 is left out: it has no "id"` {
		t.Errorf("warnings %q", warnings)
	}
}

func TestJSONLThatIsNoCorpusIsText(t *testing.T) {
	doc := readOne(t, "events.jsonl", `{"event": "start", "n": 1}`+"\n"+`{"event": "stop", "n": 2}`+"\n")
	if doc.Metadata["type"] != "data" || doc.ID != "events.jsonl" {
		t.Fatalf("got %+v", doc)
	}
}

func TestTablesHaveTheirColumnsAsHeading(t *testing.T) {
	doc := readOne(t, "a.csv", `"name",age;city`+"\n"+strings.Repeat("Ada,36,London\n", 400))
	if len(doc.Chunks) < 2 {
		t.Fatalf("%d chunks", len(doc.Chunks))
	}
	for _, c := range doc.Chunks {
		if c.Heading != "name, age, city" || !strings.HasSuffix(c.Text, "\n") {
			t.Errorf("heading %q, text %q", c.Heading, c.Text)
		}
	}
}
