package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/index/bm25"
	"github.com/winnow-search/winnow/ingest"
	"github.com/winnow-search/winnow/open"
)

// indexing are the flags of the command.
type indexing struct {
	collection string
	to         string
	language   string
	watch      bool
	rebuild    bool
	textOnly   bool
	embedder   string
}

func (c *cli) indexCommand() *cobra.Command {
	var f indexing
	cmd := &cobra.Command{
		Use:   "index [--collection NAME] [--to URL] PATH...",
		Short: "Index folders and files, or bring their index up to date",
		Long: `Index reads folders and files and makes them searchable. What has not changed
since the last time costs nothing, what is gone disappears.

Without --collection each PATH is a collection of its own, the one that
--in PATH searches. With it, all paths are put into one named collection, and
without PATH that collection is brought up to date.

With --to the paths are written into a collection of Chroma in place of one
here. For a collection of Chroma, --collection chroma://… without PATH brings
what is kept of it here up to date, comparing every record.

A PATH is a folder, a file, or a corpus in JSONL with id, title, text and
metadata on each line.`,
		Example: `  winnow index ~/notes
  winnow index --collection work ~/mail ~/projects/docs
  winnow index --collection work
  winnow index --watch ~/notes
  winnow index --to chroma://localhost:8000/notes ~/notes`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && f.collection == "" {
				return usage("winnow index .", "PATH is missing")
			}
			return f.checkChroma(len(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.to != "" || chroma.IsAddress(f.collection) {
				return c.indexChroma(cmd.Context(), &f, args)
			}
			return c.index(cmd.Context(), &f, args)
		},
	}
	cmd.Flags().StringVar(&f.collection, "collection", "", "put everything into the collection `NAME`")
	cmd.Flags().StringVar(&f.to, "to", "", "write into the collection of Chroma at `URL`, as in chroma://localhost:8000/notes")
	cmd.Flags().StringVar(&f.language, "language", "", "the `LANGUAGE` of the text, for stems: "+strings.Join(bm25.Languages, ", "))
	cmd.Flags().BoolVar(&f.watch, "watch", false, "stay, and follow changes until interrupted")
	cmd.Flags().BoolVar(&f.rebuild, "rebuild", false, "index from scratch beside the index that is searched meanwhile")
	cmd.Flags().BoolVar(&f.textOnly, "text-only", false, "return as soon as the text can be searched")
	cmd.Flags().StringVar(&f.embedder, "embedder", "", "`builtin`, static, off, or the address of an OpenAI-compatible server")
	cmd.RegisterFlagCompletionFunc("collection", completeCollections)
	cmd.RegisterFlagCompletionFunc("language", cobra.FixedCompletions(bm25.Languages, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// indexed is what indexing one collection came to.
type indexed struct {
	Collection string `json:"collection"`
	Documents  int    `json:"documents"`
	Chunks     int    `json:"chunks"`
	Bytes      int64  `json:"bytes"`
	// Put and Deleted count the documents that changed.
	Put      int           `json:"put"`
	Deleted  int           `json:"deleted"`
	Skipped  int           `json:"skipped"`
	Failed   []ingest.Note `json:"failed"`
	Warnings []ingest.Note `json:"warnings"`
	Seconds  float64       `json:"seconds"`
}

func (c *cli) index(ctx context.Context, f *indexing, paths []string) error {
	p, err := c.here(map[string]string{"language": f.language, "embedder": f.embedder})
	if err != nil {
		return err
	}
	if _, err := bm25.NewAnalyzer(p.config.Language); err != nil {
		return err
	}
	var collections []*open.Collection
	var roots []string
	if f.collection != "" {
		roots = paths
		paths = nil
		named, err := p.home.Named(f.collection)
		if err != nil {
			return err
		}
		collections = append(collections, named)
	}
	for _, path := range paths {
		folder, err := p.home.Folder(path)
		if err != nil {
			return err
		}
		collections = append(collections, folder)
	}
	models, err := p.home.Models(p.config)
	if err != nil {
		return err
	}
	o := open.UpdateOptions{Roots: roots, Language: p.config.Language, Rebuild: f.rebuild, Models: models}
	done := []indexed{}
	for _, collection := range collections {
		one, err := c.update(ctx, collection, o)
		if err != nil {
			return err
		}
		if !f.textOnly {
			if err := c.fill(ctx, collection, models); err != nil {
				return err
			}
		}
		if done = append(done, one); f.watch || !c.json {
			if err := c.tell(one); err != nil {
				return err
			}
		}
	}
	if f.watch {
		return c.watch(ctx, collections, open.UpdateOptions{Models: models}, !f.textOnly)
	}
	if c.json {
		return c.print(map[string]any{"collections": done})
	}
	return nil
}

// update brings one collection up to date. One that an older version made is
// made again.
func (c *cli) update(ctx context.Context, collection *open.Collection, o open.UpdateOptions) (indexed, error) {
	o.Rebuild = o.Rebuild || collection.Outdated()
	if !o.Rebuild {
		if err := collection.CheckLanguage(o.Language); err != nil {
			return indexed{}, err
		}
	}
	bar := c.startProgress("Indexing " + collection.Name)
	defer bar.stop()
	o.Progress = bar.set
	u, err := collection.Update(ctx, o)
	if err != nil {
		return indexed{}, err
	}
	return indexedOf(collection, u), nil
}

// fill computes the vectors that are missing. What is done when it is
// interrupted stays.
func (c *cli) fill(ctx context.Context, collection *open.Collection, models *open.Models) error {
	bar := c.startProgress("Embedding " + collection.Name)
	defer bar.stop()
	return collection.Fill(ctx, models, bar.set)
}

func indexedOf(collection *open.Collection, u *open.Update) indexed {
	r := u.Report()
	return indexed{
		Collection: collection.Name, Documents: r.Documents, Chunks: r.Chunks, Bytes: r.Bytes, Put: u.Put, Deleted: u.Deleted,
		Skipped: len(r.Skipped), Failed: append([]ingest.Note{}, r.Failed...), Warnings: append([]ingest.Note{}, r.Warnings...),
		Seconds: u.Took.Seconds(),
	}
}

// tell says what became of a collection.
func (c *cli) tell(one indexed) error {
	if c.json {
		return c.print(one)
	}
	t := c.outTerminal
	changes := "nothing changed"
	if one.Put+one.Deleted > 0 {
		changes = fmt.Sprintf("%s written, %s removed", count(one.Put), count(one.Deleted))
	}
	fmt.Fprintf(c.stdout, "%s: %s, %s, %s of text (%s, %s)\n", t.paint(bold, t.safe(one.Collection)), plural(one.Documents, "document"),
		plural(one.Chunks, "chunk"), size(one.Bytes), changes, round(time.Duration(one.Seconds*float64(time.Second))))
	if one.Skipped > 0 {
		fmt.Fprintf(c.stdout, "  %s left out; winnow ls --skipped says which and why\n", plural(one.Skipped, "file"))
	}
	for _, n := range one.Warnings {
		c.warn([]string{n.Path + ": " + n.Reason})
	}
	for _, n := range one.Failed {
		c.warn([]string{n.Path + " was not indexed: " + n.Reason})
	}
	return nil
}
