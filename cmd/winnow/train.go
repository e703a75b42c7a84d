package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/rerank"
	"github.com/winnow-search/winnow/train"
)

func (c *cli) trainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Learn from judged questions",
		Long: `Train learns from data sets with known answers, or from your own judged
questions, and prints what was learned by cross-validation.`,
		Example: `  winnow train builtin --data data/hotpotqa --data data/musique
  winnow train rerank --data data/hotpotqa --data data/musique`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.trainBuiltinCommand(), c.trainRerankCommand())
	return cmd
}

// training are the flags of the command.
type training struct {
	data  []string
	folds int
	out   string
	model
}

func (c *cli) trainRerankCommand() *cobra.Command {
	var f training
	cmd := &cobra.Command{
		Use:   "rerank --data DIR...",
		Short: "Train the ranker of searches, and say what it is worth",
		Long: `Train rerank asks every question of the data sets, learns to put the supporting
documents first, and prints two tables: cross-validated over questions, and for
each set what a model makes of it that was trained on the other sets only. With
--out the weights of a model trained on all sets are written to a folder, in the
file for the embedder in use.`,
		Example: `  winnow train rerank --data data/hotpotqa --data data/musique
  winnow train rerank --data data/hotpotqa --embedder static --out rerank/weights`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(f.data) == 0 {
				return usage("winnow train rerank --data DIR", "--data is missing")
			}
			if f.folds < 2 {
				return usage("--folds 5", "--folds wants at least 2")
			}
			return c.trainRerank(cmd.Context(), &f)
		},
	}
	cmd.Flags().StringArrayVar(&f.data, "data", nil, "a data set, `DIR`; repeatable")
	cmd.Flags().IntVar(&f.folds, "folds", 5, "`N` parts for cross-validation")
	cmd.Flags().StringVar(&f.out, "out", "", "write the weights into the folder `DIR`")
	cmd.Flags().StringVar(&f.embedder, "embedder", "", "train for the vectors of `builtin`, static or off")
	return cmd
}

func (c *cli) trainRerank(ctx context.Context, f *training) error {
	var sets []*train.Set
	space := ""
	for _, dir := range f.data {
		d, err := eval.Load(dir)
		if err != nil {
			return err
		}
		set, s, err := c.collect(ctx, d, f)
		if err != nil {
			return err
		}
		sets, space = append(sets, set), s
	}
	bar := c.startProgress("Training")
	o := train.Options{Folds: f.folds, Step: func(what string) { c.note("%s…", what) }}
	rows, err := train.Report(ctx, index.Features, sets, o)
	if err != nil {
		return err
	}
	m, err := train.Model(ctx, index.Features, sets, o)
	bar.stop()
	if err != nil {
		return err
	}
	file := ""
	if f.out != "" {
		file = filepath.Join(f.out, rerank.File(space))
		var questions []string
		for _, s := range sets {
			for _, t := range s.Tasks {
				questions = append(questions, t.Question)
			}
		}
		if err := errors.Join(os.WriteFile(file, m.Encode(), 0o644),
			os.WriteFile(filepath.Join(f.out, rerank.SeenFile), rerank.EncodeSeen(questions), 0o644)); err != nil {
			return err
		}
	}
	if c.json {
		return c.print(map[string]any{"space": space, "sets": rows, "importance": m.Importance(), "file": file})
	}
	cells := [][]string{{"set", "questions", "met", "R@2", "R@5", "R@10", "R@20", "", "others: R@2", "R@5", "R@10", "R@20"}}
	for _, r := range rows {
		cell := []string{r.Set, fmt.Sprint(r.Questions), fmt.Sprintf("%.1f", r.Met)}
		cell = append(cell, figures(&r.Folds)...)
		cells = append(cells, append(append(cell, ""), figures(r.Others)...))
	}
	fmt.Fprint(c.stdout, table(cells, "lrrrrrrlrrrr"))
	fmt.Fprintln(c.stdout, "\nWhat the features are worth (share of the gain):")
	for _, g := range m.Importance()[:15] {
		fmt.Fprintf(c.stdout, "  %5.1f %%  %s\n", 100*g.Share, g.Feature)
	}
	if file != "" {
		fmt.Fprintln(c.stdout, "\nThe weights are in "+file+".")
	}
	return nil
}

func figures(q *train.Quality) []string {
	if q == nil {
		return []string{"", "", "", ""}
	}
	var out []string
	for _, v := range []float64{q.R2, q.R5, q.R10, q.R20} {
		out = append(out, fmt.Sprintf("%.1f", v))
	}
	return out
}

// collect asks the questions of a data set for all candidates with features.
func (c *cli) collect(ctx context.Context, d *eval.Dataset, f *training) (set *train.Set, space string, err error) {
	s, err := c.openDataset(ctx, d, f.settings(), true)
	if err != nil {
		return nil, "", err
	}
	defer s.Close()
	set, err = c.candidates(ctx, d, s)
	return set, s.Space(), err
}

func (c *cli) candidates(ctx context.Context, d *eval.Dataset, s *open.Opened) (*train.Set, error) {
	bar := c.startProgress("Asking " + d.Name)
	defer bar.stop()
	return train.Collect(ctx, d, func(ctx context.Context, t eval.Task) ([]winnow.Hit, error) {
		return s.Candidates(ctx, winnow.Query{Text: t.Question, Scope: eval.ScopeOf(winnow.Scope{}, &t)})
	}, bar.set)
}
