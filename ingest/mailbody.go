package ingest

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"strings"
	"unicode"

	"golang.org/x/net/html/charset"

	"github.com/winnow-search/winnow"
)

// mailText collects the text of a mail's parts.
type mailText struct {
	src         *source
	text        strings.Builder
	attachments []string
}

// entity adds the text of a mail or of a part of one.
func (m *mailText) entity(header mailFields, body []byte, depth int) {
	if depth > maxNesting || m.text.Len() > m.src.maxText {
		return
	}
	kind, params, err := mime.ParseMediaType(header.get("Content-Type"))
	if err != nil || kind == "" {
		kind = "text/plain"
	}
	disposition, attributes, _ := mime.ParseMediaType(header.get("Content-Disposition"))
	name := attributes["filename"]
	if name == "" {
		name = params["name"]
	}
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		m.parts(kind, params["boundary"], body, depth)
	case disposition == "attachment" || !strings.HasPrefix(kind, "text/") && kind != "message/rfc822":
		if name != "" {
			m.attachments = append(m.attachments, oneLine(mailFields{"name": name}.text("name")))
		}
	case kind == "message/rfc822":
		inner, body := mailHeader(decodeTransfer(header.get("Content-Transfer-Encoding"), body))
		for _, field := range [...]string{"From", "Date", "Subject"} {
			if value := inner.text(field); value != "" {
				m.text.WriteString(field + ": " + value + "\n")
			}
		}
		m.text.WriteByte('\n')
		m.entity(inner, body, depth+1)
	default:
		text := decodeLabelled(decodeTransfer(header.get("Content-Transfer-Encoding"), body), params["charset"])
		if kind == "text/html" {
			text = m.htmlText(text)
		}
		m.add(text)
	}
}

// parts adds the parts of a multipart body; of alternatives only the plainest.
func (m *mailText) parts(kind, boundary string, body []byte, depth int) {
	type part struct {
		header mailFields
		body   []byte
	}
	var parts []part
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for boundary != "" && len(parts) < 1000 {
		p, err := reader.NextRawPart()
		if err != nil {
			break // a damaged end loses the last part, not the mail
		}
		header := mailFields{}
		for name, values := range p.Header {
			header[strings.ToLower(name)] = values[0]
		}
		content, err := io.ReadAll(p)
		if err != nil && len(content) == 0 {
			break
		}
		parts = append(parts, part{header, content})
	}
	if len(parts) == 0 { // without boundaries the text is still text
		m.add(decode(body))
		return
	}
	if kind == "multipart/alternative" {
		best := parts[0]
		for _, p := range parts {
			if strings.HasPrefix(strings.ToLower(p.header.get("Content-Type")), "text/plain") {
				best = p
				break
			}
		}
		parts = []part{best}
	}
	for _, p := range parts {
		m.entity(p.header, p.body, depth+1)
	}
}

func (m *mailText) add(text string) {
	text = strings.TrimFunc(strings.ReplaceAll(text, "\r\n", "\n"), unicode.IsSpace)
	if text != "" {
		m.text.WriteString(text + "\n\n")
	}
}

// htmlText returns the text of an HTML mail, which has no navigation to leave
// out.
func (m *mailText) htmlText(source string) string {
	d, err := parsePage(m.src.id, source)
	if err != nil {
		m.src.warn("the HTML of a mail is left out: %v", err)
		return ""
	}
	return d.text
}

func decodeTransfer(encoding string, body []byte) []byte {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		packed := bytes.Map(func(r rune) rune {
			if unicode.IsSpace(r) || r == '=' {
				return -1
			}
			return r
		}, body)
		decoded := make([]byte, base64.RawStdEncoding.DecodedLen(len(packed)))
		n, _ := base64.RawStdEncoding.Decode(decoded, packed) // what precedes damage is kept
		return decoded[:n]
	case "quoted-printable":
		decoded, _ := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(body))) // likewise
		return decoded
	}
	return body
}

func charsetReader(label string, input io.Reader) (io.Reader, error) {
	return charset.NewReaderLabel(label, input)
}

// shortQuotation is the number of lines up to which a quotation between answers
// is left with them: it is what they are about.
const shortQuotation = 4

// quotations divides a mail's text, from offset at on, into sections of its own
// text and of quoted text. Quoted are lines that begin with ">", and everything
// below the line that mail programs put above a mail they answer.
func quotations(text string, at int) []section {
	var sections []section
	quoted := winnow.Metadata{"quoted": true}
	runStart, runLines := -1, 0
	end := func(at int) {
		if runLines > shortQuotation || runStart >= 0 && at == len(text) && runLines > 1 {
			sections = append(sections, section{at: runStart, metadata: quoted})
			if at < len(text) {
				sections = append(sections, section{at: at})
			}
		}
		runStart, runLines = -1, 0
	}
	for at < len(text) {
		next := nextLine(text, at)
		line := strings.TrimSpace(text[at:next])
		switch {
		case strings.HasPrefix(line, ">"):
			if runStart < 0 {
				runStart = at
			}
			runLines++
		case isOriginalMark(line):
			end(at)
			return append(sections, section{at: at, metadata: quoted})
		case line != "":
			end(at)
		}
		at = next
	}
	end(len(text))
	return sections
}

// isOriginalMark recognises the line above a mail that is quoted whole.
func isOriginalMark(line string) bool {
	inner := strings.Trim(line, "-_ ")
	if len(line)-len(inner) < 6 {
		return false
	}
	lower := strings.ToLower(inner)
	return lower == "original message" || lower == "ursprüngliche nachricht" || lower == "message d'origine" ||
		lower == "forwarded message" || strings.HasPrefix(lower, "forwarded by ")
}
