package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/wire"
)

func (c *cli) queryCommand() *cobra.Command {
	var w where
	var m model
	var p passages
	var q winnow.Query
	cmd := &cobra.Command{
		Use:   "query [WHERE] TEXT",
		Short: "Search once and print the best passages",
		Long: `Query searches once and prints the best passages. Exit code 1 means that
nothing matches.`,
		Example: `  winnow query "how does a commit survive kill -9"
  winnow query --in ~/notes --in ~/mail -k 5 "tax return"
  winnow query --path 'docs/**' --where '{"type": "markdown"}' "install"
  winnow query --format context --max-tokens 4000 "retry policy" | pbcopy`,
		Args: arguments(1, 1, "TEXT"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := p.check(c); err != nil {
				return err
			}
			if q.K < 1 {
				return usage("-k 10", "-k wants a number above 0")
			}
			if q.Text = strings.TrimSpace(args[0]); q.Text == "" {
				return usage(`winnow query "what you look for"`, "the text to search for is empty")
			}
			if q.Scope, err = w.scope(); err != nil {
				return err
			}
			return c.query(cmd.Context(), &w, &m, &p, q)
		},
	}
	w.flags(cmd)
	m.flags(cmd)
	p.flags(cmd)
	cmd.Flags().IntVarP(&q.K, "top", "k", 10, "the `number` of passages")
	cmd.Flags().BoolVar(&q.Explain, "explain", false, "print rank and score per leg, and the terms that matched")
	return cmd
}

func (c *cli) query(ctx context.Context, w *where, m *model, p *passages, q winnow.Query) error {
	s, err := c.open(ctx, w, m.settings())
	if err != nil {
		return err
	}
	defer s.Close()
	start := time.Now()
	r, err := s.Search(ctx, q)
	if err != nil {
		return err
	}
	took := time.Since(start)
	warnings := append(s.Warnings, r.Warnings...)
	chunks := make([]*winnow.Chunk, len(r.Hits))
	for i := range r.Hits {
		chunks[i] = &r.Hits[i].Chunk
	}
	shown := len(chunks)
	switch p.format {
	case formatJSON:
		shown = p.fitting(chunks)
		warnings = p.leftOut(warnings, len(chunks)-shown)
		if err := c.print(wire.QueryOf(q.Text, r, shown, warnings)); err != nil {
			return err
		}
	case formatPaths:
		p.paths(c.stdout, s.File, chunks)
	case formatContext:
		shown = p.context(c.stdout, s.File, chunks)
		warnings = p.leftOut(warnings, len(chunks)-shown)
	default:
		printer := hitPrinter{cli: c, query: q.Text, explain: q.Explain, collections: len(s.Collections) > 1, file: s.File, language: s.Language}
		for i := range r.Hits {
			if err := printer.print(i+1, &r.Hits[i]); err != nil {
				return err
			}
		}
	}
	c.warn(warnings)
	if len(r.Hits) == 0 {
		c.note("Nothing matches in %s.", strings.Join(s.Collections, ", "))
		return errNoMatch
	}
	if p.format == formatText && c.outTerminal.is() {
		c.note("\n%s from %s in %s", plural(len(r.Hits), "passage"), strings.Join(s.Collections, ", "), round(took))
	}
	return nil
}
