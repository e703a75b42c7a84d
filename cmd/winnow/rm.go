package main

import (
	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow/corpus/chroma"
)

func (c *cli) rmCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a collection",
		Long: `Rm removes a collection by its name, or the index of a folder by its path. The
files that were indexed are not touched. For a collection of Chroma it removes
what is kept of it here; on the server nothing changes.`,
		Example: `  winnow rm notes
  winnow rm ~/notes`,
		Args: arguments(1, 1, "NAME"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			return completeCollections(cmd, args, prefix)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := c.here(nil)
			if err != nil {
				return err
			}
			if chroma.IsAddress(args[0]) {
				return c.rmChroma(p, args[0])
			}
			collection, err := p.home.Find(args[0])
			if err != nil {
				return err
			}
			if err := collection.Remove(); err != nil {
				return err
			}
			if c.json {
				return c.print(map[string]string{"removed": collection.Name})
			}
			c.note("Removed %s.", collection.Name)
			return nil
		},
	}
}
