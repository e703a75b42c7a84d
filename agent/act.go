package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/winnow-search/winnow"
)

// act runs the calls of a turn.
type act struct {
	run      *run
	ledger   *ledger
	requests []request
	jobs     []job // nil where the request failed
	errs     []error
	// exclude are the chunks shown before the turn: what no search may return.
	exclude []string
	// fair is the least room that each call will have.
	fair int
}

// act answers an action's calls and records the observation. It reports false
// when the view has no room for it, which ends the run.
func (r *run) act(ctx context.Context, action *winnow.Action) (ok bool) {
	l := r.ledger
	t := &act{run: r, ledger: l}
	var skipped int
	t.requests, skipped = l.unfold(action)
	n := len(t.requests)
	t.jobs, t.errs = make([]job, n), make([]error, n)
	r.calls += n
	var prunes []*prune
	for i, request := range t.requests {
		t.jobs[i], t.errs[i] = l.prepare(request)
		if p, is := t.jobs[i].(*prune); is {
			prunes = append(prunes, p)
		}
	}
	r.prune(prunes)
	t.refuse()
	c := newCommit(t, skipped)
	if !r.makeRoom(c) {
		c.refuseAll("Error: the context is full.")
		r.observe(c)
		return false
	}
	t.fair = c.share(0)
	t.share()
	t.fetch(ctx)
	for i := range t.requests {
		c.begin(i)
		if t.errs[i] != nil {
			c.fail(t.errs[i])
			continue
		}
		t.jobs[i].place(ctx, c)
	}
	r.observe(c)
	return true
}

// refuse answers every call but prunes with an error if the view is past the
// hard limit.
func (t *act) refuse() {
	b := &t.ledger.start.Budget
	if t.ledger.tokens <= b.Hard {
		return
	}
	for i, j := range t.jobs {
		if _, is := j.(*prune); !is {
			t.jobs[i], t.errs[i] = nil, &winnow.Error{Code: winnow.TooMuch,
				Message: fmt.Sprintf("the context holds %s tokens, and past %s only %s is allowed", grouped(t.ledger.tokens), grouped(b.Hard), pruneChunks),
				Hint:    "prune chunks, or finish with the documents you have"}
		}
	}
}

// fetch runs all jobs side by side and waits for them.
func (t *act) fetch(ctx context.Context) {
	if !t.run.options.Repeat {
		for _, s := range t.ledger.order {
			t.exclude = append(t.exclude, s.id)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, t.run.options.CallTimeout)
	defer cancel()
	var group sync.WaitGroup
	var panics panics
	for i, j := range t.jobs {
		if j != nil {
			group.Go(func() {
				defer panics.keep()
				t.errs[i] = j.fetch(ctx, t)
			})
		}
	}
	group.Wait()
	panics.raise()
	for i, j := range t.jobs {
		if s, ok := j.(*search); ok && s.first != nil {
			t.errs[i] = t.errs[slices.Index(t.jobs, job(s.first))]
		}
	}
}

// earlier counts the jobs before j, which may take chunks that j has found too.
func (t *act) earlier(of job) (n int) {
	for _, j := range t.jobs {
		if j == of {
			break
		}
		if _, prunes := j.(*prune); j != nil && !prunes {
			n++
		}
	}
	return n
}

// asData makes any failure one that a policy can read.
func asData(err error) *winnow.Error {
	var e *winnow.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return &winnow.Error{Code: winnow.Unavailable, Message: "the corpus did not answer in time"}
	case errors.Is(err, context.Canceled):
		return &winnow.Error{Code: winnow.Unavailable, Message: "the run was stopped"}
	}
	return &winnow.Error{Code: winnow.Unavailable, Message: "the corpus could not answer", Err: err}
}
