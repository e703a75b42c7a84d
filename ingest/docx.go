package ingest

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/winnow-search/winnow"
)

// unpackFactor is how much larger than its text a part of the archive may be
// with its markup. Beyond it lies no document that people wrote.
const unpackFactor = 4

// readDOCX reads the paragraphs, headings, tables and links of a Word document.
func readDOCX(src *source) (*draft, error) {
	archive, err := zip.NewReader(bytes.NewReader(src.data), int64(len(src.data)))
	if err != nil {
		return nil, fmt.Errorf("not a readable DOCX file: %w", err)
	}
	p := wordParts{archive: archive, maxPart: unpackFactor * src.maxText}
	d := wordText{src: src, levels: p.headingLevels(), targets: p.linkTargets()}
	if err := p.each("word/document.xml", d.token); err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	title, metadata := p.properties()
	if title == "" {
		title = d.title
	}
	if title == "" {
		title = d.firstHeading
	}
	return &draft{
		title: title, metadata: metadata,
		text: src.limit(strings.TrimRight(d.text.String(), " \t\n"), false), sections: d.sections, links: d.links,
	}, nil
}

// errEnough ends the reading of a part early.
var errEnough = errors.New("enough")

// wordParts reads the parts of the archive, each under the limit.
type wordParts struct {
	archive *zip.Reader
	maxPart int
}

// each calls f with the tokens of a part in order. Only element names without
// their name space are compared: the words of the format are distinct.
func (p *wordParts) each(name string, f func(xml.Token) error) error {
	file, err := p.archive.Open(name)
	if err != nil {
		return fmt.Errorf("not a Word document: it has no %s", name)
	}
	defer file.Close()
	limited := &io.LimitedReader{R: file, N: int64(p.maxPart)}
	decoder := xml.NewDecoder(limited)
	decoder.Strict = false
	for {
		t, err := decoder.RawToken()
		if limited.N <= 0 {
			return fmt.Errorf("%s unpacks to more than %s", name, byteSize(p.maxPart))
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		if err := f(t); err != nil {
			return err
		}
	}
}

// headingLevels maps the ids of paragraph styles to heading levels. Ids are
// translated in localized documents, the names of built-in styles are not.
func (p *wordParts) headingLevels() map[string]int {
	levels := map[string]int{}
	style := ""
	// A document without or with a damaged list of styles has no headings.
	_ = p.each("word/styles.xml", func(t xml.Token) error {
		e, ok := t.(xml.StartElement)
		switch {
		case !ok:
		case e.Name.Local == "style":
			style = xmlAttribute(e, "styleId")
		case e.Name.Local == "name" && style != "":
			name := strings.ToLower(xmlAttribute(e, "val"))
			if name == "title" {
				levels[style] = titleLevel
			} else if n, ok := strings.CutPrefix(name, "heading "); ok {
				levels[style], _ = strconv.Atoi(n)
			}
		}
		return nil
	})
	return levels
}

// titleLevel stands for the style of the document's title.
const titleLevel = -1

// linkTargets maps relation ids to the addresses of links.
func (p *wordParts) linkTargets() map[string]string {
	targets := map[string]string{}
	// A document without relations has no links.
	_ = p.each("word/_rels/document.xml.rels", func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && strings.HasSuffix(xmlAttribute(e, "Type"), "/hyperlink") {
			targets[xmlAttribute(e, "Id")] = xmlAttribute(e, "Target")
		}
		return nil
	})
	return targets
}

// properties returns the title and the metadata that the author entered.
func (p *wordParts) properties() (title string, metadata winnow.Metadata) {
	metadata = winnow.Metadata{}
	element := ""
	// Properties are optional.
	_ = p.each("docProps/core.xml", func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			element = t.Name.Local
		case xml.EndElement:
			element = ""
		case xml.CharData:
			switch text := oneLine(string(t)); {
			case text == "":
			case element == "title":
				title = text
			case element == "creator":
				metadata["author"] = text
			case element == "keywords" || element == "subject":
				metadata[element] = text
			}
		}
		return nil
	})
	return title, metadata
}

// wordText renders the body of a Word document.
type wordText struct {
	src          *source
	levels       map[string]int
	targets      map[string]string
	text         strings.Builder
	title        string
	firstHeading string
	sections     []section
	outline      outline
	links        []winnow.Link

	start    int  // of the paragraph
	level    int  // of the paragraph's style
	item     bool // the paragraph is one of a list
	inRun    bool // inside w:r, where tabs are text and not tab stops
	inText   bool // inside w:t
	fallback int  // depth of copies for programs that lack a feature
	cells    int  // depth of table cells
}

func (w *wordText) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		if t.Name.Local == "Fallback" {
			w.fallback++
		}
		if w.fallback == 0 {
			w.open(t)
		}
	case xml.EndElement:
		if w.fallback == 0 {
			w.close(t.Name.Local)
		} else if t.Name.Local == "Fallback" {
			w.fallback--
		}
	case xml.CharData:
		if w.inText {
			w.text.Write(t)
		}
	}
	if w.text.Len() > w.src.maxText {
		return errEnough
	}
	return nil
}

func (w *wordText) open(e xml.StartElement) {
	switch e.Name.Local {
	case "p":
		w.start, w.level, w.item = w.text.Len(), 0, false
	case "pStyle":
		w.level = w.levels[xmlAttribute(e, "val")]
	case "numPr":
		w.item = true
	case "r":
		w.inRun = true
	case "t":
		w.inText = true
	case "tab":
		if w.inRun {
			w.text.WriteByte('\t')
		}
	case "br", "cr":
		w.text.WriteByte('\n')
	case "tc":
		w.cells++
	case "hyperlink":
		if target := resolve(w.src.id, w.targets[xmlAttribute(e, "id")]); target != "" {
			w.links = append(w.links, winnow.Link{Kind: winnow.LinkHyper, Target: target, At: w.text.Len()})
		}
	}
}

func (w *wordText) close(element string) {
	switch element {
	case "r":
		w.inRun = false
	case "t":
		w.inText = false
	case "p":
		w.paragraph()
	case "tc":
		w.cells--
		w.text.WriteByte('\t')
	case "tr", "tbl":
		w.text.WriteByte('\n')
	}
}

// paragraph ends a paragraph. Its style tags precede its text, so level is
// known by now.
func (w *wordText) paragraph() {
	title := strings.TrimSpace(w.text.String()[w.start:])
	switch {
	case title == "":
		return
	case w.cells > 0:
		w.text.WriteByte(' ')
		return
	case w.level == titleLevel && w.title == "":
		w.title = oneLine(title)
	case w.level > 0:
		if w.firstHeading == "" {
			w.firstHeading = oneLine(title)
		}
		w.sections = append(w.sections, section{at: w.start, heading: w.outline.enter(w.level, title)})
	}
	if w.item {
		w.text.WriteByte('\n')
		return
	}
	w.text.WriteString("\n\n")
}

func xmlAttribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
