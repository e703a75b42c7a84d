package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/policy/builtin"
	"github.com/winnow-search/winnow/rerank"
	"github.com/winnow-search/winnow/train"
)

// builtinTraining are the flags of the command.
type builtinTraining struct {
	training
	questions string
	where     where
	without   []string
	alone     bool
}

func (c *cli) trainBuiltinCommand() *cobra.Command {
	var f builtinTraining
	cmd := &cobra.Command{
		Use:   "builtin --data DIR... | --questions FILE [WHERE]",
		Short: "Train the built-in policy, and say what it is worth",
		Long: `Train builtin lets the built-in policy answer every question of the data sets,
learns from what it was shown which passages were worth it, and prints what the
policy makes of the questions with weights that have not seen them: by
cross-validation, and for each set with weights from the other sets.

The weights are kept for your own searches if they are better than those in use
by cross-validation, and thrown away if not. With --out they are written to a
folder instead, in the file for the embedder in use.`,
		Example: `  winnow train builtin --questions judged.jsonl --in ~/wiki
  winnow train builtin --data data/hotpotqa --data data/musique --folds 5
  winnow train builtin --data data/hotpotqa --without links --alone`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(f.data) == 0 && f.questions == "" {
				return usage("winnow train builtin --data DIR, or --questions FILE --in PATH", "--data is missing")
			}
			if f.folds < 2 {
				return usage("--folds 5", "--folds wants at least 2")
			}
			for _, idea := range f.without {
				if !slices.Contains(builtin.Ideas(), builtin.Idea(idea)) {
					return usage(fmt.Sprintf("--without %s", builtin.Ideas()[0]), "there is no idea %q", idea)
				}
			}
			return c.trainBuiltin(cmd.Context(), &f)
		},
	}
	var ideas []string
	for _, idea := range builtin.Ideas() {
		ideas = append(ideas, string(idea))
	}
	cmd.Flags().StringArrayVar(&f.data, "data", nil, "a data set, `DIR`; repeatable")
	cmd.Flags().StringVar(&f.questions, "questions", "", "`FILE` with judged questions, as winnow judge writes it, for the collection of --in or --collection")
	cmd.Flags().StringArrayVar(&f.where.In, "in", nil, "the folder or file at `PATH` that --questions are about")
	cmd.Flags().StringArrayVar(&f.where.Collections, "collection", nil, "the collection `NAME` that --questions are about")
	cmd.Flags().IntVar(&f.folds, "folds", 5, "`N` parts for cross-validation")
	cmd.Flags().StringVar(&f.out, "out", "", "write the weights into the folder `DIR`")
	cmd.Flags().StringVar(&f.embedder, "embedder", "", "train for the vectors of `builtin`, static or off")
	cmd.Flags().StringArrayVar(&f.without, "without", nil, "leave an `IDEA` of the policy out: "+strings.Join(ideas, ", ")+"; nothing is written")
	cmd.Flags().BoolVar(&f.alone, "alone", false, "leave out what weights from the other sets make of each")
	return cmd
}

func (c *cli) trainBuiltin(ctx context.Context, f *builtinTraining) error {
	p, err := c.here(f.settings())
	if err != nil {
		return err
	}
	var fields []*train.Field
	space, unseen := "", true
	sets := f.data
	if f.questions != "" {
		sets = append(sets, f.questions)
	}
	for i, dir := range sets {
		var d *eval.Dataset
		var s *open.Opened
		if i < len(f.data) {
			if d, err = eval.Load(dir); err == nil {
				s, err = c.openCorpus(ctx, p, d, true)
			}
		} else if d, err = loadQuestions(dir); err == nil {
			s, err = c.openComplete(ctx, p, f.where.Where, d.Name, true)
		}
		if err != nil {
			return err
		}
		defer s.Close()
		if s.Ranked(nil) == nil {
			return usage("a data set with a corpus of its own", "%s can't be trained on: its index lies elsewhere", d.Name)
		}
		space = s.Space()
		for _, t := range d.Tasks {
			unseen = unseen && !rerank.Seen(t.Question)
		}
		field, err := c.field(ctx, d, s)
		if err != nil {
			return err
		}
		fields = append(fields, field)
	}
	o := train.BuiltinOptions{Options: train.Options{Folds: f.folds}, Unseen: unseen, Alone: f.alone}
	for _, idea := range f.without {
		o.Without = append(o.Without, builtin.Idea(idea))
	}
	bar := c.startProgress("Training")
	o.Progress = bar.set
	o.Step = func(what string) {
		c.note("%s…", what)
		bar.restart()
	}
	rows, w, err := train.Builtin(ctx, fields, o)
	bar.stop()
	if err != nil {
		return err
	}
	file, said := "", ""
	if len(f.without) == 0 {
		if file, said, err = keepWeights(ctx, p, f, fields, rows, w, space); err != nil {
			return err
		}
	}
	if c.json {
		return c.print(map[string]any{"space": space, "unseen_ranker": unseen, "sets": rows, "importance": w.Ranker.Importance(), "file": file})
	}
	c.printBuiltinRows(rows, w)
	if said != "" {
		fmt.Fprintln(c.stdout, "\n"+said)
	}
	return nil
}

// field is a data set as the training sees it.
func (c *cli) field(ctx context.Context, d *eval.Dataset, s *open.Opened) (*train.Field, error) {
	set, err := c.candidates(ctx, d, s)
	if err != nil {
		return nil, err
	}
	return &train.Field{Set: set, All: d.Tasks, Corpus: func(r index.Ranker) winnow.Corpus {
		if r == nil {
			return s
		}
		return s.Ranked(r)
	}}, nil
}

// keepWeights writes the weights where they were asked for, or where searches
// find them if they are better than what searches use now.
func keepWeights(ctx context.Context, p *place, f *builtinTraining, fields []*train.Field, rows []train.BuiltinRow, w *builtin.Weights, space string) (file, said string, err error) {
	if f.out != "" {
		file = filepath.Join(f.out, builtin.File(space))
		return file, "The weights are in " + file + ".", os.WriteFile(file, w.Encode(), 0o644)
	}
	dir := p.home.Weights()
	now, err := builtin.Load(dir, space)
	if err != nil {
		return "", "", err
	}
	worth := func(v eval.Values) float64 { return v[eval.NDCG10] + v[eval.F1] }
	own, used := 0.0, 0.0
	for i, field := range fields {
		v, err := train.Try(ctx, field, now, train.BuiltinOptions{})
		if err != nil {
			return "", "", err
		}
		own, used = own+worth(rows[i].Folds), used+worth(v)
	}
	n := 2 * float64(len(fields)) / 100
	if own <= used {
		return "", fmt.Sprintf("The weights in use are as good (%.1f against %.1f, mean of nDCG@10 and F1), and stay.", used/n, own/n), nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", err
	}
	file = filepath.Join(dir, builtin.File(space))
	return file, fmt.Sprintf("These weights are better (%.1f against %.1f, mean of nDCG@10 and F1) and are used from now on; to go back, remove %s.", own/n, used/n, file),
		os.WriteFile(file, w.Encode(), 0o600)
}

func (c *cli) printBuiltinRows(rows []train.BuiltinRow, w *builtin.Weights) {
	columns := []eval.Metric{eval.Recall2, eval.Recall5, eval.Recall10, eval.Recall20, eval.All5, eval.F1, eval.Precision, eval.Recall,
		eval.TrajectoryRecall, eval.PruneAccuracy, eval.PrunedShare, eval.Abstained}
	header := []string{"", "questions", "R@2", "R@5", "R@10", "R@20", "all@5", "F1", "precision", "recall", "met", "pruned right", "pruned", "abstained"}
	cells := func(name string, of func(train.BuiltinRow) eval.Values) {
		header[0] = name
		out := [][]string{slices.Clone(header)}
		for _, r := range rows {
			values := of(r)
			if values == nil {
				continue
			}
			row := []string{r.Set, fmt.Sprint(r.Questions)}
			for _, m := range columns {
				text := ""
				if v, ok := values[m]; ok {
					text = fmt.Sprintf("%.1f", 100*v)
				}
				row = append(row, text)
			}
			out = append(out, row)
		}
		if len(out) > 1 {
			fmt.Fprintln(c.stdout, table(out, "l"+strings.Repeat("r", len(header)-1)))
		}
	}
	cells("cross-validated", func(r train.BuiltinRow) eval.Values { return r.Folds })
	cells("from the other sets", func(r train.BuiltinRow) eval.Values { return r.Others })
	fmt.Fprintln(c.stdout, "What the features are worth to the order (share of the gain):")
	for _, g := range w.Ranker.Importance()[:15] {
		fmt.Fprintf(c.stdout, "  %5.1f %%  %s\n", 100*g.Share, g.Feature)
	}
}
