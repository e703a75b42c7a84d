package ingest

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// One bad file never stops the rest, and each has its reason.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"good.md":           "# Good\n",
		"empty.md":          "",
		"blank.txt":         " \n\n",
		"binary.md":         "text\x00and more",
		"control":           strings.Repeat("\x01\x02", 50),
		"key":               "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n",
		"corrupt.pdf":       "%PDF-1.7\nnothing of use",
		"encrypted.pdf":     encryptedPDF,
		"scanned.pdf":       "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages<</Kids[<</Type/Page>>]>>>>endobj trailer<</Root 1 0 R>>",
		"not.docx":          "text",
		"bundle.css":        strings.Repeat("a{b:c}", 5000),
		"latin1.txt":        "Caf\xe9 cr\xe8me",
		"damaged-utf8.txt":  "Grüße, schöne Grüße \xff.",
		"utf16.txt":         "\xff\xfeh\x00i\x00",
		"deep.html":         strings.Repeat("<b><i>", 10_000),
		"lines.jsonl":       `{"id":"p1","text":"one"}` + "\n{broken\n",
		"z-last-of-all.txt": "read as well",
	})
	// A log of 2 GB, most of it a hole.
	log := filepath.Join(dir, "huge.log")
	write(t, dir, map[string]string{"huge.log": strings.Repeat("2026-01-01 00:00:00 started\n", 2000)})
	if err := os.Truncate(log, 2<<30); err != nil {
		t.Fatal(err)
	}
	c := newCollection(t, dir)
	c.opts.MaxText = 40_000
	c.sync()

	texts := c.texts()
	for id, want := range map[string]string{
		"good.md": "# Good\n", "latin1.txt": "Café crème", "damaged-utf8.txt": "Grüße, schöne Grüße \uFFFD.",
		"utf16.txt": "hi", "p1": "one", "z-last-of-all.txt": "read as well",
	} {
		if texts[id] != want {
			t.Errorf("%s reads %q", id, texts[id])
		}
		delete(texts, id)
	}
	if text := texts["huge.log"]; len(text) > 40_000 || len(text) < 39_900 || !strings.HasSuffix(text, "started\n") {
		t.Errorf("the log has %d bytes", len(text))
	}
	delete(texts, "huge.log")
	if len(texts) > 0 {
		t.Errorf("also read: %v", texts)
	}
	r := c.table.Report()
	check := func(kind string, got []Note, want map[string]string) {
		notes := map[string]string{}
		for _, n := range got {
			notes[n.Path] = n.Reason
		}
		if !reflect.DeepEqual(notes, want) {
			t.Errorf("%s: %v", kind, notes)
		}
	}
	check("skipped", r.Skipped, map[string]string{
		"empty.md": "empty", "blank.txt": "empty", "binary.md": "binary", "control": "binary", "key": "may hold secrets",
		"scanned.pdf": "no text in it, perhaps scanned pages", "bundle.css": "minified or generated",
	})
	check("failed", r.Failed, map[string]string{
		"corrupt.pdf":   "the PDF is damaged: no pages can be found in it",
		"encrypted.pdf": "the PDF is encrypted and needs a password",
		"not.docx":      "not a readable DOCX file: zip: not a valid zip file",
		"deep.html":     r.Failed[1].Reason,
	})
	check("warnings", r.Warnings, map[string]string{
		"huge.log":    "only the first 39 KiB of text are indexed",
		"lines.jsonl": "line 2 is left out: not a JSON object: invalid character 'b' looking for beginning of object key string",
	})
	c.settle()
	c.expect() // and none of it is read again
}

// encryptedPDF can't be opened without a password: its user entry is not that of
// the empty one.
var encryptedPDF = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[]>>endobj\n" +
	"trailer<</Root 1 0 R/ID[(a)(a)]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O(" + strings.Repeat("o", 32) + ")/U(" + strings.Repeat("u", 32) + ")>>>>"

func TestEncodings(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"UTF-8", "naïve", "naïve"},
		{"with a mark", "\xef\xbb\xbfnaïve", "naïve"},
		{"UTF-16 LE", "\xff\xfen\x00a\x00\xef\x00", "naï"},
		{"UTF-16 BE", "\xfe\xff\x00n\x00a\x00\xef", "naï"},
		{"UTF-16 with a pair", "\xff\xfe\x3d\xd8\x00\xde", "😀"},
		{"UTF-16 cut", "\xff\xfea\x00\x3d", "a\uFFFD"},
		{"Windows-1252", "\x93na\xefve\x94 \x80", "“naïve” €"},
		{"damaged UTF-8", "ä ö ü \xff", "ä ö ü \uFFFD"},
		{"empty", "", ""},
	} {
		if got := decode([]byte(c.data)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The limit on text strikes between runes and, if it can, between lines.
func TestTextIsCutAtTheLimit(t *testing.T) {
	for _, c := range []struct {
		data  string
		limit int
		want  string
	}{
		{"one\ntwo\nthree\n", 10, "one\ntwo\n"},
		{"one\ntwo\n", 8, "one\ntwo\n"},
		{"äöüäöü", 5, "äö"},
		{"漢漢漢", 7, "漢漢"},
		{"a\nvery long line", 10, "a\nvery lon"},
		{strings.Repeat("\xe9", 10), 10, "ééééé"},
	} {
		src := newSource("a.txt", []byte(c.data), c.limit)
		if got := src.text(); got != c.want {
			t.Errorf("%q cut at %d is %q, want %q", c.data, c.limit, got, c.want)
		}
		if cut := len(src.warnings) > 0; cut != (c.want != c.data) {
			t.Errorf("%q cut at %d warns %q", c.data, c.limit, src.warnings)
		}
	}
}
