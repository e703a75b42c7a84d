package harmony

import (
	"strings"

	"github.com/winnow-search/winnow/token"
)

// message is one message of a reply.
type message struct {
	channel   string // analysis, commentary, final; empty if it named none
	recipient string // behind "to=", wherever in the header it stood
	content   string
	call      bool // it ended with the token that ends calls
}

// parse reads segments into messages. It never fails: models at temperature 1
// leave out markers, repeat them and put words into headers, and what can be
// told from the rest is told.
func parse(segments []segment) []message {
	var p parser
	for _, s := range segments {
		switch s.special {
		case 0:
			p.text(s.text)
		case token.Start:
			p.close(false)
		case token.Channel:
			if p.inContent {
				p.close(false)
			}
			p.marked = true
			p.text(" ") // of two markers in one header, each begins a word
		case token.Constrain:
			if !p.inContent {
				p.text(" ")
			}
		case token.Message:
			p.inContent = true
		case token.Call:
			p.close(true)
		case token.End, token.Return, token.EndOfText:
			p.close(false)
		}
	}
	p.close(false)
	return p.out
}

type parser struct {
	out       []message
	role      strings.Builder // of the header, before the channel's marker
	channel   strings.Builder // of the header, behind it
	content   strings.Builder
	marked    bool // there was a channel's marker
	inContent bool
}

func (p *parser) text(s string) {
	switch {
	case p.inContent:
		p.content.WriteString(s)
	case p.marked:
		p.channel.WriteString(s)
	default:
		p.role.WriteString(s)
	}
}

// close ends a message. One that some other than the assistant would have sent,
// such as a tool's result that the model made up, is dropped.
func (p *parser) close(call bool) {
	m := message{content: p.content.String(), call: call}
	role := strings.TrimLeft(p.role.String(), " ")
	header, assistant := strings.CutPrefix(role, "assistant")
	assistant = assistant || strings.HasPrefix(role, "to=") || strings.TrimSpace(role) == ""
	switch {
	case p.inContent:
		m.scan(header + " " + p.channel.String())
	case p.marked:
		// The marker of the content is missing: what is not header is content.
		m.scan(header)
		m.content = m.take(p.channel.String())
	case assistant:
		m.content = m.take(header)
	default:
		m.content, assistant = role, true // no header at all
	}
	if assistant && (strings.TrimSpace(m.content) != "" || m.recipient != "") {
		p.out = append(p.out, m)
	}
	*p = parser{out: p.out}
}

var (
	channels    = []string{"analysis", "commentary", "final"}
	headerWords = append([]string{"to=", "json", "code"}, channels...)
)

// scan reads a header that is nothing else, whatever stands between its words.
// The first channel and the first recipient count.
func (m *message) scan(header string) {
	if at := strings.Index(header, "to="); at >= 0 {
		m.recipient = name(header[at+len("to="):])
		header = header[:at] + " " + header[at+len("to=")+len(m.recipient):]
	}
	first := len(header)
	for _, c := range channels {
		if at := strings.Index(header, c); at >= 0 && at < first {
			m.channel, first = c, at
		}
	}
}

// take reads the words of a header that has content behind it and returns the
// content.
func (m *message) take(header string) (content string) {
	for {
		header = strings.TrimLeft(header, " \n?")
		word := ""
		for _, w := range headerWords {
			if strings.HasPrefix(header, w) {
				word = w
			}
		}
		header = header[len(word):]
		switch word {
		case "":
			return header
		case "to=":
			n := name(header)
			header = header[len(n):]
			if m.recipient == "" {
				m.recipient = n
			}
		case "json", "code":
		default:
			if m.channel == "" {
				m.channel = word
			}
		}
	}
}

// name is the recipient at the beginning of a header's rest.
func name(rest string) string {
	if end := strings.IndexAny(rest, " \n\t{[<\""); end >= 0 {
		return rest[:end]
	}
	return rest
}
