package index

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
	"github.com/winnow-search/winnow/index/segment"
	"github.com/winnow-search/winnow/index/trigram"
)

// The limits of a grep. A pattern's size is bounded by filter.CompilePattern.
const (
	grepTime  = 10 * time.Second
	grepBytes = 4 << 30
	grepLines = 1000
)

// Grep returns the lines that match a pattern, by document id and line.
func (s *Snapshot) Grep(ctx context.Context, q winnow.GrepQuery) (*winnow.Matches, error) {
	re, err := filter.CompilePattern(q.Pattern)
	if err != nil {
		return nil, err
	}
	re = regexp.MustCompile("(?m)" + re.String()) // ^ and $ at lines, as grep does
	denied, err := s.deny(&q.Scope)
	if err != nil {
		return nil, err
	}
	plan := trigram.Plan(re)
	out := &winnow.Matches{Matches: []winnow.Match{}, Warnings: []string{}}
	if plan.Op == trigram.All && s.stats.Chunks > 0 {
		out.Warnings = append(out.Warnings, "the pattern holds no three letters in a row that every match needs, so all text was read")
	}
	limit := q.Limit
	if limit <= 0 {
		limit = grepLines
	}
	ctx, cancel := context.WithTimeoutCause(ctx, grepTime, errGrepTime)
	defer cancel()
	g := grep{re: re, read: grepBytes, snap: s}
	var found []grepHit
	for i, seg := range s.segments {
		candidates, err := seg.candidates(plan)
		if err != nil {
			return nil, err
		}
		if denied[i] != nil {
			for w, d := range denied[i] {
				candidates[w] &^= d
			}
		}
		hits, cut, err := g.segment(ctx, i, candidates, limit+1)
		if err != nil {
			return nil, err
		}
		found = append(found, hits...)
		if cut != "" {
			out.Truncated = true
			out.Warnings = append(out.Warnings, cut)
			break
		}
	}
	slices.SortStableFunc(found, func(a, b grepHit) int {
		if c := strings.Compare(a.chunk.Document, b.chunk.Document); c != 0 {
			return c
		}
		return a.line - b.line
	})
	chunks, last := 0, ""
	for _, h := range found {
		if h.chunk.ID != last {
			chunks++
			last = h.chunk.ID
		}
		if len(out.Matches) == limit || q.Chunks > 0 && chunks > q.Chunks {
			out.Truncated = true
			break
		}
		out.Matches = append(out.Matches, winnow.Match{Chunk: *h.chunk, Line: h.line, Text: h.text})
	}
	return out, s.fault()
}

var errGrepTime = &winnow.Error{Code: winnow.TooMuch, Message: fmt.Sprintf("the search took longer than %s", grepTime),
	Hint: "use a pattern with some literal text in it, or narrow the scope"}

type grep struct {
	re   *regexp.Regexp
	snap *Snapshot
	read int // bytes that may still be read
}

type grepHit struct {
	chunk *winnow.Chunk
	line  int
	text  string
}

var errStop = fmt.Errorf("enough")

// segment finds up to limit lines among the candidates. cut says what limit on
// time or bytes struck.
func (g *grep) segment(ctx context.Context, seg int, candidates segment.Bits, limit int) (hits []grepHit, cut string, err error) {
	s := g.snap.segments[seg]
	var doc winnow.Document
	docOf := -1
	err = s.records(candidates, func(ord uint32, record []byte) error {
		if ctx.Err() != nil {
			if context.Cause(ctx) == error(errGrepTime) {
				cut = errGrepTime.Message
				return errStop
			}
			return ctx.Err()
		}
		text, err := chunkText(record)
		if err != nil {
			return err
		}
		if g.read -= len(text); g.read < 0 {
			cut = fmt.Sprintf("more than %d GiB of text would have to be read", grepBytes>>30)
			return errStop
		}
		if !g.re.Match(text) {
			return nil
		}
		c, err := decodeChunk(record)
		if err != nil {
			return err
		}
		if d := s.owner.Int(int(ord)); d != docOf {
			if doc, err = s.document(d); err != nil {
				return err
			}
			docOf = d
		}
		s.complete(&c, &doc, ord)
		for _, h := range matchingLines(g.re, c.Text) {
			hits = append(hits, grepHit{chunk: &c, line: c.Lines[0] + h.line, text: h.text})
		}
		if len(hits) >= limit {
			return errStop
		}
		return nil
	})
	if err == errStop {
		err = nil
	}
	return hits, cut, err
}

// matchingLines returns the lines of text that matches touch, counted from 0. A
// match over several lines is reported at its first.
func matchingLines(re *regexp.Regexp, text string) (hits []grepHit) {
	line, from := 0, 0
	for _, m := range re.FindAllStringIndex(text, -1) {
		at := m[0]
		if at == len(text) && strings.HasSuffix(text, "\n") { // no line begins there
			break
		}
		line += strings.Count(text[from:at], "\n")
		from = at
		if len(hits) > 0 && hits[len(hits)-1].line == line {
			continue
		}
		start := strings.LastIndexByte(text[:at], '\n') + 1
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i
		}
		hits = append(hits, grepHit{line: line, text: strings.TrimSuffix(text[start:end], "\r")})
	}
	return hits
}

func contains(text []byte, s string) bool { return bytes.Contains(text, []byte(s)) }

// candidates returns the chunks whose trigrams satisfy a query.
func (p *part) candidates(q trigram.Query) (segment.Bits, error) {
	n := p.chunkCount()
	set := segment.NewBits(n)
	switch q.Op {
	case trigram.All:
		set.Not(n)
		return set, nil
	case trigram.None:
		return set, nil
	case trigram.Or:
		for _, t := range q.Trigrams {
			l, err := p.gramList(t)
			if err != nil {
				return nil, err
			}
			set.SetList(&l)
		}
		for _, sub := range q.Sub {
			b, err := p.candidates(sub)
			if err != nil {
				return nil, err
			}
			set.Or(b)
		}
		return set, nil
	}
	// All lists must agree: the shortest first, so that the rest is seldom read.
	lists := make([]segment.List, len(q.Trigrams))
	for i, t := range q.Trigrams {
		l, err := p.gramList(t)
		if err != nil {
			return nil, err
		}
		if l.Len() == 0 {
			return set, nil
		}
		lists[i] = l
	}
	slices.SortFunc(lists, func(a, b segment.List) int { return a.Len() - b.Len() })
	set.Not(n)
	left := n
	for i := range lists {
		if i > 0 && left < fewCandidates {
			return set, nil
		}
		b := segment.NewBits(n)
		b.SetList(&lists[i])
		set.And(b)
		left = set.Count()
	}
	for _, sub := range q.Sub {
		if left < fewCandidates {
			break
		}
		b, err := p.candidates(sub)
		if err != nil {
			return nil, err
		}
		set.And(b)
		left = set.Count()
	}
	return set, nil
}

// fewCandidates are cheaper to read than another list is to decode.
const fewCandidates = 16

func (p *part) gramList(t trigram.Trigram) (segment.List, error) {
	e, err := p.trigrams.Lookup(t.Key())
	if err != nil || e.Count == 0 {
		return segment.List{}, err
	}
	return p.trigrams.List(e, false)
}

// records hands the records of the chunks in a set to fn, in order.
func (p *part) records(set segment.Bits, fn func(ord uint32, record []byte) error) (err error) {
	lo, hi := 0, 0 // a run of chunks, so that each block is decompressed once
	flush := func() error {
		if lo == hi {
			return nil
		}
		return p.chunks.Records(lo, hi, func(i int, b []byte) error {
			if !set.Has(uint32(i)) {
				return nil
			}
			return fn(uint32(i), b)
		})
	}
	set.Each(func(ord uint32) {
		if err != nil {
			return
		}
		if int(ord) <= hi+recordGap && hi > lo {
			hi = int(ord) + 1
			return
		}
		err = flush()
		lo, hi = int(ord), int(ord)+1
	})
	if err != nil {
		return err
	}
	return flush()
}

// recordGap is the number of unwanted records that are skipped inside a run
// rather than by another look-up: fewer than a block holds.
const recordGap = 8

func (p *part) texts(set segment.Bits, fn func(ord uint32, text []byte) error) error {
	return p.records(set, func(ord uint32, b []byte) error {
		t, err := chunkText(b)
		if err != nil {
			return err
		}
		return fn(ord, t)
	})
}
