package main

import (
	"context"
	"iter"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/runs"
)

// asking are the flags of ask.
type asking struct {
	where    where
	model    model
	passages passages
	question string
	scope    winnow.Scope
	explain  bool
	seed     uint64
	rollouts int
	trace    string
	noRecord bool
}

// maxRollouts keeps a slip of the hand from starting a million runs.
const maxRollouts = 1024

func (c *cli) askCommand() *cobra.Command {
	var f asking
	cmd := &cobra.Command{
		Use:   "ask [WHERE] [MODEL] QUESTION",
		Short: "Let a policy look for the documents that answer a question",
		Long: `Ask lets a policy search, read and prune until it has the documents that answer
a question, and prints them in order with the reason for each. Exit code 1 means
that nothing was found.

Without a model the built-in policy looks: it searches for the question and its
parts, follows the names and links in what it reads, prunes what does not help,
and selects what is likely to support the answer, or nothing. With --model
a model behind an OpenAI-compatible server looks for itself, by way of --policy
chat (tool calling), harmony (raw completions, for gpt-oss and Context-1) or
anthropic. winnow doctor says whether a model can be asked, and winnow.yaml gives
it a name.

Every run is recorded with the text that was shown, and winnow replay tells it
again.`,
		Example: `  winnow ask "how does a commit survive kill -9"
  winnow ask --in ~/notes --in ~/mail "which offer did the roofer make"
  winnow ask --model gpt-oss:20b --base-url http://localhost:11434/v1 "who holds the lock"
  winnow ask --format context --max-tokens 4000 "retry policy" | pbcopy
  winnow ask --json --trace run.jsonl "who holds the lock"`,
		Args: arguments(1, 1, "QUESTION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(c, args[0]); err != nil {
				return err
			}
			return c.ask(cmd.Context(), &f)
		},
	}
	f.where.flags(cmd)
	f.model.flags(cmd)
	f.model.policyFlags(cmd)
	f.passages.flags(cmd)
	o := cmd.Flags()
	o.Uint64Var(&f.seed, "seed", 0, "of the policy, `S`; rollout i has S + i")
	o.IntVar(&f.rollouts, "rollouts", 1, "`K` independent runs at once, their rankings fused")
	o.BoolVar(&f.explain, "explain", false, "print the chains that led to the documents, rank and score per leg, and the terms that matched")
	o.StringVar(&f.trace, "trace", "", "write the trajectory to `FILE` too")
	o.BoolVar(&f.noRecord, "no-record", false, "keep no record of the run")
	return cmd
}

// check refuses what can't be run before anything is opened.
func (f *asking) check(c *cli, question string) (err error) {
	if err := f.passages.check(c); err != nil {
		return err
	}
	if f.question = strings.TrimSpace(question); f.question == "" {
		return usage(`winnow ask "what you want to know"`, "the question is empty")
	}
	if f.rollouts < 1 || f.rollouts > maxRollouts {
		return usage("--rollouts 4", "--rollouts wants a number from 1 to %s", count(maxRollouts))
	}
	f.scope, err = f.where.scope()
	return err
}

func (c *cli) ask(ctx context.Context, f *asking) error {
	p, err := c.here(f.model.settings())
	if err != nil {
		return err
	}
	searcher, err := p.config.Searcher(f.model.searcher)
	if err != nil {
		return err
	}
	s, err := c.prepare(ctx, f, searcher)
	if err != nil {
		return err
	}
	defer s.Close()
	events, err := f.events(ctx, searcher, s)
	if err != nil {
		return err
	}
	kept, err := c.runs()
	if err != nil {
		return err
	}
	a := &account{trajectory: &winnow.Trajectory{}, file: s.File, language: s.Language, warnings: s.Warnings, explain: f.explain}
	var record, trace *runs.Journal // each nil where it is not wanted
	if !f.noRecord {
		a.run = runs.NewID(f.question)
		record = kept.Record(a.run)
	}
	if f.trace != "" {
		trace = runs.Trace(f.trace)
	}
	told := c.startTelling(searcher.Asks())
	for e, err := range events {
		if err == nil {
			err = trace.Write(&e)
		}
		if err != nil {
			told.stop()
			record.Close()
			trace.Close()
			return err
		}
		record.Write(&e) // a run goes on without its record
		a.trajectory.Events = append(a.trajectory.Events, e)
		told.tell(&e)
	}
	told.stop()
	if err := record.Close(); err != nil {
		a.run = ""
		a.warnings = append(a.warnings, "the run could not be recorded: "+err.Error())
	}
	kept.Trim()
	if err := trace.Close(); err != nil {
		return err
	}
	return c.printAccount(a, &f.passages)
}

// prepare opens what is searched, and sees meanwhile whether the model can be
// asked at all: what fails first ends both.
func (c *cli) prepare(ctx context.Context, f *asking, searcher *open.Searcher) (*open.Opened, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var checking sync.WaitGroup
	checking.Go(func() {
		if err := searcher.Check(ctx); err != nil {
			cancel(err)
		}
	})
	s, err := c.open(ctx, &f.where, f.model.settings())
	if err != nil {
		cancel(err)
	}
	checking.Wait()
	if err := context.Cause(ctx); err != nil {
		if s != nil {
			s.Close()
		}
		return nil, err
	}
	return s, nil
}

// events runs the policy once, or as often as rollouts are wanted, each time with
// a policy of its own.
func (f *asking) events(ctx context.Context, searcher *open.Searcher, s *open.Opened) (iter.Seq2[winnow.Event, error], error) {
	all := make([]agent.Options, f.rollouts)
	for i := range all {
		o, err := searcher.Options(s)
		if err != nil {
			return nil, err
		}
		o.Question, o.Scope, o.Explain = f.question, f.scope, f.explain
		o.Seed = f.seed + uint64(i)
		all[i] = o
	}
	if f.rollouts == 1 {
		return agent.Run(ctx, all[0]), nil
	}
	return agent.Rollouts(ctx, f.rollouts, func(i int) agent.Options { return all[i] }), nil
}
