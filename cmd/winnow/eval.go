package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/folder"
	"github.com/winnow-search/winnow/open"
)

// evaluation are the flags of the command.
type evaluation struct {
	data      string
	questions string
	where     where
	policies  []string
	trec      []string
	model
	ablate   []string
	preset   string
	rollouts int
	maxCost  float64
	out      string
	resume   bool
	report   string
	eval.Options
}

func (c *cli) evalCommand() *cobra.Command {
	var f evaluation
	cmd := &cobra.Command{
		Use:   "eval --data DIR | --questions FILE [WHERE] [MODEL]",
		Short: "Measure how well policies search",
		Long: `Eval asks every question of a data set and compares what is found with what
should have been. The corpus of the data set is indexed first, as a collection
of its own, and the time that takes is reported apart.

A data set is a folder with corpus.jsonl and questions.jsonl, a BEIR folder, or
an original file of HotpotQA, 2WikiMultiHopQA, MuSiQue or MultiHop-RAG. With
--questions, a file of your own questions is asked of any collection: a line
needs only a question, and winnow judge finds out what is right.

Each policy makes a run, kept in a folder of its own with every trajectory. A
run that was killed goes on with the same command and --resume. winnow compare
tells whether the difference between runs is real.`,
		Example: `  winnow eval --data data/hotpotqa --policy bm25 --policy query
  winnow eval --questions mine.txt --in ~/wiki --policy query --policy ctx1 --max-cost 5
  winnow eval --data data/hotpotqa --policy ctx1 --rollouts 4 --out runs/ctx1 --resume
  winnow eval --data data/hotpotqa --policy query --ablate no-rerank --json`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return c.eval(cmd.Context(), &f)
		},
	}
	o := cmd.Flags()
	o.StringVar(&f.data, "data", "", "the folder or file of the data set, `DIR`")
	o.StringVar(&f.questions, "questions", "", "`FILE` with questions for the collections of WHERE")
	f.where.flags(cmd)
	o.StringArrayVar(&f.policies, "policy", nil, "who answers, `POLICY`; repeatable, a run each (default: that of winnow ask)")
	f.model.flags(cmd)
	f.model.searcherFlags(cmd)
	o.StringArrayVar(&f.trec, "trec", nil, "score the rankings of a TREC run `FILE` beside the policies; repeatable")
	o.StringSliceVar(&f.ablate, "ablate", nil, "`WHAT` to do without: no-prune, no-budget, no-dedup, no-rerank, bm25-only, dense-only, links-only")
	o.StringVar(&f.preset, "preset", "", "the constants of a published evaluation, `NAME`: context-1-report")
	o.StringVar(&f.out, "out", "", "keep the run in the folder `DIR`; of several policies, in a folder each below it")
	o.IntVar(&f.Limit, "limit", 0, "only the first `N` questions")
	o.Uint64Var(&f.Seed, "seed", 0, "of the policy and the intervals, `S`; rollout i has S + i")
	o.IntVar(&f.rollouts, "rollouts", 1, "`K` independent runs a question, their rankings fused")
	o.IntVar(&f.Concurrency, "concurrency", 1, "`N` questions at once; 1 measures latency best")
	o.BoolVar(&f.resume, "resume", false, "go on with the run that the same command began")
	o.Float64Var(&f.maxCost, "max-cost", 0, "stop before all runs together cost more than `USD`")
	o.StringVar(&f.report, "report", "", "write a page that compares the runs to `FILE.html`")
	var ablations []string
	for _, a := range eval.AllAblations() {
		ablations = append(ablations, string(a))
	}
	cmd.RegisterFlagCompletionFunc("policy", completePolicies)
	cmd.RegisterFlagCompletionFunc("ablate", cobra.FixedCompletions(ablations, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("preset", cobra.FixedCompletions([]string{eval.Context1Report}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check refuses what can't be run before anything is read.
func (f *evaluation) check(cmd *cobra.Command) error {
	switch {
	case f.data == "" && f.questions == "":
		return usage("winnow eval --data DIR, or winnow eval --questions FILE --in PATH", "--data is missing")
	case f.data != "" && f.questions != "":
		return usage("one of them", "--data and --questions can't be used together")
	case f.data != "" && len(f.where.In)+len(f.where.Collections) > 0:
		return usage("--questions FILE in place of --data", "a data set is asked of its own corpus, and not of --in or --collection")
	case f.Limit < 0 || f.Concurrency < 1:
		return usage(cmd.CommandPath()+" --help", "--limit and --concurrency can't be that small")
	case f.rollouts < 1 || f.rollouts > maxRollouts:
		return usage("--rollouts 4", "--rollouts wants a number from 1 to %s", count(maxRollouts))
	case cmd.Flags().Changed("max-cost") && f.maxCost <= 0:
		return usage("--max-cost 5", "--max-cost wants an amount in USD")
	}
	if len(f.policies)+len(f.trec) == 0 {
		f.policies = []string{""} // the configured one
	}
	return nil
}

func (c *cli) eval(ctx context.Context, f *evaluation) error {
	contestants, p, err := c.contestants(ctx, f)
	if err != nil {
		return err
	}
	d, err := f.load()
	if err != nil {
		return err
	}
	start := time.Now()
	s, err := c.openEvaluated(ctx, f, d, p, contestants)
	if err != nil {
		return err
	}
	defer s.Close()
	base, err := f.manifest(ctx, d, s, p)
	if err != nil {
		return err
	}
	base.IndexSeconds = time.Since(start).Seconds()
	e := &evaluating{cli: c, flags: f, dataset: d, corpus: s, base: base, several: len(contestants) > 1, spent: budget{most: f.maxCost}}
	var dirs []string
	for i := range contestants {
		dir, err := e.run(ctx, &contestants[i])
		if err != nil {
			return err
		}
		dirs = append(dirs, dir)
	}
	several := len(dirs) > 1 && !c.json
	if !several && f.report == "" {
		return nil
	}
	if several {
		fmt.Fprintln(c.stdout)
	}
	runs, err := c.readRuns(dirs)
	if err != nil {
		return err
	}
	return c.compareRuns(runs, &comparing{report: f.report, seed: f.Seed, silent: !several})
}

func (f *evaluation) load() (*eval.Dataset, error) {
	if f.questions != "" {
		return loadQuestions(f.questions)
	}
	return eval.Load(f.data)
}

// openEvaluated opens what the questions are asked of and settles what they need
// to know of it.
func (c *cli) openEvaluated(ctx context.Context, f *evaluation, d *eval.Dataset, p *place, all []contestant) (*open.Opened, error) {
	complete := slices.ContainsFunc(all, func(o contestant) bool { return !o.wordsOnly() })
	if f.data != "" {
		return c.openCorpus(ctx, p, d, complete)
	}
	s, err := c.openComplete(ctx, p, f.where.Where, d.Name, complete)
	if err != nil {
		return nil, err
	}
	if err := resolve(ctx, d, s); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// manifest is what all runs of a command have in common.
func (f *evaluation) manifest(ctx context.Context, d *eval.Dataset, s *open.Opened, p *place) (*folder.Manifest, error) {
	about, err := s.Describe(ctx)
	if err != nil {
		return nil, err
	}
	files, err := checksums(d.Files)
	if err != nil {
		return nil, err
	}
	for i := range files {
		if absolute, err := filepath.Abs(files[i].Path); err == nil {
			files[i].Path = absolute
		}
	}
	scope, err := f.where.scope()
	if err != nil {
		return nil, err
	}
	corpus, err := s.Fingerprint(ctx)
	if err != nil {
		return nil, err
	}
	v := version()
	m := &folder.Manifest{
		Limit: f.Limit, Files: files, Documents: about.Documents, Chunks: about.Chunks,
		Deviations: []string{}, Problems: append([]eval.Problem{}, d.Problems...), Warnings: append([]string{}, s.Warnings...), Config: p.config.Effective,
		Setup: folder.Setup{
			Winnow: strings.TrimSpace(v.Version + " " + v.Revision), Dataset: d.Name, Questions: digest(d.Tasks), Corpus: corpus,
			Embedder: s.Space(), Rerank: cmp.Or(p.config.Rerank, "builtin"), Seed: f.Seed, Preset: f.preset, Scope: scope,
		},
	}
	if d.CorpusFile != "" { // the same file is the same corpus, wherever it was indexed
		i := slices.IndexFunc(files, func(x folder.File) bool { return filepath.Base(x.Path) == filepath.Base(d.CorpusFile) })
		m.Setup.Corpus = files[i].SHA256
	}
	return m, nil
}

// rankedDocuments is as deep as the metrics look.
const rankedDocuments = 20

// search answers a task with one search: as many chunks as it takes to rank
// enough documents.
func search(ctx context.Context, s winnow.Corpus, several bool, q winnow.Query, t *eval.Task) (eval.Outcome, error) {
	o := eval.Outcome{RankingOnly: true}
	q.Text, q.Scope = t.Question, eval.ScopeOf(q.Scope, t)
	for q.K = 50; ; q.K *= 4 {
		r, err := s.Search(ctx, q)
		if err != nil {
			return o, err
		}
		o.Ranking, o.Warnings = eval.RankHits(r.Hits, several), r.Warnings
		if len(o.Ranking) >= rankedDocuments || len(r.Hits) < q.K {
			return o, nil
		}
	}
}
