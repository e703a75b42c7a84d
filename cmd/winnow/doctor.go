package main

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow/open"
)

type doctorAnswer struct {
	OK       bool           `json:"ok"`
	Findings []open.Finding `json:"findings"`
}

func (c *cli) doctorCommand() *cobra.Command {
	var m model
	cmd := &cobra.Command{
		Use:   "doctor [MODEL]",
		Short: "Find out whether a model can be asked, or whether all is well here",
		Long: `Doctor looks at a policy's server: whether it answers and takes the key, which
models it serves, whether the context is large enough for the budget, and with
one real call whether the model calls tools (and, for harmony, whether the server
takes token ids). That call costs what a short question costs.

Without a model it looks at the home folder, the configuration, the collections
and the embedder. Exit code 1 means that something is not well.`,
		Example: `  winnow doctor
  winnow doctor --policy ctx1
  winnow doctor --policy harmony --model context-1 --base-url http://localhost:8000/v1`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			named := slices.ContainsFunc([]string{"policy", "model", "base-url"}, cmd.Flags().Changed)
			return c.doctor(cmd.Context(), &m, named)
		},
	}
	m.flags(cmd)
	m.policyFlags(cmd)
	return cmd
}

func (c *cli) doctor(ctx context.Context, m *model, named bool) error {
	p, err := c.here(m.settings())
	if err != nil {
		return err
	}
	s, err := p.config.Searcher(m.searcher)
	if err != nil {
		return err
	}
	if named && s.Asks() {
		return c.printFindings(s.Examine(ctx))
	}
	return c.printFindings(p.home.Examine(ctx, p.config))
}

// printFindings prints a line for each thing as it is found.
func (c *cli) printFindings(all iter.Seq[open.Finding]) error {
	a := doctorAnswer{OK: true, Findings: []open.Finding{}}
	t := c.outTerminal
	for f := range all {
		a.OK = a.OK && f.OK
		a.Findings = append(a.Findings, f)
		if c.json {
			continue
		}
		mark := t.paint(green, "✓")
		if !f.OK {
			mark = t.paint(red, "✗")
		}
		fmt.Fprintf(c.stdout, "%s %s: %s\n", mark, t.paint(bold, f.What), t.safe(f.Says))
		if f.Hint != "" {
			fmt.Fprintf(c.stdout, "  %s %s\n", t.paint(bold, "Try:"), t.safe(f.Hint))
		}
	}
	if c.json {
		if err := c.print(a); err != nil {
			return err
		}
	}
	if !a.OK {
		return errNoMatch
	}
	return nil
}
