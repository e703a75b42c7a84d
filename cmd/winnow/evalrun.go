package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/folder"
	"github.com/winnow-search/winnow/open"
)

// evaluating is an evaluation under way: what the runs of one command share.
type evaluating struct {
	*cli
	flags   *evaluation
	dataset *eval.Dataset
	corpus  *open.Opened
	base    *folder.Manifest
	several bool // policies, and so folders
	spent   budget
}

// run makes the run of one policy, or goes on with it, prints its report, and
// returns its folder.
func (e *evaluating) run(ctx context.Context, of *contestant) (dir string, err error) {
	m, err := e.manifest(of)
	if err != nil {
		return "", err
	}
	tasks := e.dataset.Asked(e.flags.Limit)
	w, err := e.folder(m, tasks)
	if err != nil {
		return "", err
	}
	defer w.Close()
	before := 0
	for i := range tasks {
		if r, done := w.Finished[tasks[i].ID]; done {
			e.spent.add(&r)
			before++
		}
	}
	label := fmt.Sprintf("Asking %s, %s", e.dataset.Name, m.Setup.Name())
	if before > 0 {
		label += fmt.Sprintf(" (%s done before)", count(before))
	}
	bar := e.startProgress(label)
	o := e.flags.Options
	o.Policy, o.Model, o.Finished, o.Before = m.Setup.Policy, m.Setup.Model, w.Finished, e.spent.allow
	o.Keep = func(r *eval.Result) error {
		e.spent.add(r)
		return w.Keep(r)
	}
	o.Progress = func(p eval.Progress) { bar.set(p.Done-before, p.Total-before) }
	report, err := eval.Run(ctx, e.dataset, e.answer(of, w), o)
	bar.stop()
	if err != nil {
		return "", e.interrupted(ctx, err, w.Dir)
	}
	report.Run = w.Dir
	if e.flags.out == "" { // an id is enough
		report.Run = filepath.Base(w.Dir)
	}
	if err := w.Finish(report); err != nil {
		return "", err
	}
	return w.Dir, e.printReport(report, &w.Manifest)
}

// options are those of a run of the policy, which is made anew each time.
func (e *evaluating) options(of *contestant) (agent.Options, error) {
	o, err := of.searcher.Options(e.corpus)
	if err != nil {
		return o, err
	}
	return of.ablations.Options(of.preset.Options(o)), nil
}

// manifest says who answers, and how.
func (e *evaluating) manifest(of *contestant) (folder.Manifest, error) {
	m := *e.base
	m.Deviations = append([]string{}, of.preset.Deviations...)
	setup := &m.Setup
	setup.Policy, setup.Kind, setup.Model, setup.Ablations = of.searcher.Name, of.searcher.Kind, of.searcher.Model, of.ablations
	setup.Settings, setup.Rollouts = of.settings(&m, e.flags), 1
	if of.wordsOnly() { // whatever vectors there are by then
		setup.Embedder, setup.Rerank = "off", "off"
	}
	if of.plain {
		return m, nil
	}
	o, err := e.options(of)
	setup.Rollouts, setup.Profile, setup.Budget, setup.MaxTurns = e.flags.rollouts, o.Profile, o.Budget.Tokens, o.MaxTurns
	if o.Prompt != "" {
		setup.Prompt = digest(o.Prompt)
	}
	return m, err
}

// answer is how the policy answers a task.
func (e *evaluating) answer(of *contestant, w *folder.Writer) eval.Answer {
	scope := e.base.Setup.Scope
	if !of.plain {
		a := &eval.Agent{Options: func() (agent.Options, error) { return e.options(of) }, Rollouts: e.flags.rollouts, Seed: e.flags.Seed, Scope: scope, Record: w.Record}
		return a.Answer
	}
	if of.ranked != nil { // a question that the file does not have found nothing
		return func(_ context.Context, t eval.Task) (eval.Outcome, error) {
			o := of.ranked[t.ID]
			o.RankingOnly, o.Untimed = true, true
			return o, nil
		}
	}
	corpus, several := of.ablations.Corpus(e.corpus.Corpus), len(e.corpus.Collections) > 1
	q := winnow.Query{Scope: scope}
	if of.searcher.Kind == open.PolicyBM25 {
		q.Legs, q.Rerank = []winnow.Leg{winnow.LegBM25}, "off"
	}
	return func(ctx context.Context, t eval.Task) (eval.Outcome, error) {
		return search(ctx, corpus, several, q, &t)
	}
}

// folder is where the run is kept: a new one, or with --resume the one that the
// same command began.
func (e *evaluating) folder(m folder.Manifest, tasks []eval.Task) (*folder.Writer, error) {
	kept, err := e.evals()
	if err != nil {
		return nil, err
	}
	dir := e.flags.out
	if dir != "" && e.several {
		dir = filepath.Join(dir, folder.Slug(m.Setup.Name()))
	}
	if dir == "" && e.flags.resume {
		dir = kept.Newest(&m.Setup)
	}
	if dir == "" {
		return folder.Create(filepath.Join(kept.Dir, folder.NewID(&m.Setup)), m, tasks)
	}
	if e.flags.resume && folder.Is(dir) {
		return folder.Resume(dir, m, tasks)
	}
	return folder.Create(dir, m, tasks)
}

// interrupted says how to go on with a run that did not end.
func (c *cli) interrupted(ctx context.Context, err error, dir string) error {
	var stopped *eval.Stopped
	switch {
	case ctx.Err() != nil:
		c.exit(&winnow.Error{Message: "interrupted; the questions that are finished stay in " + dir, Hint: "the same command with --resume"})
		return errCutShort
	case errors.As(err, &stopped):
		var known *winnow.Error
		e := &winnow.Error{Code: winnow.CodeOf(stopped.Err), Message: fmt.Sprintf("the run stopped after %d of %s, which stay: %s", stopped.Done, plural(stopped.Total, "question"), stopped.Err),
			Hint: "the same command with --resume"}
		if errors.As(stopped.Err, &known) && known.Hint != "" {
			e.Hint = known.Hint + ", and then " + e.Hint
		}
		if e.Code == winnow.BadInput { // the command line was fine
			e.Code = winnow.Unavailable
		}
		return e
	}
	return err
}

// evals is the home of evaluation runs.
func (c *cli) evals() (folder.Home, error) {
	home, err := open.DefaultHome()
	return folder.In(home), err
}

// budget bounds what all runs of a command cost together.
type budget struct {
	most     float64 // 0 means no bound
	spent    float64
	asked    int  // questions that had a price
	unpriced bool // a model answered, and nobody knows at what price
}

func (b *budget) add(r *eval.Result) {
	if r.Outcome.CostUSD != nil {
		b.spent += *r.Outcome.CostUSD
		b.asked++
	} else if r.Outcome.Tokens > 0 {
		b.unpriced = true
	}
}

// allow refuses a question that, with those under way, would be expected to go
// beyond the bound: each costs what the ones before it did on average.
func (b *budget) allow(underWay int) error {
	switch {
	case b.most == 0:
		return nil
	case b.unpriced:
		return &winnow.Error{Code: winnow.BadInput, Message: "--max-cost can't be kept, because no price is known for the model", Hint: "a price for the policy in winnow.yaml"}
	case b.asked == 0:
		return nil
	}
	if mean := b.spent / float64(b.asked); b.spent+mean*float64(underWay+1) > b.most {
		return &winnow.Error{Code: winnow.TooMuch, Message: fmt.Sprintf("%.2f USD are spent and the next question would go beyond --max-cost %.2f", b.spent, b.most), Hint: "a larger --max-cost"}
	}
	return nil
}
