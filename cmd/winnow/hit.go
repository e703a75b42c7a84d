package main

import (
	"fmt"
	"strings"

	"github.com/winnow-search/winnow"
)

// hitPrinter prints hits for people: rank, place, title and the best lines.
type hitPrinter struct {
	*cli
	query       string
	explain     bool
	collections bool // say which a hit is from
	file        func(*winnow.Chunk) string
	language    func(collection string) string

	printed int
	marks   map[string]*highlighter // by collection
}

func (p *hitPrinter) print(rank int, h *winnow.Hit) error {
	mark, err := p.highlighter(h.Collection)
	if err != nil {
		return err
	}
	t := p.outTerminal
	if p.printed++; p.printed > 1 {
		fmt.Fprintln(p.stdout)
	}
	line := t.paint(bold, fmt.Sprintf("%2d", rank)) + "  " + t.paint(magenta, t.safe(location(p.file(&h.Chunk), &h.Chunk)))
	if title := caption(&h.Chunk); title != "" {
		line += "  " + t.paint(bold, t.safe(title))
	}
	if p.collections {
		line += "  " + t.paint(dim, "in "+t.safe(h.Collection))
	}
	fmt.Fprintln(p.stdout, line)
	if p.explain {
		fmt.Fprintln(p.stdout, "    "+t.paint(cyan, explanation(h)))
	}
	fmt.Fprint(p.stdout, t.render(mark.snippet(&h.Chunk, t.width()-12), "  "))
	return nil
}

func (p *hitPrinter) highlighter(collection string) (*highlighter, error) {
	if p.marks == nil {
		p.marks = map[string]*highlighter{}
	}
	if p.marks[collection] == nil {
		mark, err := newHighlighter(p.language(collection), p.query)
		if err != nil {
			return nil, err
		}
		p.marks[collection] = mark
	}
	return p.marks[collection], nil
}

// explanation is the score of a hit and its place in each leg.
func explanation(h *winnow.Hit) string {
	parts := []string{fmt.Sprintf("score %.4g", h.Score)}
	for _, l := range h.Legs {
		parts = append(parts, fmt.Sprintf("%s rank %d score %.4g", l.Leg, l.Rank, l.Score))
	}
	if len(h.Matched) > 0 {
		parts = append(parts, "matched "+strings.Join(h.Matched, " "))
	}
	return strings.Join(parts, " · ")
}
