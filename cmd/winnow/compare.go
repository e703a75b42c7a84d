package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/compare"
	"github.com/winnow-search/winnow/eval/folder"
	"github.com/winnow-search/winnow/eval/page"
)

// comparing are the flags of compare.
type comparing struct {
	report string
	seed   uint64
	silent bool // eval prints its own
}

func (c *cli) compareCommand() *cobra.Command {
	var f comparing
	cmd := &cobra.Command{
		Use:   "compare RUN...",
		Short: "Tell whether the difference between runs is real",
		Long: `Compare puts runs of winnow eval side by side, over the questions that all of
them have answered, each against the first. A star marks a difference that
chance alone would bring less than once in twenty times (paired permutation
test).

RUN is the id of a run or the beginning of one, last for the newest, or the
folder of one. Where the questions had no gold, the labels of winnow judge count.
--report writes all of it as one page that needs no network.`,
		Example: `  winnow compare runs/bm25 runs/query runs/ctx1
  winnow compare 20260131-0915 last --report compare.html`,
		Args: arguments(1, -1, "RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := c.readRuns(args)
			if err != nil {
				return err
			}
			return c.compareRuns(runs, &f)
		},
		ValidArgsFunction: c.completeEvals,
	}
	cmd.Flags().StringVar(&f.report, "report", "", "write a page to `FILE.html`")
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "of intervals and tests, `S`")
	return cmd
}

func (c *cli) completeEvals(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	home, err := c.evals()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return append(home.List(), "last"), cobra.ShellCompDirectiveDefault
}

// readRuns reads the runs of these names, each once.
func (c *cli) readRuns(names []string) ([]*folder.Run, error) {
	home, err := c.evals()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var runs []*folder.Run
	for _, name := range names {
		dir, err := home.Find(name)
		if err != nil {
			return nil, err
		}
		if seen[dir] {
			return nil, usage("a run once", "the run %s is given twice", name)
		}
		seen[dir] = true
		r, err := folder.Read(dir)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// compareRuns prints the comparison of runs and writes the page.
func (c *cli) compareRuns(runs []*folder.Run, f *comparing) error {
	t, err := compare.Of(runs, f.seed)
	if err != nil {
		return err
	}
	if f.report != "" {
		if err := writePage(f.report, t); err != nil {
			return err
		}
	}
	switch {
	case f.silent:
	case c.json:
		return c.print(t)
	default:
		c.printTable(t)
		c.warn(t.Warnings)
	}
	if f.report != "" {
		c.note("The page is in %s.", f.report)
	}
	return nil
}

func writePage(path string, t *compare.Table) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	return errors.Join(page.Write(out, t), out.Flush(), f.Close())
}

// significant is the level below which a difference is marked.
const significant = 0.05

func (c *cli) printTable(t *compare.Table) {
	fmt.Fprintf(c.stdout, "%s, %s\n\n", c.outTerminal.paint(bold, t.Dataset), plural(t.Questions, "question"))
	head := []string{"", ""}
	align := "ll"
	for i, r := range t.Runs {
		head, align = append(head, r.Name), align+"r"
		if i > 0 {
			head, align = append(head, "difference", ""), align+"rl"
		}
	}
	rows := [][]string{head}
	for _, m := range append(eval.Metrics(), eval.Further()...) {
		if row := tableRow(t, m); row != nil {
			rows = append(rows, row)
		}
	}
	fmt.Fprint(c.stdout, table(rows, align))
	fmt.Fprintln(c.stdout)
	if len(t.Runs) > 1 {
		fmt.Fprintf(c.stdout, "  * differs from %s: by chance less often than once in twenty times\n", t.Runs[0].Name)
		c.printDetectable(t)
	}
	if j := t.Judged; j != nil {
		fmt.Fprintf(c.stdout, "  judged: %s, %d open, by %s\n", plural(j.Questions, "question"), j.Open, strings.Join(append([]string{}, orNobody(j.Judges)...), ", "))
		for _, r := range t.Runs {
			fmt.Fprintf(c.stdout, "  unjudged among the best %d of %s: %.1f %%\n", eval.PoolDepth, r.Name, 100**r.Unjudged)
		}
	}
}

func orNobody(judges []string) []string {
	if len(judges) == 0 {
		return []string{"nobody"}
	}
	return judges
}

// tableRow is a metric of all runs, nil where none has it.
func tableRow(t *compare.Table, m eval.Metric) []string {
	f := formatOf(m)
	row, any := []string{"", string(m)}, false
	for i := range t.Runs {
		r := &t.Runs[i]
		v, ok := r.Metrics[m]
		if !ok {
			v, ok = r.Further[m]
		}
		cell := "–"
		if ok {
			any = true
			cell = f.number(v)
		}
		row = append(row, cell)
		if i > 0 {
			row = append(row, difference(r, m, f)...)
		}
	}
	if !any {
		return nil
	}
	return row
}

// difference is that of a run from the first, with its mark.
func difference(r *compare.Run, m eval.Metric, f figure) []string {
	for _, c := range r.Versus {
		if c.Metric != m {
			continue
		}
		mark := ""
		if c.P < significant {
			mark = "*"
		}
		return []string{fmt.Sprintf("%+.*f ± %s", f.digits, f.scale*c.Difference, f.number(c.CI95)), mark}
	}
	return []string{"", ""}
}

// printDetectable says what so many questions can't show.
func (c *cli) printDetectable(t *compare.Table) {
	m := t.Quality()
	least := 0.0
	for _, r := range t.Runs[1:] {
		for _, v := range r.Versus {
			if v.Metric == m {
				least = max(least, v.Detectable)
			}
		}
	}
	if least > 0 {
		fmt.Fprintf(c.stdout, "  so many questions show a difference in %s from about %.1f points on\n", m, 100*least)
	}
}
