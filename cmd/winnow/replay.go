package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/replay"
)

func (c *cli) replayCommand() *cobra.Command {
	var p passages
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "Tell a recorded run again",
		Long: `Replay tells a recorded run again, turn by turn, and prints its ranking. It needs
no collection: a record holds all text that was shown.

RUN is the id of a run or the beginning of one, last for the newest, or a file
written with ask --trace.`,
		Example: `  winnow replay last
  winnow replay --json 20260131-0915 | jq .ended
  winnow replay --format context run.jsonl`,
		Args: arguments(1, 1, "RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := p.check(c); err != nil {
				return err
			}
			return c.replay(args[0], &p)
		},
		ValidArgsFunction: c.completeRuns,
	}
	p.flags(cmd)
	return cmd
}

func (c *cli) completeRuns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	kept, err := c.runs()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return append(kept.List(), "last"), cobra.ShellCompDirectiveDefault
}

func (c *cli) replay(name string, p *passages) error {
	kept, err := c.runs()
	if err != nil {
		return err
	}
	id, path, err := kept.Find(name)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	t, broken := winnow.ReadTrajectory(file) // a record that was cut off is told as far as it goes
	if t.Start() == nil {
		return broken
	}
	told := &narrator{w: c.stdout, term: c.outTerminal}
	for e, err := range replay.Events(t) {
		if err != nil {
			return cmp.Or(broken, err)
		}
		if p.format == formatText {
			told.tell(&e)
		}
	}
	if broken != nil {
		return broken
	}
	if p.format == formatText {
		fmt.Fprintln(c.stdout)
	}
	return c.printAccount(&account{
		run: id, trajectory: t,
		file:     func(c *winnow.Chunk) string { return cmp.Or(c.Path, c.Document) },
		language: func(string) string { return "" },
	}, p)
}
