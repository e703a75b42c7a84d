package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/replay"
	"github.com/winnow-search/winnow/runs"
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

// record reads a recorded run. One that was cut off comes as far as it goes, with
// the error that says where; nothing comes if there is not even a beginning.
func record(kept runs.Folder, name string) (id, path string, t *winnow.Trajectory, broken error) {
	id, path, err := kept.Find(name)
	if err != nil {
		return "", "", nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", "", nil, err
	}
	defer file.Close()
	if t, broken = winnow.ReadTrajectory(file); t.Start() == nil {
		return "", "", nil, broken
	}
	return id, path, t, broken
}

func (c *cli) replay(name string, p *passages) error {
	kept, err := c.runs()
	if err != nil {
		return err
	}
	id, _, t, broken := record(kept, name)
	if t == nil {
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
