// Package pdf extracts the text of PDF files, page by page.
//
// It exists because the files are not trusted and the text must be good enough
// to search. The libraries at hand crash the process on crafted sizes and
// nesting (a Go program can't recover from either), look up a glyph's width by
// parsing the font again, and run words together where a file places them
// without spaces, as TeX does. So this package reads the format itself, as far
// as text needs it, and no further: no images, no forms, no vertical writing,
// and of CJK fonts those that say what their codes mean.
//
// Everything costs fuel: each token read and each byte unpacked. When the fuel
// is spent the lexer reports the end of every input, so that all loops end, and
// what was read by then is kept. Nesting is bounded and cycles are cut when an
// object is loaded. References are to ISO 32000-1.
package pdf

import (
	"bytes"
	"errors"
	"strings"
)

// ErrEncrypted says that a file can't be read without a password.
var ErrEncrypted = errors.New("the PDF is encrypted and needs a password")

// ErrMalformed says that no pages could be found, not even by searching.
var ErrMalformed = errors.New("the PDF is damaged: no pages can be found in it")

// Document is what a file says.
type Document struct {
	Title, Author string
	Pages         []Page
	// Cut says that limits ended the reading before the last page.
	Cut bool
}

// Page is the text of a page, in the order in which it is drawn.
type Page struct {
	Text string
	// Heading is the path of the bookmarks that lead to this page or the nearest
	// before it, joined by Separator.
	Heading string
}

// Separator joins the titles of a heading path.
const Separator = " > "

// Limits bound what is read. Zero means the default.
type Limits struct {
	Pages int // 10,000
	Text  int // bytes; 16 MiB
	Fuel  int // bytes unpacked and tokens read; 512 Mi
}

// Read extracts the text of a file.
func Read(data []byte, l Limits) (*Document, error) {
	if l.Pages == 0 {
		l.Pages = 10_000
	}
	if l.Text == 0 {
		l.Text = 16 << 20
	}
	if l.Fuel == 0 {
		l.Fuel = 512 << 20
	}
	if i := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-")); i > 0 {
		data = data[i:] // junk before the header shifts all offsets
	} else if i < 0 {
		return nil, errors.New("not a PDF file")
	}
	f := &file{data: data, fuel: l.Fuel, cache: map[int]object{}, loading: map[int]bool{}, fonts: map[int]*font{}}
	if err := f.open(); err != nil {
		return nil, err
	}
	pages := f.pages(l.Pages + 1)
	if len(pages) == 0 && !f.rebuilt {
		f.rebuild()
		pages = f.pages(l.Pages + 1)
	}
	if len(pages) == 0 {
		return nil, ErrMalformed
	}
	d := &Document{}
	d.Title, d.Author = f.info()
	headings := f.headings(pages)
	size := 0
	for i, p := range pages {
		if i == l.Pages || size > l.Text || f.fuel <= 0 {
			d.Cut = true
			break
		}
		text := f.pageText(p)
		size += len(text)
		d.Pages = append(d.Pages, Page{Text: text, Heading: headings[i]})
	}
	return d, nil
}

// info returns the title and the author that the file names.
func (f *file) info() (title, author string) {
	info := f.dict(f.trailer["Info"])
	return strings.TrimSpace(textString(f.resolve(info["Title"]))), strings.TrimSpace(textString(f.resolve(info["Author"])))
}

// page is a leaf of the page tree with what it inherits.
type page struct {
	ref       ref
	dict      dict
	resources dict
}

// pages returns the leaves of the page tree, at most limit of them (7.7.3).
func (f *file) pages(limit int) []page {
	var out []page
	seen := map[ref]bool{}
	var walk func(o object, resources dict, depth int)
	walk = func(o object, resources dict, depth int) {
		r, _ := o.(ref)
		if r != (ref{}) && seen[r] || depth > maxDepth || len(out) >= limit {
			return
		}
		seen[r] = true
		node := f.dict(o)
		if node == nil {
			return
		}
		if own := f.dict(node["Resources"]); own != nil {
			resources = own
		}
		if kids, ok := f.resolve(node["Kids"]).(array); ok {
			for _, kid := range kids {
				walk(kid, resources, depth+1)
			}
			return
		}
		out = append(out, page{r, node, resources})
	}
	walk(f.dict(f.trailer["Root"])["Pages"], nil, 0)
	return out
}
