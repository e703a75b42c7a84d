package main

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow/serve/page"
	"github.com/winnow-search/winnow/wire"
)

func (c *cli) exportCommand() *cobra.Command {
	var out string
	var noText bool
	cmd := &cobra.Command{
		Use:   "export RUN -o FILE.html",
		Short: "Write a recorded run as one page to share",
		Long: `Export writes a recorded run as one page: its turns, what was found and pruned,
and the ranking. The page carries all it needs and opens without network.

It holds the text of every document that was shown. --no-text leaves that out,
and what the policy wrote about it; titles, paths and the searches stay.

RUN is the id of a run or the beginning of one, last for the newest, or a file
written with ask --trace.`,
		Example: `  winnow export last -o run.html
  winnow export --no-text 20260131-0915 -o run.html`,
		Args: arguments(1, 1, "RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return usage("winnow export "+args[0]+" -o run.html", "-o FILE.html is missing")
			}
			return c.export(args[0], out, noText)
		},
		ValidArgsFunction: c.completeRuns,
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the page to `FILE.html`; - is stdout")
	cmd.Flags().BoolVar(&noText, "no-text", false, "leave out what the documents say")
	return cmd
}

func (c *cli) export(name, out string, noText bool) error {
	kept, err := c.runs()
	if err != nil {
		return err
	}
	id, path, t, broken := record(kept, name)
	if t == nil {
		return broken
	}
	e := &page.Export{Run: id, State: wire.RunCut, Events: t.Events, NoText: noText}
	if t.End() != nil {
		e.State = wire.RunEnded
	}
	if id == "" {
		e.Run = filepath.Base(path)
	} else if about, err := kept.Summarise(id); err == nil {
		e.Began = about.Began
	}
	var b bytes.Buffer // whole or not at all
	if err := e.Write(&b); err != nil {
		return err
	}
	if out == "-" {
		_, err = c.stdout.Write(b.Bytes())
		return err
	}
	if err := os.WriteFile(out, b.Bytes(), 0o600); err != nil { // it holds text that may be private
		return err
	}
	if c.json {
		return c.print(map[string]any{"run": e.Run, "file": out, "bytes": b.Len()})
	}
	c.note("%s holds the run %s", out, e.Run)
	return nil
}
