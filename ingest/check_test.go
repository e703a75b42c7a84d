package ingest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/token"
)

// check fails the test unless the document keeps what every document promises:
// its chunks tile its text, end at runes, hold at most ChunkTokens, counted
// exactly, and know their places.
func check(t *testing.T, doc *winnow.Document) {
	t.Helper()
	text := doc.Text()
	start, line := 0, 1
	for i := range doc.Chunks {
		c := &doc.Chunks[i]
		if c.ID != winnow.ChunkID(doc.ID, i) || c.Ordinal != i || c.Document != doc.ID {
			t.Fatalf("chunk %d is called %q, ordinal %d, of document %q", i, c.ID, c.Ordinal, c.Document)
		}
		if c.Text == "" {
			t.Fatalf("chunk %d is empty", i)
		}
		if c.Start != start {
			t.Fatalf("chunk %d starts at %d, want %d", i, c.Start, start)
		}
		if n := token.Count(c.Text); c.Tokens != n || n > ChunkTokens {
			t.Fatalf("chunk %d has %d tokens and says %d", i, n, c.Tokens)
		}
		if utf8.ValidString(text) && !utf8.ValidString(c.Text) {
			t.Fatalf("chunk %d ends inside a rune: %q", i, c.Text)
		}
		last := line + strings.Count(strings.TrimSuffix(c.Text, "\n"), "\n")
		if c.Lines != [2]int{line, last} {
			t.Fatalf("chunk %d has lines %v, want [%d %d]", i, c.Lines, line, last)
		}
		start += len(c.Text)
		line += strings.Count(c.Text, "\n")
	}
	at := 0
	for _, l := range doc.Links {
		if l.At < at && l.At != 0 || l.At >= max(1, len(text)) || l.Target == "" {
			t.Fatalf("link %+v is out of place in %d bytes", l, len(text))
		}
		at = l.At
	}
	for key, value := range doc.Metadata {
		switch value.(type) {
		case string, bool, int64, float64:
		default:
			t.Fatalf("metadata %q is a %T", key, value)
		}
	}
}

// readOne reads a file that is one document.
func readOne(t *testing.T, name, content string) *winnow.Document {
	t.Helper()
	docs, warnings, err := Read(name, []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) != 1 || len(warnings) > 0 {
		t.Fatalf("%d documents, warnings %q", len(docs), warnings)
	}
	check(t, docs[0])
	return docs[0]
}

// headings are the headings of a document's chunks.
func headings(doc *winnow.Document) []string {
	var out []string
	for i := range doc.Chunks {
		out = append(out, doc.Chunks[i].Heading)
	}
	return out
}

// words is a text of n words.
func words(n int) string {
	vocabulary := strings.Fields("the quick brown fox jumps over a lazy dog while seven small birds sing in old trees")
	var b strings.Builder
	for i := range n {
		word := vocabulary[(i*7+i/11)%len(vocabulary)]
		if i%12 == 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
		if i%12 == 11 {
			b.WriteString(".")
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(b.String())
}
