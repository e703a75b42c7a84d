package main

import (
	"context"
	"encoding/json"
	"fmt"

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
	return filter.Narrow(winnow.Scope{}, winnow.Scope{Where: json.RawMessage(w.filter), Path: w.path, ExcludeDocuments: w.exclude})
}

// keep leaves only those chunks of a document that are in scope.
func (w *where) keep(doc *winnow.Document) error {
	scope, err := w.scope()
	if err != nil {
		return err
	}
	if kept, err := filter.Keep(doc, &scope); kept || err != nil {
		return err
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
