package ingest

import (
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/ingest/pdf"
)

// readPDF reads the text of the pages. Each page is a section, headed by the
// file's bookmarks, so that chunks have page numbers.
func readPDF(src *source) (*draft, error) {
	file, err := pdf.Read(src.data, pdf.Limits{Text: src.maxText})
	if err != nil {
		return nil, err
	}
	d := &draft{title: pdfTitle(file.Title)}
	if file.Author != "" {
		d.metadata = winnow.Metadata{"author": oneLine(file.Author)}
	}
	var text strings.Builder
	for i, p := range file.Pages {
		if p.Text == "" {
			continue
		}
		d.sections = append(d.sections, section{at: text.Len(), heading: oneLine(p.Heading), page: i + 1})
		text.WriteString(p.Text)
		text.WriteString("\n\n")
	}
	if text.Len() == 0 {
		return nil, skip("no text in it, perhaps scanned pages")
	}
	d.text = text.String()
	switch limited := src.limit(d.text, false); {
	case len(limited) < len(d.text):
		d.text = limited
	case file.Cut:
		src.warn("only the first %d pages are indexed", len(file.Pages))
	}
	return d, nil
}

// pdfTitle returns a title that a person gave; programs that make PDF files put
// the name of the source file there.
func pdfTitle(title string) string {
	if strings.HasPrefix(title, "Microsoft ") || strings.EqualFold(title, "untitled") || !strings.Contains(title, " ") && strings.Contains(title, ".") {
		return ""
	}
	return title
}
