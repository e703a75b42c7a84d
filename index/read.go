package index

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/winnow-search/winnow"
)

// Read returns a document with the chunks asked for. An id is looked up as a
// chunk's first, then as a document's, then as path:line.
func (s *Snapshot) Read(ctx context.Context, q winnow.ReadQuery) (*winnow.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r, ok, err := s.findChunk(q.ID); err != nil {
		return nil, err
	} else if ok {
		seg := s.segments[r.seg]
		return seg.read(seg.owner.Int(int(r.ord)), r.ord, r.ord+1, q)
	}
	seg, d, err := s.findDocument(q.ID)
	if err != nil {
		return nil, err
	}
	if i := strings.LastIndexByte(q.ID, ':'); seg < 0 && i > 0 {
		if line, nerr := strconv.Atoi(q.ID[i+1:]); nerr == nil && line > 0 {
			q.Line = line
			if seg, d, err = s.findDocument(q.ID[:i]); err != nil {
				return nil, err
			}
		}
	}
	if err := s.fault(); err != nil {
		return nil, err
	}
	if seg < 0 {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("there is no document %q", q.ID),
			Hint: "search first and use the ids it returns"}
	}
	p := s.segments[seg]
	return p.read(d, p.first.At(d), p.first.At(d+1), q)
}

// read loads document d with those of the chunks lo … hi−1 that the query keeps.
func (p *part) read(d int, lo, hi uint32, q winnow.ReadQuery) (*winnow.Document, error) {
	doc, err := p.document(d)
	if err != nil {
		return nil, err
	}
	err = p.chunks.Records(int(lo), int(hi), func(i int, b []byte) error {
		c, err := decodeChunk(b)
		if err != nil {
			return err
		}
		p.complete(&c, &doc, uint32(i))
		if wanted(&c, q) {
			doc.Chunks = append(doc.Chunks, c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := p.file.Err(); err != nil {
		return nil, err
	}
	if len(doc.Chunks) == 0 {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("document %q has no such page, heading or line", doc.ID),
			Hint: "read it without --page and --heading to see what it has"}
	}
	return &doc, nil
}

func wanted(c *winnow.Chunk, q winnow.ReadQuery) bool {
	if q.Page > 0 && c.Page != q.Page {
		return false
	}
	if q.Heading != "" && !strings.Contains(strings.ToLower(c.Heading), strings.ToLower(q.Heading)) {
		return false
	}
	return q.Line <= 0 || c.Lines[0] <= q.Line && q.Line <= c.Lines[1]
}
