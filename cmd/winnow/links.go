package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/wire"
)

func (c *cli) linksCommand() *cobra.Command {
	var w where
	q := winnow.LinkQuery{}
	cmd := &cobra.Command{
		Use:   "links [WHERE] DOCUMENT",
		Short: "Show what a document refers to, and what refers to it",
		Long: `Links shows the documents that a document names or links to, those that name
or link to it, and those that share a rare name with it. With --question the
links are ranked by how well they serve a question. Exit code 1 means that there
are none.`,
		Example: `  winnow links docs/architecture.md
  winnow links --question "who wrote it" p000123`,
		Args: arguments(1, 1, "DOCUMENT"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if q.Scope, err = w.scope(); err != nil {
				return err
			}
			if q.K < 1 {
				return usage("-k 20", "-k wants a number above 0")
			}
			return c.links(cmd.Context(), &w, q, args[0])
		},
	}
	w.flags(cmd)
	cmd.Flags().IntVarP(&q.K, "top", "k", 20, "the `number` of links")
	cmd.Flags().StringVar(&q.Question, "question", "", "rank the links for `QUESTION`")
	return cmd
}

// linked is one link as JSON.
type linked struct {
	wire.Entry
	Score float64         `json:"score"`
	From  string          `json:"from"`
	Kind  winnow.LinkKind `json:"kind"`
	Via   string          `json:"via"`
	Back  bool            `json:"back"`
}

func (c *cli) links(ctx context.Context, w *where, q winnow.LinkQuery, name string) error {
	s, err := c.open(ctx, w, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	doc, err := s.Read(ctx, winnow.ReadQuery{ID: name})
	if err != nil {
		return err
	}
	q.From = []string{doc.ID}
	found, err := s.Neighbours(ctx, q)
	if err != nil {
		return err
	}
	warnings := slices.Concat([]string{}, s.Warnings, found.Warnings)
	if c.json {
		out := make([]linked, len(found.Neighbours))
		for i, n := range found.Neighbours {
			out[i] = linked{wire.EntryOf(&n.Chunk), n.Score, n.From, n.Kind, n.Via, n.Back}
		}
		if err := c.print(map[string]any{"document": doc.ID, "links": out, "warnings": warnings}); err != nil {
			return err
		}
	} else {
		c.printLinks(s, found.Neighbours)
	}
	c.warn(warnings)
	if len(found.Neighbours) == 0 {
		c.note("Nothing links to %s, and it links to nothing here.", doc.ID)
		return errNoMatch
	}
	return nil
}

func (c *cli) printLinks(s *open.Opened, found []winnow.Neighbour) {
	t := c.outTerminal
	for i := range found {
		n := &found[i]
		arrow, how := "→", string(n.Kind)
		if n.Back {
			arrow = "←"
		}
		if n.Kind == winnow.LinkShared {
			arrow = "↔"
		}
		fmt.Fprintf(c.stdout, "%s %s  %s  %s\n", arrow, t.paint(magenta, t.safe(location(s.File(&n.Chunk), &n.Chunk))),
			t.paint(bold, t.safe(caption(&n.Chunk))), t.paint(dim, t.safe(fmt.Sprintf("%s “%s”", how, n.Via))))
	}
}
