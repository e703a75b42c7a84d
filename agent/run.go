package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/winnow-search/winnow"
)

// run is a run under way.
type run struct {
	options Options
	ledger  *ledger
	scope   scope
	yield   func(winnow.Event) bool
	stopped bool // nobody listens any more

	turn     int
	calls    int
	pruned   map[string]bool
	usage    winnow.Usage
	warnings []string
}

// leastReserve is what sixteen calls without arguments take.
const leastReserve = 512

func newRun(o Options, yield func(winnow.Event) bool) (*run, error) {
	o.MaxTurns = cmp.Or(max(0, o.MaxTurns), 64)
	o.CallTimeout = cmp.Or(max(0, o.CallTimeout), time.Minute)
	p, err := profileOf(o.Profile)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(o.Question) == "" {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the question is empty"}
	}
	scope, err := newScope(o.Scope, o.Collections)
	if err != nil {
		return nil, err
	}
	if err := tellApart(o.Collections); err != nil {
		return nil, err
	}
	start := &winnow.Start{
		Version: winnow.TrajectoryVersion, Question: valid(o.Question), Profile: p.name,
		Prompt: instruct(valid(cmp.Or(o.Prompt, p.prompt)), valid(o.Question)), Date: o.Date,
		Tools: p.declarations(o.Omit), Budget: p.complete(o.Budget), MaxTurns: o.MaxTurns, Scope: o.Scope,
		Policy: o.Policy.Name(), Model: o.Model, Collections: o.Collections, Seed: o.Seed,
	}
	r := &run{options: o, scope: scope, yield: yield, pruned: map[string]bool{}}
	if err := r.begin(start); err != nil {
		return nil, err
	}
	return r, nil
}

// tellApart refuses collections whose qualified ids could be the same.
func tellApart(collections []string) error {
	for i, a := range collections {
		for j, b := range collections {
			if i != j && (a == b || strings.HasPrefix(b, winnow.QualifiedID(a, ""))) {
				return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("what is from %q and what is from %q can't be told apart in one run", a, b),
					Hint: "one of them by another name, with winnow index --collection NAME"}
			}
		}
	}
	return nil
}

// begin opens the ledger and refuses what can't be run: there must be room for
// the prompt, one call with its arguments, its result, and the reply to it.
func (r *run) begin(start *winnow.Start) (err error) {
	b := &start.Budget
	if b.Reserve < leastReserve {
		return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("a reserve of %d tokens is too small for a reply", b.Reserve),
			Hint: fmt.Sprintf("a reserve of at least %d, or a budget of at least %d", leastReserve, 8*leastReserve)}
	}
	for range 4 { // the usage line counts itself
		if r.ledger, err = newLedger(start); err != nil {
			return err
		}
		if start.Used == r.ledger.tokens {
			break
		}
		start.Used = r.ledger.tokens
	}
	need := r.ledger.tokens + b.Reserve + maxCalls*leastText
	if limit := r.ledger.limit(); need > limit {
		return &winnow.Error{Code: winnow.TooMuch,
			Message: fmt.Sprintf("the question and its instruction take %s tokens, and a budget of %s leaves no room for a call", grouped(r.ledger.tokens), grouped(b.Tokens)),
			Hint:    "a shorter question, or a larger budget"}
	}
	return nil
}

// record takes an event in and passes it on.
func (r *run) record(e winnow.Event) {
	e.Turn = r.turn
	if err := r.ledger.apply(&e); err != nil {
		panic(err) // the run made the event itself
	}
	r.pass(e)
}

func (r *run) pass(e winnow.Event) {
	e.Turn = r.turn
	if !r.stopped && !r.yield(e) {
		r.stopped = true
	}
}

// loop observes, infers and acts until the run ends.
func (r *run) loop(ctx context.Context) {
	r.pass(winnow.Event{Kind: winnow.EventStart, Start: r.ledger.start})
	for !r.stopped {
		if ctx.Err() != nil {
			r.force(interrupted(ctx), nil)
			return
		}
		if r.turn == r.options.MaxTurns {
			r.force(winnow.AtTurnLimit, nil)
			return
		}
		r.turn++
		view := r.ledger.view()
		action, err := r.options.Policy.Next(ctx, view)
		if err != nil {
			r.turn-- // it was not taken
			if ctx.Err() != nil {
				r.force(interrupted(ctx), nil)
				return
			}
			r.force(winnow.Forced, asFailure(err))
			return
		}
		said := recorded(action, r.turn)
		r.usage = r.usage.Add(action.Usage)
		r.warn(said.Warnings)
		r.record(winnow.Event{Kind: winnow.EventAction, Action: said, View: view.Tokens})
		if cut := promptCut(view, action.Usage); cut != nil {
			r.dismiss(said)
			r.force(winnow.Forced, cut)
			return
		}
		if len(said.Calls) == 0 {
			r.conclude(said.Answer)
			return
		}
		if !r.act(ctx, said) {
			r.warn([]string{"the context was full of what can't be pruned"})
			r.force(winnow.Forced, nil)
			return
		}
	}
}

// interrupted says why a context ended.
func interrupted(ctx context.Context) winnow.Ended {
	if errors.Is(context.Cause(ctx), errTimeout) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return winnow.AtDeadline
	}
	return winnow.WasCancelled
}

func asFailure(err error) *winnow.Error {
	e := &winnow.Error{Code: cmp.Or(winnow.CodeOf(err), winnow.Unavailable), Message: valid(err.Error())}
	var of *winnow.Error
	if errors.As(err, &of) {
		e.Hint = valid(of.Hint)
	}
	return e
}

// promptCut tells when a server has dropped a part of the prompt without a word:
// it counted less than half of what was sent, which no tokenizer explains.
func promptCut(v *winnow.View, u winnow.Usage) *winnow.Error {
	if u.Prompt == 0 || u.Prompt*2 >= v.Tokens {
		return nil
	}
	return &winnow.Error{Code: winnow.TooMuch,
		Message: fmt.Sprintf("the server read %s tokens of a prompt of about %s: it cut the rest off", grouped(u.Prompt), grouped(v.Tokens)),
		Hint:    fmt.Sprintf("a context length of at least %d on the server (num_ctx or OLLAMA_CONTEXT_LENGTH for Ollama, --max-model-len for vLLM)", v.Budget.Tokens)}
}

// dismiss answers calls that are not run because the run is over.
func (r *run) dismiss(a *winnow.Action) {
	t := &act{run: r, ledger: r.ledger}
	var skipped int
	if t.requests, skipped = r.ledger.unfold(a); len(t.requests) > 0 {
		c := newCommit(t, skipped)
		c.refuseAll("Error: the run is over.")
		r.observe(c)
	}
}

// prune applies all prunes of a turn together.
func (r *run) prune(prunes []*prune) {
	l := r.ledger
	var ids []string
	first := len(l.turns)
	going := map[string]bool{}
	for _, p := range prunes {
		for _, s := range p.chunks {
			if !going[s.id] {
				going[s.id] = true
				ids = append(ids, s.id)
				first = min(first, s.at.turn)
				p.news++
			}
		}
	}
	if len(ids) == 0 {
		return
	}
	said := l.turns[len(l.turns)-1].said // not in the prompt that was cached
	e := winnow.Event{Kind: winnow.EventPrune, Prune: &winnow.Prune{Chunks: ids}}
	for _, t := range l.turns[first:] {
		e.Prune.Invalidated += t.said + t.got
	}
	e.Prune.Invalidated -= said
	before := l.tokens
	if err := l.apply(&e); err != nil {
		panic(err) // the ids were looked up
	}
	e.Prune.Freed = before - l.tokens
	for _, id := range ids {
		r.pruned[id] = true
	}
	for _, p := range prunes {
		p.freed = e.Prune.Freed
	}
	r.pass(e)
}

// makeRoom sees that every call can be answered with a sentence. Reasoning goes
// first, the oldest before the newer.
func (r *run) makeRoom(c *commit) bool {
	for c.free() < leastText*len(c.results) {
		of := r.ledger.oldestReasoning()
		if of == 0 {
			return false
		}
		e := winnow.Event{Kind: winnow.EventElide, Elide: &winnow.Elide{Of: of}}
		before := r.ledger.tokens
		if err := r.ledger.apply(&e); err != nil {
			panic(err) // the turn is there
		}
		e.Elide.Freed = before - r.ledger.tokens
		r.pass(e)
	}
	return true
}

// observe records what the calls brought.
func (r *run) observe(c *commit) {
	if len(c.restored) > 0 {
		r.record(winnow.Event{Kind: winnow.EventRestore, Restore: &winnow.Restore{Chunks: c.restored}})
	}
	o := c.close()
	r.warn(o.Warnings)
	e := winnow.Event{Kind: winnow.EventObservation, Observation: o}
	l := r.ledger
	if err := l.apply(&e); err != nil {
		panic(err) // it follows an action
	}
	for range 4 { // the usage line counts itself
		if o.Used == l.tokens {
			break
		}
		o.Used = l.tokens
		l.refresh(map[int]bool{len(l.turns) - 1: true})
	}
	r.pass(e)
}

func (r *run) warn(warnings []string) { r.warnings = merge(r.warnings, warnings) }
