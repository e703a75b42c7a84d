package ingest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"net/mail"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
)

// isMail reports whether data begins with the header of a mail, as files in a
// Maildir do, whose names say nothing.
func isMail(data []byte) bool {
	header, _ := mailHeader(data[:min(len(data), sniffed)])
	return header.get("From") != "" && header.get("Date") != "" &&
		(header.get("Message-Id") != "" || header.get("Received") != "" || header.get("Subject") != "")
}

// readMail reads a file that is one mail.
func readMail(src *source) (*draft, error) {
	return parseMail(src, src.data), nil
}

// parseMail reads a mail: the lines people look at (From, To, Cc, Date,
// Subject) and the text, with quotations in sections of their own.
func parseMail(src *source, raw []byte) *draft {
	header, body := mailHeader(raw)
	m := mailText{src: src}
	m.entity(header, body, 0)

	id := strings.Trim(header.get("Message-Id"), "<> \t")
	key := id
	if key == "" {
		sum := sha256.Sum256(raw)
		key = hex.EncodeToString(sum[:8])
	}
	d := &draft{id: src.id + "#" + safeName(key), title: oneLine(header.text("Subject")), metadata: winnow.Metadata{}}
	if d.title == "" {
		d.title = "(no subject)"
	}
	d.mailNames(id)
	d.mailThread(header, id)
	d.mailFacts(header, m.attachments)

	var text strings.Builder
	for _, name := range [...]string{"From", "To", "Cc", "Date", "Subject"} {
		if value := header.text(name); value != "" {
			text.WriteString(name + ": " + value + "\n")
		}
	}
	if text.Len() > 0 {
		text.WriteByte('\n')
	}
	start := text.Len()
	text.WriteString(m.text.String())
	d.text = src.limit(text.String(), false)
	d.sections = quotations(d.text, min(start, len(d.text)))
	return d
}

// mailNames are what other mails call this one: its subject without the marks
// of replies, and its id.
func (d *draft) mailNames(id string) {
	subject := d.title
	for {
		mark, rest, ok := strings.Cut(subject, ":")
		switch strings.ToLower(strings.TrimSpace(mark)) {
		case "re", "fw", "fwd", "aw", "wg", "sv", "tr":
			if ok {
				subject = strings.TrimSpace(rest)
				continue
			}
		}
		break
	}
	if subject != d.title && subject != "" {
		d.names = append(d.names, subject)
	}
	if id != "" {
		d.names = append(d.names, id)
	}
}

// mailThread links the mail to those it answers. A thread is named by the id of
// its first mail.
func (d *draft) mailThread(header mailFields, id string) {
	references := strings.Fields(strings.NewReplacer("<", " ", ">", " ", ",", " ").Replace(
		header.get("References") + " " + header.get("In-Reply-To")))
	seen := map[string]bool{id: true}
	for i := len(references) - 1; i >= 0; i-- { // the nearest first
		if r := references[i]; !seen[r] && strings.Contains(r, "@") {
			seen[r] = true
			d.links = append(d.links, winnow.Link{Kind: winnow.LinkReply, Target: r})
		}
	}
	thread := id
	if len(d.links) > 0 {
		thread = d.links[len(d.links)-1].Target
	}
	if thread != "" {
		d.metadata["thread"] = thread
	}
}

func (d *draft) mailFacts(header mailFields, attachments []string) {
	for _, name := range [...]string{"From", "To", "Cc"} {
		if value := addresses(header.text(name)); value != "" {
			d.metadata[strings.ToLower(name)] = value
		}
	}
	if date, err := mail.ParseDate(header.get("Date")); err == nil {
		d.metadata["date"] = date.UTC().Format(time.RFC3339)
		d.metadata["timestamp"] = date.Unix()
	}
	if len(attachments) > 0 {
		d.metadata["attachments"] = strings.Join(attachments, ", ")
	}
}

// addresses returns the bare addresses of a list, lower case, or the text as it
// stands where there are none.
func addresses(list string) string {
	parsed, err := mail.ParseAddressList(list)
	if err != nil {
		return oneLine(list)
	}
	bare := make([]string, len(parsed))
	for i, a := range parsed {
		bare[i] = strings.ToLower(a.Address)
	}
	return strings.Join(bare, ", ")
}

// mailFields are the header fields of a mail by lower-case name. The reader is
// more patient than net/mail: a line that is no field does not make the mail
// unreadable.
type mailFields map[string]string

func mailHeader(raw []byte) (fields mailFields, body []byte) {
	fields = mailFields{}
	last := ""
	for len(raw) > 0 {
		line, rest, _ := bytes.Cut(raw, []byte("\n"))
		line = bytes.TrimRight(line, "\r")
		if len(line) == 0 {
			return fields, rest
		}
		if line[0] == ' ' || line[0] == '\t' {
			if last != "" {
				fields[last] += " " + string(bytes.TrimSpace(line))
			}
		} else if name, value, ok := bytes.Cut(line, []byte(":")); ok && !bytes.ContainsAny(name, " \t") {
			last = strings.ToLower(string(name))
			if _, twice := fields[last]; twice {
				last = "" // the first counts
			} else {
				fields[last] = string(bytes.TrimSpace(value))
			}
		} else if len(fields) == 0 && !bytes.HasPrefix(line, []byte("From ")) && !bytes.HasPrefix(line, []byte(">From ")) {
			return fields, raw
		}
		raw = rest
	}
	return fields, nil
}

func (f mailFields) get(name string) string { return f[strings.ToLower(name)] }

// text returns a field with its encoded words decoded.
func (f mailFields) text(name string) string {
	value := f.get(name)
	decoder := mime.WordDecoder{CharsetReader: charsetReader}
	if decoded, err := decoder.DecodeHeader(value); err == nil {
		value = decoded
	}
	return strings.Join(strings.Fields(decode([]byte(value))), " ")
}
