package ingest

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"github.com/winnow-search/winnow"
)

// isHTML reports whether data begins like a web page.
func isHTML(data []byte) bool {
	head := bytes.ToLower(bytes.TrimSpace(data[:min(len(data), 512)]))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

// readHTML reads the text of a web page without its navigation.
func readHTML(src *source) (*draft, error) {
	data, over := src.data, len(src.data) > src.maxText
	if over {
		data = data[:src.maxText]
	}
	text := ""
	if utf8.Valid(data) {
		text = decode(data)
	} else {
		e, _, _ := charset.DetermineEncoding(data, "")
		text = decodeWith(e, data)
	}
	page, err := parsePage(src.id, text)
	if err != nil {
		return nil, err
	}
	page.text = src.limit(page.text, over)
	return page, nil
}

// parsePage renders a page as text: blocks as paragraphs, headings as sections,
// links with their places.
func parsePage(id, source string) (*draft, error) {
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return nil, fmt.Errorf("reading HTML: %w", err)
	}
	p := page{id: id, base: id}
	p.head(root)
	p.render(mainElement(root))
	if blank(p.text.String()) { // a page that is all navigation
		p = page{id: id, base: p.base, title: p.title, everything: true}
		p.render(root)
	}
	d := &draft{title: p.title, text: strings.TrimRight(p.text.String(), " \n"), sections: p.sections, links: p.links}
	if d.title == "" {
		d.title = p.firstHeading
	}
	if p.description != "" {
		d.metadata = winnow.Metadata{"description": oneLine(p.description)}
	}
	return d, nil
}

// page is a web page being rendered.
type page struct {
	id           string
	base         string // resolves relative links
	title        string
	description  string
	firstHeading string
	everything   bool // navigation too

	text     strings.Builder
	breaks   int  // line breaks owed before the next word
	space    bool // a space is owed before the next word
	bullet   bool // a list item's mark is owed
	pre      int  // depth of elements whose white space counts
	sections []section
	outline  outline
	links    []winnow.Link
}

// head finds the title, the description and the base of relative links.
func (p *page) head(root *html.Node) {
	for n := range root.Descendants() {
		switch n.DataAtom {
		case atom.Title:
			if p.title == "" && (n.Parent == nil || n.Parent.DataAtom == atom.Head) {
				p.title = oneLine(textOf(n))
			}
		case atom.Meta:
			if strings.EqualFold(attribute(n, "name"), "description") {
				p.description = attribute(n, "content")
			}
		case atom.Base:
			if href := attribute(n, "href"); href != "" {
				p.base = resolve(p.id, href)
			}
		}
	}
}

// mainElement returns the element that holds the page's own text: main, the
// only article, or the whole.
func mainElement(root *html.Node) *html.Node {
	var article *html.Node
	articles := 0
	for n := range root.Descendants() {
		switch {
		case n.DataAtom == atom.Main || attribute(n, "role") == "main":
			return n
		case n.DataAtom == atom.Article:
			article = n
			articles++
		}
	}
	if articles == 1 {
		return article
	}
	return root
}

// render writes the text of n. The parser bounds the depth of the tree.
func (p *page) render(n *html.Node) {
	if n.Type == html.TextNode {
		p.words(n.Data)
		return
	}
	if n.Type == html.ElementNode && p.leftOut(n) {
		return
	}
	before, level := blockBreaks(n.DataAtom)
	p.breaks = max(p.breaks, before)
	switch {
	case level > 0:
		title := oneLine(textOf(n))
		if title == "" {
			return
		}
		if p.firstHeading == "" {
			p.firstHeading = title
		}
		p.owed()
		p.sections = append(p.sections, section{at: p.text.Len(), heading: p.outline.enter(level, title)})
	case n.DataAtom == atom.Li:
		p.bullet = true
		defer func() { p.bullet = false }()
	case n.DataAtom == atom.Td || n.DataAtom == atom.Th:
		if p.breaks == 0 && p.text.Len() > 0 {
			p.text.WriteString(" | ")
			p.space = false
		}
	case n.DataAtom == atom.Pre || n.DataAtom == atom.Textarea:
		p.owed()
		p.pre++
		defer func() { p.pre-- }()
	}
	start := p.text.Len()
	for child := range n.ChildNodes() {
		p.render(child)
	}
	if n.DataAtom == atom.A {
		p.link(attribute(n, "href"), start)
	}
	p.breaks = max(p.breaks, before)
}

// link notes a reference whose text was written from offset start on.
func (p *page) link(href string, start int) {
	words := strings.TrimLeft(p.text.String()[start:], " \n")
	if target := p.target(href); target != "" && words != "" {
		p.links = append(p.links, winnow.Link{Kind: winnow.LinkHyper, Target: target, At: p.text.Len() - len(words)})
	}
}

// target resolves a reference; scripts and addresses of people lead nowhere.
func (p *page) target(href string) string {
	scheme, _, ok := strings.Cut(href, ":")
	if ok && (strings.EqualFold(scheme, "javascript") || strings.EqualFold(scheme, "mailto") || strings.EqualFold(scheme, "data")) {
		return ""
	}
	if strings.Contains(p.base, "://") && !ok {
		return strings.TrimRight(p.base, "/") + "/" + strings.TrimLeft(href, "/")
	}
	return resolve(p.base, href)
}

// leftOut reports whether an element holds no text of the page's own.
func (p *page) leftOut(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Svg, atom.Iframe, atom.Object,
		atom.Select, atom.Button:
		return true
	case atom.Nav, atom.Aside, atom.Footer, atom.Form:
		return !p.everything
	case atom.Header: // of the page, not of an article
		return !p.everything && n.Parent != nil && n.Parent.DataAtom == atom.Body
	}
	if _, hidden := find(n, "hidden"); hidden || attribute(n, "aria-hidden") == "true" {
		return true
	}
	return !p.everything && attribute(n, "role") == "navigation"
}

// blockBreaks returns the line breaks around an element and, for headings, the
// level.
func blockBreaks(a atom.Atom) (breaks, level int) {
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return 2, int(a.String()[1] - '0')
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Blockquote, atom.Pre, atom.Ul, atom.Ol, atom.Dl,
		atom.Table, atom.Figure, atom.Hr, atom.Address, atom.Details, atom.Header, atom.Footer, atom.Nav, atom.Form:
		return 2, 0
	case atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Br, atom.Caption, atom.Figcaption, atom.Summary, atom.Option:
		return 1, 0
	}
	return 0, 0
}

// words writes text with its white space folded, unless it is preformatted.
func (p *page) words(text string) {
	if p.pre > 0 {
		p.owed()
		p.text.WriteString(text)
		return
	}
	for len(text) > 0 {
		word := strings.TrimLeft(text, " \t\r\n\f")
		p.space = p.space || len(word) < len(text)
		end := strings.IndexAny(word, " \t\r\n\f")
		if end < 0 {
			end = len(word)
		}
		if end > 0 {
			p.owed()
			p.text.WriteString(word[:end])
		}
		text = word[end:]
	}
}

// owed writes the line breaks or the space that separate what follows.
func (p *page) owed() {
	switch {
	case p.text.Len() == 0:
	case p.breaks > 0:
		p.text.WriteString("\n\n"[:min(p.breaks, 2)])
	case p.space:
		p.text.WriteByte(' ')
	}
	if p.bullet {
		p.text.WriteString("- ")
	}
	p.breaks, p.space, p.bullet = 0, false, false
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func find(n *html.Node, key string) (value string, ok bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

func attribute(n *html.Node, key string) string {
	value, _ := find(n, key)
	return value
}
