package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
	"github.com/winnow-search/winnow/open"
)

// where is the WHERE of a command: what is searched, and what of it.
type where struct {
	open.Where
	filter  string
	path    string
	exclude []string
}

func (w *where) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&w.In, "in", nil, "search the folder or file at `PATH`; repeatable")
	f.StringArrayVar(&w.Collections, "collection", nil, "search the collection `NAME`, or one of Chroma at chroma://host:port/collection; repeatable")
	f.StringVar(&w.filter, "where", "", "only chunks whose metadata match `JSON`, as in '{\"type\": \"markdown\"}'")
	f.StringVar(&w.path, "path", "", "only files whose path matches `GLOB`, as in 'docs/**/*.md'")
	f.StringArrayVar(&w.exclude, "exclude", nil, "leave the document `DOC` out; repeatable")
	cmd.RegisterFlagCompletionFunc("collection", completeCollections)
}

// scope checks the filters before anything is opened, so that a slip of the
// hand costs no indexing.
func (w *where) scope() (winnow.Scope, error) {
	s := winnow.Scope{Path: w.path, ExcludeDocuments: w.exclude}
	if w.filter != "" {
		s.Where = json.RawMessage(w.filter)
		if _, err := filter.Parse(s.Where); err != nil {
			return s, err
		}
	}
	if w.path != "" {
		if _, err := filter.CompileGlob(w.path); err != nil {
			return s, err
		}
	}
	return s, nil
}

// keep leaves only those chunks of a document that are in scope. A search leaves
// the others out by itself; reading names what it wants.
func (w *where) keep(doc *winnow.Document) error {
	scope, err := w.scope()
	if err != nil {
		return err
	}
	kept := !slices.Contains(w.exclude, doc.ID)
	if w.path != "" {
		glob, err := filter.CompileGlob(w.path)
		if err != nil {
			return err
		}
		kept = kept && glob.Match(cmp.Or(doc.Path, doc.ID))
	}
	if w.filter != "" {
		e, err := filter.Parse(scope.Where)
		if err != nil {
			return err
		}
		doc.Chunks = slices.DeleteFunc(doc.Chunks, func(c winnow.Chunk) bool { return !filter.Match(e, c.Metadata, c.Text) })
	}
	if kept && len(doc.Chunks) > 0 {
		return nil
	}
	return &winnow.Error{Code: winnow.NotFound, Message: fmt.Sprintf("the document %q is outside of --where, --path and --exclude", doc.ID),
		Hint: "leave these out"}
}

// open opens what the flags say. The caller closes it.
func (c *cli) open(ctx context.Context, w *where, settings map[string]string) (*open.Opened, error) {
	p, err := c.here(settings)
	if err != nil {
		return nil, err
	}
	bar := c.startProgress("Indexing")
	defer bar.stop()
	return p.home.Open(ctx, w.Where, open.Options{Dir: p.dir, Config: p.config, Progress: bar.set})
}

func completeCollections(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	home, err := open.DefaultHome()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, _ := open.NewHome(home).Collections()
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
