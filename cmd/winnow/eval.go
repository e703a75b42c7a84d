package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
)

// evaluation are the flags of the command.
type evaluation struct {
	data   string
	policy string
	model
	eval.Options
}

func (c *cli) evalCommand() *cobra.Command {
	var f evaluation
	cmd := &cobra.Command{
		Use:   "eval --data DIR",
		Short: "Measure how well questions with known answers are searched",
		Long: `Eval asks every question of a data set and compares what is found with what
should have been. The corpus of the data set is indexed first, as a collection
of its own, and the time that takes is reported apart.

A data set is a folder with corpus.jsonl and questions.jsonl, a BEIR folder, or
an original file of HotpotQA, 2WikiMultiHopQA, MuSiQue or MultiHop-RAG.`,
		Example: `  winnow eval --data data/hotpotqa --policy bm25
  winnow eval --data data/hotpotqa --limit 100 --json`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.data == "" {
				return usage("winnow eval --data DIR", "--data is missing")
			}
			if f.Limit < 0 || f.Concurrency < 1 {
				return usage(cmd.CommandPath()+" --help", "--limit and --concurrency can't be that small")
			}
			return c.eval(cmd.Context(), &f)
		},
	}
	cmd.Flags().StringVar(&f.data, "data", "", "the folder or file of the data set, `DIR`")
	cmd.Flags().StringVar(&f.policy, "policy", policyQuery, "`POLICY`: query, one search with all legs; bm25, words alone")
	f.flags(cmd)
	cmd.Flags().IntVar(&f.Limit, "limit", 0, "only the first `N` questions")
	cmd.Flags().Uint64Var(&f.Seed, "seed", 0, "of the intervals, `S`")
	cmd.Flags().IntVar(&f.Concurrency, "concurrency", 1, "`N` questions at once; 1 measures latency best")
	cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions([]string{policyQuery, policyBM25}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

const (
	policyQuery = "query"
	policyBM25  = "bm25"
)

// evalAnswer is a report with what came before the first question.
type evalAnswer struct {
	*eval.Report
	Documents    int      `json:"documents"`
	IndexSeconds float64  `json:"index_seconds"`
	Warnings     []string `json:"warnings"`
}

func (c *cli) eval(ctx context.Context, f *evaluation) error {
	ask, err := searchPolicy(f.policy)
	if err != nil {
		return err
	}
	d, err := eval.Load(f.data)
	if err != nil {
		return err
	}
	start := time.Now()
	s, err := c.openDataset(ctx, d, f.settings(), f.policy != policyBM25)
	if err != nil {
		return err
	}
	defer s.Close()
	about, err := s.Describe(ctx)
	if err != nil {
		return err
	}
	a := evalAnswer{Documents: about.Documents, IndexSeconds: time.Since(start).Seconds(), Warnings: append([]string{}, s.Warnings...)}
	bar := c.startProgress("Asking " + d.Name)
	f.Policy = f.policy
	f.Progress = func(p eval.Progress) { bar.set(p.Done, p.Total) }
	a.Report, err = eval.Run(ctx, d, func(ctx context.Context, t eval.Task) (eval.Outcome, error) {
		return search(ctx, s, ask, t)
	}, f.Options)
	bar.stop()
	if err != nil {
		return err
	}
	if c.json {
		return c.print(a)
	}
	c.warn(a.Warnings)
	c.printReport(&a)
	return nil
}

// searchPolicy is the one search of a policy that never looks twice.
func searchPolicy(name string) (winnow.Query, error) {
	switch name {
	case policyQuery:
		return winnow.Query{}, nil
	case policyBM25:
		return winnow.Query{Legs: []winnow.Leg{winnow.LegBM25}, Rerank: "off"}, nil
	}
	return winnow.Query{}, usage("--policy query or --policy bm25", "there is no policy %q", name)
}

// rankedDocuments is as deep as the metrics look.
const rankedDocuments = 20

// search answers a task with one search: as many chunks as it takes to rank
// enough documents.
func search(ctx context.Context, s winnow.Corpus, q winnow.Query, t eval.Task) (eval.Outcome, error) {
	o := eval.Outcome{RankingOnly: true}
	q.Text = t.Question
	if t.SelfID != "" {
		q.Scope.ExcludeDocuments = []string{t.SelfID}
	}
	for q.K = 50; ; q.K *= 4 {
		r, err := s.Search(ctx, q)
		if err != nil {
			return o, err
		}
		o.Ranking = eval.RankHits(r.Hits)
		if len(o.Ranking) >= rankedDocuments || len(r.Hits) < q.K {
			return o, nil
		}
	}
}

func (c *cli) printReport(a *evalAnswer) {
	t := c.outTerminal
	fmt.Fprintf(c.stdout, "%s, policy %s: %s, %d failed, over %s (indexed in %s)\n\n", t.paint(bold, a.Dataset), a.Policy,
		plural(a.Questions, "question"), a.Failed, plural(a.Documents, "document"), round(time.Duration(a.IndexSeconds*float64(time.Second))))
	var rows [][]string
	for _, m := range eval.Metrics() {
		v, ok := a.Metrics[m]
		if !ok {
			continue
		}
		scale, unit := 100.0, "%"
		if strings.Contains(string(m), "_ms_") {
			scale, unit = 1, "ms"
		}
		spread := ""
		if half, ok := a.CI95[m]; ok {
			spread = fmt.Sprintf("± %.1f", scale*half)
		}
		rows = append(rows, []string{"", string(m), fmt.Sprintf("%.1f", scale*v), unit, spread})
	}
	fmt.Fprint(c.stdout, table(rows, "llrlr"))
	if a.WithoutGold+a.Unjudged > 0 {
		fmt.Fprintf(c.stdout, "\n  %d questions with nothing to find and %d without labels are left out of recall.\n", a.WithoutGold, a.Unjudged)
	}
	for _, f := range a.Failures {
		c.warn([]string{f.ID + ": " + f.Error})
	}
	for _, p := range a.Problems {
		c.warn([]string{p.Error()})
	}
}
