package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
)

func (c *cli) whyCommand() *cobra.Command {
	var w where
	var m model
	q := winnow.Query{}
	var run string
	cmd := &cobra.Command{
		Use:   "why [WHERE | --run RUN] QUESTION DOCUMENT",
		Short: "Say at which stage a search or a run loses a document",
		Long: `Why runs a search and follows one document through it: not indexed, left out by
the filters, met by no leg, ranked too low, or returned. It prints the
document's rank in every leg. Exit code 1 means that it is not returned.

With --run it follows the document through a recorded run instead: never met,
shown and pruned, shown and not selected, or selected, with the turn and the call
where it happened. That needs no collection. RUN is what replay takes; QUESTION
may be left out, as the run has its own.`,
		Example: `  winnow why "how does a commit survive kill -9" index/writer.go
  winnow why -k 5 --rerank off "retry policy" docs/errors.md
  winnow why --run last docs/errors.md`,
		Args: func(cmd *cobra.Command, args []string) error {
			if run != "" {
				return arguments(1, 2, "DOCUMENT")(cmd, args)
			}
			return arguments(2, 2, "QUESTION and DOCUMENT")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if run != "" {
				for _, f := range []string{"in", "collection", "where", "path", "exclude", "embedder", "rerank", "top"} {
					if cmd.Flags().Changed(f) {
						return usage("winnow why --run "+run+" "+args[len(args)-1], "--%s does not go with --run: the record says what was searched", f)
					}
				}
				return c.whyRun(run, strings.Join(args[:len(args)-1], ""), args[len(args)-1])
			}
			if q.Text = strings.TrimSpace(args[0]); q.Text == "" {
				return usage(`winnow why "a question" document`, "the question is empty")
			}
			if q.Scope, err = w.scope(); err != nil {
				return err
			}
			return c.why(cmd.Context(), &w, &m, q, args[1])
		},
	}
	w.flags(cmd)
	m.flags(cmd)
	cmd.Flags().IntVarP(&q.K, "top", "k", 10, "the `number` of passages that the search returns")
	cmd.Flags().StringVar(&run, "run", "", "follow the document through the recorded `RUN`: an id or its beginning, last, or a file")
	return cmd
}

func (c *cli) why(ctx context.Context, w *where, m *model, q winnow.Query, name string) error {
	s, err := c.open(ctx, w, m.settings())
	if err != nil {
		return err
	}
	defer s.Close()
	why, err := s.Why(ctx, q, name)
	if err != nil {
		return err
	}
	if c.json {
		if err := c.print(why); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(c.stdout, why.Sentence+".")
		for _, l := range why.Legs {
			line := fmt.Sprintf("  %-7s rank %d, score %.4g", l.Leg, l.Rank, l.Score)
			if l.Via != "" {
				line += ", through “" + l.Via + "”"
			}
			fmt.Fprintln(c.stdout, c.outTerminal.safe(line))
		}
		if len(why.Matched) > 0 {
			fmt.Fprintln(c.stdout, "  terms   "+strings.Join(why.Matched, ", "))
		}
	}
	c.warn(s.Warnings)
	if !why.Returned() {
		return errNoMatch
	}
	return nil
}
