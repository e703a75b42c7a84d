package harmony

import (
	"regexp"
	"strings"

	"github.com/winnow-search/winnow/token"
)

// segment is a special token, or the text between two of them.
type segment struct {
	special token.ID // 0 for text
	text    string
}

// fromIDs cuts sampled tokens into segments. What the model wrote as ordinary
// text stays text, whatever it spells.
func fromIDs(ids []token.ID) []segment {
	var out []segment
	from := 0
	flush := func(to int) {
		if from < to {
			out = append(out, segment{text: strings.ToValidUTF8(token.Decode(ids[from:to]), "\uFFFD")})
		}
		from = to + 1
	}
	for i, id := range ids {
		if id.Special() {
			flush(i)
			out = append(out, segment{special: id})
		}
	}
	flush(len(ids))
	return out
}

// written matches special tokens as servers write them in text.
var written = regexp.MustCompile(`<\|([a-z]+|reserved_[0-9]+)\|>`)

// spelled are the special tokens that mean something to a parser.
func spelled() map[string]token.ID {
	m := map[string]token.ID{}
	for _, id := range []token.ID{token.StartOfText, token.EndOfText, token.Return, token.Constrain, token.Channel, token.Start, token.End, token.Message, token.Call} {
		m[token.Decode([]token.ID{id})] = id
	}
	return m
}

// fromText cuts a reply that came as text, its special tokens spelled out.
func fromText(text string) []segment {
	specials := spelled()
	var out []segment
	from := 0
	for _, at := range written.FindAllStringIndex(text, -1) {
		id, ok := specials[text[at[0]:at[1]]]
		if !ok {
			continue
		}
		if from < at[0] {
			out = append(out, segment{text: text[from:at[0]]})
		}
		out = append(out, segment{special: id})
		from = at[1]
	}
	if from < len(text) {
		out = append(out, segment{text: text[from:]})
	}
	return out
}

// asText writes a prompt for a server that takes no ids. Such a server reads
// special tokens wherever they are spelled, so what spells one in a text loses
// its bars: "<|end|>" in a document becomes "<end>", which is no longer than it
// was.
func asText(ids []token.ID) string {
	var b strings.Builder
	for _, s := range fromIDs(ids) {
		if s.special != 0 {
			b.WriteString(token.Decode([]token.ID{s.special}))
			continue
		}
		b.WriteString(written.ReplaceAllString(s.text, "<$1>"))
	}
	return b.String()
}
