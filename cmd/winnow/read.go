package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/wire"
)

func (c *cli) readCommand() *cobra.Command {
	var w where
	var q winnow.ReadQuery
	var maxTokens int
	cmd := &cobra.Command{
		Use:   "read [WHERE] DOCUMENT",
		Short: "Print a document as it was indexed",
		Long: `Read prints the text of a document, or of a part of it. DOCUMENT is the id of a
document or of a chunk, a path, or path:line for the chunk that holds a line.`,
		Example: `  winnow read docs/architecture.md
  winnow read docs/architecture.md:120
  winnow read --in ~/papers --page 3 attention.pdf
  winnow read --heading "On disk" docs/architecture.md`,
		Args: arguments(1, 1, "DOCUMENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Page < 0 || maxTokens < 0 {
				return usage(cmd.CommandPath()+" --help", "--page and --max-tokens can't be negative")
			}
			if _, err := w.scope(); err != nil {
				return err
			}
			q.ID = args[0]
			return c.read(cmd.Context(), &w, q, maxTokens)
		},
	}
	w.flags(cmd)
	cmd.Flags().IntVar(&q.Page, "page", 0, "only page `N`")
	cmd.Flags().StringVar(&q.Heading, "heading", "", "only what stands under a heading that contains `TEXT`")
	cmd.Flags().IntVar(&maxTokens, "max-tokens", 0, "no more than `N` tokens")
	return cmd
}

func (c *cli) read(ctx context.Context, w *where, q winnow.ReadQuery, maxTokens int) error {
	s, err := c.open(ctx, w, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	doc, err := s.Read(ctx, q)
	if err != nil {
		return err
	}
	if err := w.keep(doc); err != nil {
		return err
	}
	warnings := s.Warnings
	chunks := make([]*winnow.Chunk, len(doc.Chunks))
	for i := range doc.Chunks {
		chunks[i] = &doc.Chunks[i]
	}
	limit := passages{maxTokens: maxTokens}
	n := max(1, limit.fitting(chunks)) // a part of the first is not worth less than nothing
	warnings = limit.leftOut(warnings, len(chunks)-n)
	doc.Chunks = doc.Chunks[:n]
	if c.json {
		return c.print(wire.ReadOf(doc, doc.Chunks, warnings))
	}
	c.warn(warnings)
	first, last := &doc.Chunks[0], &doc.Chunks[n-1]
	if c.outTerminal.is() {
		c.note("%s:%d-%d  %s", s.File(first), first.Lines[0], last.Lines[1], caption(first))
	}
	fmt.Fprint(c.stdout, endLine(c.outTerminal.safe(doc.Text())))
	return nil
}
