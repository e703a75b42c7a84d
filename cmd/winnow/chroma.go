package main

import (
	"context"
	"fmt"
	"time"

	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/ingest"
)

// checkChroma refuses flags that mean nothing for a collection of Chroma.
func (f *indexing) checkChroma(paths int) error {
	switch {
	case f.to != "" && !chroma.IsAddress(f.to):
		return usage("--to chroma://host:port/collection", "--to wants the address of a collection of Chroma")
	case f.to != "" && f.collection != "":
		return usage("leave --collection out", "--to names the collection already")
	case f.to != "" && (f.watch || f.rebuild || f.textOnly):
		return usage("run it again after changes", "--to goes with none of --watch, --rebuild and --text-only")
	case chroma.IsAddress(f.collection) && paths > 0:
		return usage("winnow index --to "+f.collection+" PATH", "--collection of Chroma takes no PATH")
	case chroma.IsAddress(f.collection) && (f.watch || f.textOnly):
		return usage("every question follows it anyway", "a collection of Chroma can't be watched")
	}
	return nil
}

// indexChroma writes paths into Chroma, or follows a collection of it.
func (c *cli) indexChroma(ctx context.Context, f *indexing, paths []string) error {
	p, err := c.here(map[string]string{"language": f.language, "embedder": f.embedder})
	if err != nil {
		return err
	}
	if f.to != "" {
		bar := c.startProgress("Writing to " + f.to)
		u, err := p.home.IndexChroma(ctx, f.to, paths, p.config, bar.set)
		bar.stop()
		if err != nil {
			return err
		}
		r := u.Report()
		one := indexed{Collection: f.to, Documents: r.Documents, Chunks: r.Chunks, Bytes: r.Bytes, Put: u.Put, Deleted: u.Deleted,
			Skipped: len(r.Skipped), Failed: append([]ingest.Note{}, r.Failed...), Warnings: append([]ingest.Note{}, r.Warnings...), Seconds: u.Took.Seconds()}
		if c.json {
			return c.print(map[string]any{"collections": []indexed{one}})
		}
		return c.tell(one)
	}
	bar := c.startProgress("Following " + f.collection)
	s, err := p.home.FollowChroma(ctx, f.collection, p.config, f.rebuild, bar.set)
	bar.stop()
	if err != nil {
		return err
	}
	if c.json {
		return c.print(map[string]any{"collection": f.collection, "records": s.Records, "put": s.Put, "deleted": s.Deleted, "seconds": s.Took.Seconds()})
	}
	changes := "nothing changed"
	if s.Put+s.Deleted > 0 {
		changes = fmt.Sprintf("%s read, %s removed", count(s.Put), count(s.Deleted))
	}
	fmt.Fprintf(c.stdout, "%s: %s (%s, %s)\n", c.outTerminal.paint(bold, f.collection), plural(s.Records, "record"), changes, round(s.Took))
	return nil
}

// lsChroma lists the collections of a server.
func (c *cli) lsChroma(ctx context.Context, p *place, address string, local bool) error {
	if local {
		return usage("leave them out", "--check and --skipped are for collections here")
	}
	list, err := p.home.ListChroma(ctx, address, p.config)
	if err != nil {
		return err
	}
	if c.json {
		return c.print(map[string]any{"server": address, "collections": list})
	}
	if len(list) == 0 {
		c.note("There is no collection on the server yet. Try: winnow index --to %s/NAME PATH", address)
		return nil
	}
	t := c.outTerminal
	rows := [][]string{{"collection", "records", "dimensions", "embedder", "companion", "on disk", "synced"}}
	for _, l := range list {
		embedder, synced := l.Embedder, "never"
		if embedder == "" {
			embedder = "unknown"
		}
		if !l.Synced.IsZero() {
			synced = ago(time.Since(l.Synced))
		}
		rows = append(rows, []string{t.safe(l.Address), count(l.Records), count(l.Dimension), t.safe(embedder), l.Companion, size(l.DiskBytes), synced})
	}
	fmt.Fprint(c.stdout, table(rows, "lrrllrl"))
	return nil
}

// rmChroma removes what is kept of a collection.
func (c *cli) rmChroma(p *place, address string) error {
	if err := p.home.ForgetChroma(address); err != nil {
		return err
	}
	if c.json {
		return c.print(map[string]string{"removed": address})
	}
	c.note("Removed what was kept of %s. The server was not asked.", address)
	return nil
}
