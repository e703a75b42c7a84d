package ingest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

func TestHTML(t *testing.T) {
	doc := readOne(t, "site/page.html", `<!doctype html><html><head><title> A  page </title>
<meta name="description" content="About it"><style>p{}</style></head><body>
<header>Site name</header><nav><a href="/">Home</a></nav>
<main><h1>Main &amp; more</h1><p>First <b>para</b>graph,
with a <a href="../other.html#top">link</a>.</p>
<script>var x = "no";</script>
<ul><li>one</li><li><p>two</p></li></ul>
<table><tr><th>a</th><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>
<h2>Code</h2><pre>line  1
  line 2</pre><p hidden>secret</p><a href="javascript:x()">js</a></main>
<footer>Imprint</footer></body></html>`)
	want := "Main & more\n\nFirst paragraph, with a link.\n\n- one\n\n- two\n\na | b\nc | d\n\nCode\n\nline  1\n  line 2\n\njs"
	if doc.Text() != want {
		t.Errorf("text %q", doc.Text())
	}
	if doc.Title != "A page" {
		t.Errorf("title %q", doc.Title)
	}
	if got := (winnow.Metadata{"type": "html", "folder": "site", "description": "About it"}); !reflect.DeepEqual(doc.Metadata, got) {
		t.Errorf("metadata %v", doc.Metadata)
	}
	if want := []winnow.Link{{Kind: winnow.LinkHyper, Target: "other.html", At: strings.Index(want, "link.")}}; !reflect.DeepEqual(doc.Links, want) {
		t.Errorf("links %+v", doc.Links)
	}
}

func TestHTMLHeadings(t *testing.T) {
	p := "<p>" + words(90) + "</p>"
	doc := readOne(t, "a.html", "<h1>One</h1>"+p+"<h2>Two</h2>"+p+"<h3>Three</h3>"+p+"<h2></h2>")
	if got, want := headings(doc), []string{"One", "One > Two", "One > Two > Three"}; !reflect.DeepEqual(got, want) {
		t.Fatalf("headings %q", got)
	}
	if doc.Title != "One" {
		t.Errorf("title %q", doc.Title)
	}
}

func TestAPageThatIsAllNavigationIsRead(t *testing.T) {
	if doc := readOne(t, "index.html", `<body><nav><a href="a.html">Chapter A</a></nav></body>`); doc.Text() != "Chapter A" || len(doc.Links) != 1 {
		t.Fatalf("text %q, links %v", doc.Text(), doc.Links)
	}
}

func TestHTMLCharsets(t *testing.T) {
	for _, page := range []string{
		"<meta charset=iso-8859-1><p>Caf\xe9",
		"<meta charset=utf-8><p>Café",
		"<p>Caf\xe9",
		"\xef\xbb\xbf<p>Café",
	} {
		if doc := readOne(t, "a.html", page); doc.Text() != "Café" {
			t.Errorf("%q reads %q", page, doc.Text())
		}
	}
}

func TestHTMLNestedTooDeepIsRefused(t *testing.T) {
	_, _, err := Read("a.html", []byte(strings.Repeat("<div>", 100_000)+"x"))
	if err == nil {
		t.Fatal("no error")
	}
}
