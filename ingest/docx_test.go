package ingest

import (
	"archive/zip"
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

// wordFile packs parts into a Word document.
func wordFile(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range parts {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// wordBody is the main part of a Word document.
func wordBody(paragraphs string) string {
	return `<?xml version="1.0"?><w:document xmlns:w="w" xmlns:r="r" xmlns:mc="m"><w:body>` + paragraphs + `</w:body></w:document>`
}

func wordDocument(body string) map[string]string {
	return map[string]string{
		"word/document.xml": wordBody(body),
		"word/styles.xml": `<w:styles xmlns:w="w"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
			<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style></w:styles>`,
		"word/_rels/document.xml.rels": `<Relationships><Relationship Id="rId1" Type="http://x/hyperlink" Target="https://example.com/"/></Relationships>`,
		"docProps/core.xml":            `<cp:coreProperties xmlns:dc="d"><dc:title>The report</dc:title><dc:creator>Ada</dc:creator></cp:coreProperties>`,
	}
}

func wordParagraph(style, text string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func TestDOCX(t *testing.T) {
	long := words(90)
	body := wordParagraph("berschrift1", "One") + wordParagraph("Normal", long) +
		wordParagraph("berschrift2", "Two") + wordParagraph("Normal", long) +
		`<w:p><w:r><w:t>See </w:t></w:r><w:hyperlink r:id="rId1"><w:r><w:t>here</w:t></w:r></w:hyperlink><w:r><w:tab/><w:t>a &amp; b</w:t></w:r></w:p>` +
		`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>y</w:t></w:r></w:p></w:tc></w:tr></w:tbl>` +
		`<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>`
	doc := readOne(t, "report.docx", string(wordFile(t, wordDocument(body))))
	want := "One\n\n" + long + "\n\nTwo\n\n" + long + "\n\nSee here\ta & b\n\nx \ty \t\n\nbox"
	if doc.Text() != want {
		t.Errorf("text %q", doc.Text())
	}
	if got := headings(doc); !reflect.DeepEqual(got, []string{"One", "One > Two"}) {
		t.Errorf("headings %q", got)
	}
	if doc.Title != "The report" || doc.Metadata["author"] != "Ada" {
		t.Errorf("title %q, metadata %v", doc.Title, doc.Metadata)
	}
	if want := []winnow.Link{{Kind: winnow.LinkHyper, Target: "https://example.com/", At: strings.Index(want, "here")}}; !reflect.DeepEqual(doc.Links, want) {
		t.Errorf("links %+v", doc.Links)
	}
}

func TestAZipBombIsRefused(t *testing.T) {
	const maxText = 1 << 20
	bomb := wordFile(t, map[string]string{"word/document.xml": wordBody("<w:p>" + strings.Repeat(" ", 8*maxText) + "</w:p>")})
	if len(bomb) > maxText/50 {
		t.Fatalf("the bomb has %d bytes", len(bomb))
	}
	_, err := readDOCX(newSource("bomb.docx", bomb, maxText))
	if err == nil || err.Error() != "word/document.xml unpacks to more than 4 MiB" {
		t.Fatalf("error %v", err)
	}
}

func TestABadDOCXIsAFailure(t *testing.T) {
	good := wordFile(t, wordDocument(wordParagraph("", words(50))))
	for name, data := range map[string][]byte{
		"not a zip": []byte("PK nothing"),
		"cut":       good[:len(good)/2],
		"no text":   wordFile(t, map[string]string{"other.xml": "<x/>"}),
		"bad XML":   wordFile(t, map[string]string{"word/document.xml": "<w:p><w:t>a</w:"}),
	} {
		if docs, _, err := Read("a.docx", data); err == nil || len(docs) > 0 {
			t.Errorf("%s: %d documents, error %v", name, len(docs), err)
		}
	}
}
