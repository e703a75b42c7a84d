package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/ingest"
	"github.com/winnow-search/winnow/open"
)

func (c *cli) lsCommand() *cobra.Command {
	var check, skipped bool
	cmd := &cobra.Command{
		Use:   "ls [--check] [--skipped] [NAME|PATH|URL]",
		Short: "List the collections and their state",
		Long: `Ls lists every collection, or the one that is named, with its documents and
chunks, its size, when it was last updated, and what has changed in its files
since. A URL lists the collections of a Chroma server, with the model of their
vectors and what is kept of them here.`,
		Example: `  winnow ls
  winnow ls --skipped ~/notes
  winnow ls --check
  winnow ls chroma://localhost:8000`,
		Args:              arguments(0, 1, ""),
		ValidArgsFunction: completeCollections,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.ls(cmd.Context(), args, check, skipped)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "verify every checksum")
	cmd.Flags().BoolVar(&skipped, "skipped", false, "say which files were left out, and why")
	return cmd
}

// listed is a collection in the list.
type listed struct {
	Collection string    `json:"collection"`
	Kind       open.Kind `json:"kind"`
	Roots      []string  `json:"roots"`
	Documents  int       `json:"documents"`
	Chunks     int       `json:"chunks"`
	Bytes      int64     `json:"bytes"` // of text
	DiskBytes  int64     `json:"disk_bytes"`
	Updated    time.Time `json:"updated"`
	Language   string    `json:"language"`
	// Vectors is the share of chunks that have vectors, by space.
	Vectors map[string]float64 `json:"vectors"`
	// Pending is the work that is left, in words.
	Pending []string      `json:"pending"`
	Checked bool          `json:"checked"`
	Error   string        `json:"error,omitempty"`
	Skipped []ingest.Note `json:"skipped,omitempty"`
	Failed  []ingest.Note `json:"failed,omitempty"`
}

func (c *cli) ls(ctx context.Context, names []string, check, skipped bool) error {
	p, err := c.here(nil)
	if err != nil {
		return err
	}
	if len(names) > 0 && chroma.IsAddress(names[0]) {
		return c.lsChroma(ctx, p, names[0], check || skipped)
	}
	collections, err := p.home.Collections()
	if err != nil {
		return err
	}
	if len(names) > 0 {
		one, err := p.home.Find(names[0])
		if err != nil {
			return err
		}
		collections = []*open.Collection{one}
	}
	list := []listed{}
	var broken error
	for _, collection := range collections {
		one, err := describe(ctx, collection, check, skipped)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			one.Error = err.Error()
			broken = err
		}
		list = append(list, one)
	}
	if c.json {
		if err := c.print(map[string]any{"home": p.home.Dir(), "collections": list}); err != nil {
			return err
		}
	} else {
		c.printList(list, check, skipped)
	}
	if broken != nil {
		return errNoMatch // each has been told with its collection
	}
	return nil
}

func describe(ctx context.Context, collection *open.Collection, check, skipped bool) (one listed, err error) {
	one = listed{Collection: collection.Name, Kind: collection.Kind(), Roots: append([]string{}, collection.Roots()...), Pending: []string{}}
	if collection.Err != nil {
		return one, collection.Err
	}
	info, err := collection.Info()
	if err != nil {
		return one, err
	}
	one.Documents, one.Chunks, one.Updated, one.Language = info.Documents, info.Chunks, info.Updated, info.Language
	one.Bytes, one.DiskBytes, one.Vectors = info.TextBytes, info.DiskBytes, info.Vectors
	if skipped {
		r, err := collection.Report()
		if err != nil {
			return one, err
		}
		one.Skipped, one.Failed = r.Skipped, r.Failed
	}
	if check {
		if err := collection.Check(ctx); err != nil {
			return one, err
		}
		one.Checked = true
	}
	pending, err := collection.Pending(ctx)
	one.Pending = append(one.Pending, pending...)
	return one, err
}

func (c *cli) printList(list []listed, check, skipped bool) {
	if len(list) == 0 {
		c.note("There is no collection yet. Try: winnow index PATH")
		return
	}
	t := c.outTerminal
	rows := [][]string{{"collection", "documents", "chunks", "text", "on disk", "vectors", "updated", "state"}}
	for _, l := range list {
		state := "up to date"
		switch {
		case l.Error != "":
			state = "broken"
		case len(l.Pending) > 0:
			state = strings.Join(l.Pending, ", ")
		case check:
			state = "up to date, checksums hold"
		}
		rows = append(rows, []string{t.safe(name(l)), count(l.Documents), count(l.Chunks), size(l.Bytes), size(l.DiskBytes), vectors(l.Vectors),
			ago(time.Since(l.Updated)), state})
	}
	fmt.Fprint(c.stdout, table(rows, "lrrrrlll"))
	for _, l := range list {
		if l.Error != "" {
			c.warn([]string{l.Collection + ": " + l.Error})
		}
		if !skipped {
			continue
		}
		left := append(l.Skipped, l.Failed...)
		if len(left) == 0 {
			fmt.Fprintf(c.stdout, "\n%s: nothing was left out\n", t.paint(bold, t.safe(l.Collection)))
			continue
		}
		fmt.Fprintf(c.stdout, "\n%s\n", t.paint(bold, t.safe(l.Collection)))
		for _, n := range left {
			fmt.Fprintf(c.stdout, "  %s  %s\n", t.safe(n.Path), t.paint(dim, t.safe(n.Reason)))
		}
	}
}

// vectors says how much of a collection has vectors of which space.
func vectors(shares map[string]float64) string {
	var parts []string
	for space, share := range shares {
		name, _, _ := strings.Cut(space, "/")
		parts = append(parts, fmt.Sprintf("%s %.0f %%", name, 100*share))
	}
	if parts == nil {
		return "none"
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// name is a collection with where its documents come from.
func name(l listed) string {
	if l.Kind != open.KindFiles {
		return l.Collection
	}
	return l.Collection + " (" + strings.Join(l.Roots, ", ") + ")"
}
