package ingest

import (
	"maps"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/token"
)

// ChunkTokens is the most tokens a chunk holds.
const ChunkTokens = 512

// ChunkerVersion changes whenever the same file may give other documents or
// chunks than before; a collection made by another version is read again.
const ChunkerVersion = 1

// smallSection is the number of tokens below which a section does not get a
// chunk of its own but shares the next one's: a title with one line under it
// says more together with what follows, and every chunk shown costs a header.
const smallSection = 64

// document cuts the draft. Chunks tile the text; a document with a title and no
// text is given the title as text, because only chunks are found.
func (d *draft) document() *winnow.Document {
	if d.text == "" {
		d.text, d.sections = d.title, nil
	}
	d.clip()
	doc := &winnow.Document{
		ID: d.id, Title: d.title, Path: d.path, Metadata: d.metadata,
		Names: d.names, Links: d.links,
	}
	line := 1
	for _, p := range cut(d.text, d.sections, d.layout) {
		text := d.text[p.start:p.end]
		last := line + strings.Count(text, "\n")
		next := last
		if strings.HasSuffix(text, "\n") {
			last--
		}
		doc.Chunks = append(doc.Chunks, winnow.Chunk{
			ID: winnow.ChunkID(d.id, len(doc.Chunks)), Document: d.id, Ordinal: len(doc.Chunks),
			Title: d.title, Path: d.path,
			Lines: [2]int{line, last}, Page: p.page, Heading: p.heading,
			Text: text, Tokens: p.tokens, Start: p.start, Metadata: p.metadata,
		})
		line = next
	}
	return doc
}

// clip drops the structure of text that a limit cut off.
func (d *draft) clip() {
	for n := len(d.sections); n > 0 && d.sections[n-1].at >= len(d.text); n-- {
		d.sections = d.sections[:n-1]
	}
	for n := len(d.links); n > 0 && d.links[n-1].At >= len(d.text); n-- {
		d.links = d.links[:n-1]
	}
}

// piece is a span of text: first a unit that packing does not divide, then a
// chunk.
type piece struct {
	start, end int
	tokens     int
	tally      token.Tally // of the same text, to be joined with the next one's
	section
}

// cut divides a text into chunks of at most ChunkTokens.
func cut(text string, sections []section, l layout) []piece {
	var chunks, group []piece // group: units that may share chunks
	total := 0
	each(text, sections, func(s section, span string) {
		if n := len(group); n > 0 && (total >= smallSection || !mayShare(group[n-1].section, s)) {
			chunks = pack(chunks, group)
			group, total = group[:0], 0
		}
		for _, u := range split(span, l) {
			u.section = s
			u.start += s.at
			u.end += s.at
			group = append(group, u)
			total += u.tokens
		}
	})
	return pack(chunks, group)
}

// each calls f for every section that has text, the one before the first
// heading included.
func each(text string, sections []section, f func(s section, span string)) {
	s := section{}
	for _, next := range sections {
		if next.at > s.at {
			f(s, text[s.at:next.at])
		}
		s = next
	}
	if s.at < len(text) {
		f(s, text[s.at:])
	}
}

// mayShare reports whether a small section may share a chunk with the next: if
// that goes on where it is, beside it or below it, but not with what follows the
// part that it ends.
func mayShare(a, b section) bool {
	parent := a.heading[:max(0, strings.LastIndex(a.heading, headingSeparator))]
	return a.page == b.page && maps.Equal(a.metadata, b.metadata) && below(parent, b.heading)
}

// pack joins units into chunks of nearly equal size, so that no section ends in
// a chunk of a few words: what remains is divided by the number of chunks it
// needs, and each chunk comes as near to that as its units allow. The counts of
// units add up nearly, which is enough for the aim; the count of a chunk is
// exact.
func pack(chunks, units []piece) []piece {
	remaining := 0
	for _, u := range units {
		remaining += u.tokens
	}
	for len(units) > 0 {
		needed := max(1, (remaining+ChunkTokens-1)/ChunkTokens)
		aim := (remaining + needed - 1) / needed
		c, n := units[0], 1
		remaining -= c.tokens
		var h leadingHeading
		h.add(c)
		for _, u := range units[1:] {
			if c.tokens+u.tokens/2 > aim {
				break
			}
			tally := c.tally.Join(u.tally)
			tokens := tally.Tokens()
			if tokens > ChunkTokens {
				break
			}
			c.end, c.tokens, c.tally = u.end, tokens, tally
			h.add(u)
			remaining -= u.tokens
			n++
		}
		c.heading = h.heading()
		chunks = append(chunks, c)
		units = units[n:]
	}
	return chunks
}

// leadingHeading finds the heading of a chunk of several sections: that of the
// largest, where a section counts together with those it directly leads down
// to. A chunk that begins with a title and goes on with the first part is about
// that part.
type leadingHeading struct {
	best, current string
	most, tokens  int
	branched      bool
}

func (h *leadingHeading) add(u piece) {
	if h.tokens > 0 && u.heading != h.current && (h.branched || !below(h.current, u.heading)) {
		h.settle()
		h.branched = true
	}
	h.current = u.heading
	h.tokens += u.tokens
}

func (h *leadingHeading) settle() {
	if h.tokens > h.most {
		h.best, h.most = h.current, h.tokens
	}
	h.tokens = 0
}

func (h *leadingHeading) heading() string {
	h.settle()
	return h.best
}

// below reports whether path is heading itself or lies under it.
func below(heading, path string) bool {
	return heading == "" || path == heading ||
		strings.HasPrefix(path, heading) && strings.HasPrefix(path[len(heading):], headingSeparator)
}
