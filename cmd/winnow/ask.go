package main

import (
	"context"
	"iter"
	"strings"

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
	options  agent.Options
	policy   string
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

The policy there is so far is query: one search, ranked as it comes.

Every run is recorded with the text that was shown, and winnow replay tells it
again.`,
		Example: `  winnow ask "how does a commit survive kill -9"
  winnow ask --in ~/notes --in ~/mail "which offer did the roofer make"
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
	f.passages.flags(cmd)
	o := cmd.Flags()
	o.StringVar(&f.policy, "policy", policyQuery, "`POLICY`: query, one search with all legs")
	o.StringVar(&f.options.Profile, "profile", agent.Winnow, "`PROFILE` of tools and limits: winnow or context-1")
	o.Uint64Var(&f.options.Seed, "seed", 0, "of the policy, `S`; rollout i has S + i")
	o.IntVar(&f.rollouts, "rollouts", 1, "`K` independent runs at once, their rankings fused")
	o.IntVar(&f.options.Budget.Tokens, "budget", 0, "bound the view to `N` tokens (default 32768)")
	o.BoolVar(&f.options.Explain, "explain", false, "print rank and score per leg, and the terms that matched")
	o.StringVar(&f.trace, "trace", "", "write the trajectory to `FILE` too")
	o.BoolVar(&f.noRecord, "no-record", false, "keep no record of the run")
	cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions([]string{policyQuery}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions([]string{agent.Winnow, agent.Context1}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check refuses what can't be run before anything is opened.
func (f *asking) check(c *cli, question string) (err error) {
	if err := f.passages.check(c); err != nil {
		return err
	}
	if f.options.Question = strings.TrimSpace(question); f.options.Question == "" {
		return usage(`winnow ask "what you want to know"`, "the question is empty")
	}
	if p := f.options.Profile; p != agent.Winnow && p != agent.Context1 {
		return usage("--profile winnow or --profile context-1", "there is no profile %q", p)
	}
	if f.rollouts < 1 || f.rollouts > maxRollouts {
		return usage("--rollouts 4", "--rollouts wants a number from 1 to %s", count(maxRollouts))
	}
	if f.options.Budget.Tokens < 0 {
		return usage("--budget 32768", "--budget can't be negative")
	}
	f.options.Scope, err = f.where.scope()
	return err
}

func (c *cli) ask(ctx context.Context, f *asking) error {
	p, err := c.here(f.model.settings())
	if err != nil {
		return err
	}
	searcher, err := p.config.Searcher(open.PolicySettings{Policy: f.policy, Profile: f.options.Profile, Budget: f.options.Budget.Tokens})
	if err != nil {
		return err
	}
	s, err := c.open(ctx, &f.where, f.model.settings())
	if err != nil {
		return err
	}
	defer s.Close()
	base, err := searcher.Options(s)
	if err != nil {
		return err
	}
	kept, err := c.runs()
	if err != nil {
		return err
	}
	a := &account{trajectory: &winnow.Trajectory{}, file: s.File, language: s.Language, warnings: s.Warnings}
	var record, trace *runs.Journal // each nil where it is not wanted
	if !f.noRecord {
		a.run = runs.NewID(f.options.Question)
		record = kept.Record(a.run)
	}
	if f.trace != "" {
		trace = runs.Trace(f.trace)
	}
	live := &narrator{w: c.stderr, term: c.errTerminal}
	for e, err := range f.events(ctx, base) {
		if err == nil {
			err = trace.Write(&e)
		}
		if err != nil {
			record.Close()
			trace.Close()
			return err
		}
		record.Write(&e) // a run goes on without its record
		a.trajectory.Events = append(a.trajectory.Events, e)
		if c.errTerminal.is() && !c.quiet {
			live.tell(&e)
		}
	}
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

// events runs the policy once, or as often as rollouts are wanted.
func (f *asking) events(ctx context.Context, base agent.Options) iter.Seq2[winnow.Event, error] {
	of := func(i int) agent.Options {
		o := base
		o.Question, o.Scope, o.Explain = f.options.Question, f.options.Scope, f.options.Explain
		o.Seed = f.options.Seed + uint64(i)
		return o
	}
	if f.rollouts == 1 {
		return agent.Run(ctx, of(0))
	}
	return agent.Rollouts(ctx, f.rollouts, of)
}
