package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/judge"
	"github.com/winnow-search/winnow/open"
)

// judging are the flags of judge.
type judging struct {
	model model
	judge string
	page  bool
	out   string
}

func (c *cli) judgeCommand() *cobra.Command {
	var f judging
	cmd := &cobra.Command{
		Use:   "judge RUN...",
		Short: "Label what runs found, blind, and write questions with gold",
		Long: `Judge pools the best ten documents that runs of winnow eval found for each
question, and shows them one by one, in an order that does not tell which run
found them: is this document relevant, not, or are you not sure? Every answer is
kept at once in the run folders; the next time it goes on where you stopped.

The labels become the gold of a questions file, and winnow compare scores the
runs by them. With --judge a model labels, and is compared with you on what both
have labelled.`,
		Example: `  winnow judge runs/bm25 runs/query
  winnow judge --page runs/bm25 runs/query
  winnow judge --judge chat --model gpt-oss:20b --base-url http://localhost:11434/v1 runs/bm25 runs/query`,
		Args: arguments(1, -1, "RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.page && f.judge != "" {
				return usage("one of them", "--page and --judge can't be used together")
			}
			if f.judge == "" && (cmd.Flags().Changed("model") || cmd.Flags().Changed("base-url")) {
				return usage("--judge chat", "--model is for --judge")
			}
			return c.judge(cmd.Context(), cmd.InOrStdin(), args, &f)
		},
		ValidArgsFunction: c.completeEvals,
	}
	o := cmd.Flags()
	o.BoolVar(&f.page, "page", false, "judge on a page in the browser, served to this machine only")
	o.StringVar(&f.judge, "judge", "", "let a model judge by way of `POLICY`: chat, harmony, anthropic, or a name in winnow.yaml")
	o.StringVar(&f.model.searcher.Model, "model", "", "the `NAME` of the judging model on its server")
	o.StringVar(&f.model.searcher.BaseURL, "base-url", "", "the server's `URL`")
	o.StringVar(&f.out, "out", "judged.jsonl", "write the questions with gold to `FILE`")
	cmd.RegisterFlagCompletionFunc("judge", completePolicies)
	return cmd
}

// judgeAnswer is what judge prints as JSON.
type judgeAnswer struct {
	Questions int    `json:"questions"`
	Pooled    int    `json:"pooled"`
	Labelled  int    `json:"labelled"`
	Left      int    `json:"left"`
	Relevant  int    `json:"relevant"`
	Unsure    int    `json:"unsure"`
	File      string `json:"file"`
	// Agreement is that of each model with the person, by the model's name.
	Agreement map[string]judge.Agreement `json:"agreement"`
}

func (c *cli) judge(ctx context.Context, in io.Reader, names []string, f *judging) (err error) {
	runs, err := c.readRuns(names)
	if err != nil {
		return err
	}
	pool, err := judge.PoolOf(runs)
	if err != nil {
		return err
	}
	if err := replaceable(f.out, pool.Tasks); err != nil {
		return err
	}
	book, err := judge.Open(runs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	who := judge.Person
	switch {
	case f.judge != "":
		who, err = c.judgeByModel(ctx, pool, book, f)
	case f.page:
		err = c.judgeOnPage(ctx, pool, book)
	default:
		err = c.judgeInTerminal(ctx, in, pool, book)
	}
	// What was said counts, however it ended.
	if wrote := writeQuestions(f.out, pool.Judged(book)); err == nil {
		err = wrote
	}
	if err != nil {
		return err
	}
	return c.printJudged(pool, book, who, f.out)
}

// replaceable refuses a file that holds anything but these questions: what judge
// wrote before can be made again, and other people's files can't.
func replaceable(path string, tasks []eval.Task) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	known := map[string]bool{}
	for i := range tasks {
		known[tasks[i].ID] = true
	}
	d, err := eval.Load(path)
	if err == nil && !slices.ContainsFunc(d.Tasks, func(t eval.Task) bool { return !known[t.ID] }) {
		return nil
	}
	return usage("--out with another name", "%s is there and holds something else than these questions", path)
}

// writeQuestions writes tasks as a questions file.
func writeQuestions(path string, tasks []eval.Task) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for i := range tasks {
		if err := e.Encode(&tasks[i]); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(out.Flush(), f.Close())
}

func (c *cli) printJudged(pool *judge.Pool, book *judge.Book, who, file string) error {
	a := judgeAnswer{Questions: len(pool.Tasks), Pooled: len(pool.Items), Left: len(pool.Open(book, who)), File: file, Agreement: map[string]judge.Agreement{}}
	for _, item := range pool.Items {
		v, ok := book.By(who, item.Pair)
		if !ok {
			continue
		}
		a.Labelled++
		switch v {
		case judge.Relevant:
			a.Relevant++
		case judge.Unsure:
			a.Unsure++
		}
	}
	for _, model := range book.Judges() {
		if model != judge.Person {
			a.Agreement[model] = book.Agree(judge.Person, model)
		}
	}
	if c.json {
		return c.print(a)
	}
	fmt.Fprintf(c.stdout, "%s of %s labelled: %d relevant, %d unsure, %d left\n", count(a.Labelled), plural(a.Pooled, "document"), a.Relevant, a.Unsure, a.Left)
	for _, model := range book.Judges() {
		if g, ok := a.Agreement[model]; ok && g.Both > 0 {
			kappa := "not defined"
			if g.Kappa != nil {
				kappa = fmt.Sprintf("%.2f", *g.Kappa)
			}
			fmt.Fprintf(c.stdout, "%s and you agree on %.0f %% of %s (Cohen's kappa %s)\n", model, 100*g.Agreed, plural(g.Both, "document"), kappa)
		}
	}
	fmt.Fprintf(c.stdout, "The questions with gold are in %s.\n", file)
	return nil
}

// judgeOnPage serves a page until the person is done.
func (c *cli) judgeOnPage(ctx context.Context, pool *judge.Pool, book *judge.Book) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	return judge.NewDesk(pool, book).Serve(ctx, l, func(address string) {
		fmt.Fprintf(c.stderr, "Open %s in a browser of this machine; Ctrl-C or \"finish\" on the page ends.\n", address)
	})
}

// judgeByModel has a model label all that it has not labelled yet.
func (c *cli) judgeByModel(ctx context.Context, pool *judge.Pool, book *judge.Book, f *judging) (who string, err error) {
	p, err := c.here(f.model.settings())
	if err != nil {
		return "", err
	}
	settings := f.model.searcher
	settings.Policy = f.judge
	s, err := p.config.Searcher(settings)
	if err != nil {
		return "", err
	}
	if !s.Asks() {
		return "", usage("--judge chat --model NAME", "the policy %s asks no model and can't judge", s.Name)
	}
	if err := s.Check(ctx); err != nil {
		return "", err
	}
	options, err := s.Options(&open.Opened{})
	if err != nil {
		return "", err
	}
	m := &judge.Model{Policy: options.Policy, Name: s.Model}
	items := pool.Open(book, m.Name)
	bar := c.startProgress("Judging with " + m.Name)
	defer bar.stop()
	for i := range items {
		verdict, err := m.Judge(ctx, &items[i])
		if err != nil {
			return m.Name, &winnow.Error{Code: winnow.CodeOf(err), Message: fmt.Sprintf("%d of %s are labelled and stay: %s", i, plural(len(items), "document"), err), Hint: "the same command again, which goes on there"}
		}
		if err := book.Add(judge.Label{Question: items[i].Question, Document: items[i].Document, Verdict: verdict, By: m.Name}); err != nil {
			return m.Name, err
		}
		bar.set(i+1, len(items))
	}
	return m.Name, nil
}

// keys are what a person types.
var keys = map[string]judge.Verdict{"r": judge.Relevant, "y": judge.Relevant, "n": judge.NotRelevant, "u": judge.Unsure, "?": judge.Unsure}

// judgeInTerminal shows a document at a time and reads a letter for each.
func (c *cli) judgeInTerminal(ctx context.Context, in io.Reader, pool *judge.Pool, book *judge.Book) error {
	items := pool.Open(book, judge.Person)
	lines := make(chan string)
	go func() { // a read can't be cancelled; the process ends with it
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- strings.ToLower(strings.TrimSpace(s.Text())):
			case <-ctx.Done():
				return
			}
		}
	}()
	question := ""
	for i := 0; i < len(items); i++ {
		item := &items[i]
		c.showItem(item, i, len(items), item.Question != question)
		question = item.Question
		for {
			fmt.Fprint(c.stderr, c.errTerminal.paint(bold, "r")+"elevant, "+c.errTerminal.paint(bold, "n")+"ot, "+c.errTerminal.paint(bold, "u")+"nsure, "+c.errTerminal.paint(bold, "b")+"ack, "+c.errTerminal.paint(bold, "q")+"uit: ")
			var typed string
			var more bool
			select {
			case <-ctx.Done():
				fmt.Fprintln(c.stderr)
				return nil // what was said is kept
			case typed, more = <-lines:
			}
			if !more || typed == "q" {
				return nil
			}
			if typed == "b" && i > 0 {
				i -= 2
				break
			}
			if v, ok := keys[typed]; ok {
				if err := book.Add(judge.Label{Question: item.Question, Document: item.Document, Verdict: v, By: judge.Person}); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

func (c *cli) showItem(item *judge.Item, i, n int, fresh bool) {
	t := c.errTerminal
	if fresh {
		fmt.Fprintf(c.stderr, "\n%s\n", t.paint(bold, t.safe(item.Text)))
	}
	fmt.Fprintf(c.stderr, "\n%s  %s\n", t.paint(dim, fmt.Sprintf("%d of %d", i+1, n)), t.paint(cyan, t.safe(cut(item.Name(), t.width()-12))))
	for j, p := range item.Passages {
		if j > 0 {
			fmt.Fprintln(c.stderr, "  …")
		}
		for line := range strings.Lines(strings.TrimSpace(p.Text)) {
			for _, piece := range wrap(t.safe(strings.TrimRight(line, "\n")), t.width()-4) {
				fmt.Fprintln(c.stderr, "  "+piece)
			}
		}
	}
}
