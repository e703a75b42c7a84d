package ingest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestAShortTextIsOneChunk(t *testing.T) {
	doc := New("p1", "Title", "One.\n\nTwo.\n", winnow.Metadata{"n": int64(1)})
	check(t, doc)
	want := &winnow.Document{
		ID: "p1", Title: "Title", Metadata: winnow.Metadata{"n": int64(1)},
		Chunks: []winnow.Chunk{{
			ID: "p1_0", Document: "p1", Title: "Title", Lines: [2]int{1, 3}, Text: "One.\n\nTwo.\n", Tokens: doc.Chunks[0].Tokens,
		}},
	}
	if !reflect.DeepEqual(doc, want) {
		t.Fatalf("got %+v", doc)
	}
}

func TestATitleWithoutTextIsFound(t *testing.T) {
	doc := New("p1", "Only a title", "", nil)
	check(t, doc)
	if doc.Text() != "Only a title" {
		t.Fatalf("text is %q", doc.Text())
	}
}

func TestChunksEndWhereTextDoes(t *testing.T) {
	paragraph := words(150) + "\n\n"
	sentence := words(12) + " "
	for _, c := range []struct {
		name, text string
		chunks     int
		ends       string // what every chunk but the last ends with
	}{
		{"paragraphs", strings.Repeat(paragraph, 8), 3, "\n\n"},
		{"sentences", strings.Repeat(sentence, 100), 3, ". "},
		{"one word", strings.Repeat("antidisestablishmentarianism", 300), 4, ""},
		{"a line of words without stops", strings.Repeat("word ", 2000), 4, "word "},
		{"lines of a list", strings.Repeat("- item of a long list that has no blank lines\n", 120), 3, "\n"},
		{"ideographic sentences", strings.Repeat("这是一个很长的句子，没有空格。", 200), 5, "。"},
		{"blank lines", strings.Repeat("\n", 30_000) + "end", 0, "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := New("d", "", c.text, nil)
			check(t, doc)
			if c.chunks > 0 && len(doc.Chunks) != c.chunks {
				t.Errorf("%d chunks, want %d", len(doc.Chunks), c.chunks)
			}
			for _, chunk := range doc.Chunks[:len(doc.Chunks)-1] {
				if !strings.HasSuffix(chunk.Text, c.ends) {
					t.Errorf("chunk ends with %q", chunk.Text[max(0, len(chunk.Text)-20):])
				}
			}
		})
	}
}

// A text that is cut into n chunks is cut into nearly equal ones, so that none
// is a leftover.
func TestChunksAreBalanced(t *testing.T) {
	doc := New("d", "", strings.Repeat(words(50)+"\n\n", 12), nil) // a little more than one chunk holds
	check(t, doc)
	if len(doc.Chunks) != 2 {
		t.Fatalf("%d chunks", len(doc.Chunks))
	}
	if a, b := doc.Chunks[0].Tokens, doc.Chunks[1].Tokens; a > 2*b || b > 2*a {
		t.Fatalf("chunks of %d and %d tokens", a, b)
	}
}

func TestSectionsGetTheirChunks(t *testing.T) {
	long, short := words(100)+"\n\n", "few words\n\n"
	for _, c := range []struct {
		name     string
		sections [][2]string // heading, text
		want     []string
	}{
		{"each its own", [][2]string{{"A", long}, {"B", long}}, []string{"A", "B"}},
		{"a title joins its first part", [][2]string{{"T", short}, {"T > A", long}, {"T > B", long}}, []string{"T > A", "T > B"}},
		{"a small part joins the next", [][2]string{{"T > A", short}, {"T > B", long}}, []string{"T > B"}},
		{"a small last part stands alone", [][2]string{{"A", long}, {"B", short}}, []string{"A", "B"}},
		{"a small end does not join the next part", [][2]string{{"A > B", short}, {"C", long}}, []string{"A > B", "C"}},
		{"text before the first heading", [][2]string{{"", short}, {"A", long}}, []string{"A"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := draft{id: "d"}
			for _, s := range c.sections {
				d.sections = append(d.sections, section{at: len(d.text), heading: s[0]})
				d.text += s[1]
			}
			doc := d.document()
			check(t, doc)
			if got := headings(doc); !reflect.DeepEqual(got, c.want) {
				t.Fatalf("headings %q, want %q", got, c.want)
			}
		})
	}
}

func TestPagesAndMetadataNeverShareAChunk(t *testing.T) {
	d := draft{id: "d", text: "one\ntwo\nthree\n", sections: []section{
		{at: 0, page: 1}, {at: 4, page: 2}, {at: 8, page: 2, metadata: winnow.Metadata{"quoted": true}},
	}}
	doc := d.document()
	check(t, doc)
	if len(doc.Chunks) != 3 || doc.Chunks[1].Page != 2 || doc.Chunks[1].Metadata != nil || doc.Chunks[2].Metadata["quoted"] != true {
		t.Fatalf("got %+v", doc.Chunks)
	}
}

// randomText is made of what chunking looks at.
func randomText(r *rand.Rand) (string, []section) {
	parts := []string{
		"word", " ", "  ", "\n", "\n\n", "\r\n", ".", "! ", "? ", "。", "字", "é", "🙂", "/", "//", "- ", "| ", "```\n", "\t",
		"a/b/c", "1234567", "'s", "\u00a0", "\u2028", "\xff", strings.Repeat("x", 700), words(40), words(200), strings.Repeat("\n \n", 9),
	}
	var b strings.Builder
	var sections []section
	for range r.IntN(200) {
		if r.IntN(12) == 0 {
			sections = append(sections, section{at: b.Len(), heading: fmt.Sprintf("H%d", r.IntN(3)), page: r.IntN(2)})
		}
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String(), sections
}

func TestAnyTextIsTiled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		text, sections := randomText(r)
		for l := range lines + 1 {
			d := draft{id: "d", text: text, sections: sections, layout: l}
			doc := d.document()
			if doc.Text() != text {
				t.Fatalf("chunks do not tile %q", text)
			}
			check(t, doc)
		}
	}
}

func FuzzChunk(f *testing.F) {
	f.Add("# Title\n\nText. More text.\n", uint8(1), 9)
	f.Add(strings.Repeat("```\n\n", 300), uint8(1), 100)
	f.Add(strings.Repeat("字。", 2000), uint8(0), 5)
	f.Fuzz(func(t *testing.T, text string, l uint8, at int) {
		d := draft{id: "d", text: text, layout: layout(l % 3)}
		if at > 0 && at < len(text) {
			d.sections = []section{{at: runeStart(text, at), heading: "H"}}
		}
		doc := d.document()
		if doc.Text() != text {
			t.Fatal("chunks do not tile the text")
		}
		check(t, doc)
	})
}

func BenchmarkChunk(b *testing.B) {
	text := strings.Repeat(words(80)+"\n\n", 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		New("d", "", text, nil)
	}
}
