package agent

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/token"
)

// ledger is what follows from a trajectory's events: the view, its size, and
// what was shown. A live run and a recorded one are applied to it in the same
// way, which is why every view can be rebuilt.
//
// It counts what is new. A part of a result is measured once; when parts come
// and go, the measures of that turn's results are joined again.
type ledger struct {
	start   *winnow.Start
	profile *profile
	prompt  string
	tokens  int // of the view without its note
	note    int // tokens of the note
	prefix  int
	turns   []*turn
	order   []*shown
	// chunks and founds are keyed by what Start.Name calls them; the others by what
	// else a policy may call them, see meet.
	chunks      map[string]*shown
	founds      map[string]*found
	otherChunks map[string]*shown
	otherFounds map[string]*found
	searches    [][]*shown // what each search showed, best first
	peak        int
	// fresh holds the parts that were just measured to be committed, so that
	// they are not measured twice.
	fresh map[partKey]part
}

// shown is a chunk that was shown.
type shown struct {
	hit    *winnow.Hit
	id     string // its name in the run
	number int    // of its handle
	at     place
	bytes  int // what is shown of its text, where it is cut
	pruned bool
}

func (s *shown) handle() string { return "c" + strconv.Itoa(s.number) }

// place is where a chunk was last shown. Only there is it in the view, so that
// no chunk can be twice in one.
type place struct{ turn, result, part int }

// found is a document of which something was shown.
type found struct {
	chunks []*shown
	query  string // that first found it
}

type turn struct {
	action      winnow.Action // as it stands in the view
	observation *winnow.Observation
	parts       [][]part // of each result
	said, got   int      // tokens of the action and of the results
	view        winnow.Turn
}

type part struct {
	text  string
	tally token.Tally
}

type partKey struct {
	chunk, handle string
	bytes         int
}

// emptied stands where all of a result was pruned.
const emptied = "All of this result was pruned."

func newLedger(start *winnow.Start) (*ledger, error) {
	p, err := profileOf(start.Profile)
	if err != nil {
		return nil, err
	}
	l := &ledger{start: start, profile: p, chunks: map[string]*shown{}, founds: map[string]*found{},
		otherChunks: map[string]*shown{}, otherFounds: map[string]*found{}, fresh: map[partKey]part{}, note: harmony.CountUser(note)}
	l.prompt = start.Prompt
	if start.Used > 0 {
		l.prompt += usage(start.Used, &start.Budget)
	}
	l.prefix = harmony.CountPrefix(l.view())
	l.tokens = l.prefix
	return l, nil
}

// apply takes in an event.
func (l *ledger) apply(e *winnow.Event) error {
	switch {
	case e.Action != nil:
		t := &turn{action: l.visible(e.Action)}
		t.said = harmony.CountAction(&t.action)
		t.view.Action = t.action
		l.turns = append(l.turns, t)
		l.tokens += t.said
		l.peak = max(l.peak, e.View)
	case e.Prune != nil:
		changed := map[int]bool{}
		for _, id := range e.Prune.Chunks {
			s := l.chunks[id]
			if s == nil {
				return corrupt("a chunk is pruned that was never shown")
			}
			s.pruned = true
			changed[s.at.turn] = true
		}
		l.refresh(changed)
	case e.Elide != nil:
		i := e.Elide.Of - 1
		if i < 0 || i >= len(l.turns) {
			return corrupt("reasoning is elided of a turn that was not")
		}
		t := l.turns[i]
		t.action.Reasoning, t.action.Signature = "", ""
		t.view.Action = t.action
		l.tokens -= t.said
		t.said = harmony.CountAction(&t.action)
		l.tokens += t.said
	case e.Observation != nil:
		if len(l.turns) == 0 || l.turns[len(l.turns)-1].observation != nil {
			return corrupt("an observation answers no action")
		}
		l.observe(e.Observation)
	}
	return nil
}

func corrupt(what string) error {
	return &winnow.Error{Code: winnow.Corrupt, Message: "the trajectory does not hold together: " + what}
}

func (l *ledger) observe(o *winnow.Observation) {
	n := len(l.turns) - 1
	t := l.turns[n]
	t.observation = o
	t.parts = make([][]part, len(o.Results))
	changed := map[int]bool{n: true}
	for i := range o.Results {
		r := &o.Results[i]
		t.parts[i] = make([]part, len(r.Parts))
		var list []*shown
		for j := range r.Parts {
			p := &r.Parts[j]
			t.parts[i][j] = l.measured(p)
			if p.Chunk == nil {
				continue
			}
			s := l.chunks[l.id(p.Chunk)]
			if s == nil {
				s = l.meet(p.Chunk, r.Query)
			} else {
				changed[s.at.turn] = true
			}
			s.at, s.bytes, s.pruned = place{n, i, j}, p.Bytes, false
			list = append(list, s)
		}
		if ranks(r.Tool) {
			l.searches = append(l.searches, list)
		}
	}
	clear(l.fresh)
	l.refresh(changed)
}

// meet takes in a chunk that is shown for the first time.
func (l *ledger) meet(h *winnow.Hit, query string) *shown {
	s := &shown{hit: h, id: l.id(h), number: len(l.order) + 1}
	l.chunks[s.id] = s
	l.order = append(l.order, s)
	document := l.document(h)
	f := l.founds[document]
	if f == nil {
		f = &found{query: query}
		l.founds[document] = f
	}
	f.chunks = append(f.chunks, s)
	// A policy may know a name only as it was printed, or leave the collection
	// out: then it means the first that bore the name.
	for _, name := range []string{label(s.id, maxName), h.ID} {
		if name != s.id && l.otherChunks[name] == nil {
			l.otherChunks[name] = s
		}
	}
	for _, name := range []string{label(document, maxName), h.Document} {
		if name != document && l.otherFounds[name] == nil {
			l.otherFounds[name] = f
		}
	}
	return s
}

// id is what a chunk is called in this run, document what its document is.
func (l *ledger) id(h *winnow.Hit) string       { return l.start.Name(h.Collection, h.ID) }
func (l *ledger) document(h *winnow.Hit) string { return l.start.Name(h.Collection, h.Document) }

// measured renders a part and measures it. A part that was measured when it was
// fitted in is not measured again.
func (l *ledger) measured(p *winnow.Part) part {
	if p.Chunk == nil {
		return part{p.Text, harmony.Measure(l.profile.name, p.Text)}
	}
	key := partKey{l.id(p.Chunk), p.Handle, p.Bytes}
	if m, ok := l.fresh[key]; ok {
		return m
	}
	text := l.chunkText(p)
	m := part{text, harmony.Measure(l.profile.name, text)}
	l.fresh[key] = m
	return m
}

// refresh builds the results of turns again and counts them.
func (l *ledger) refresh(turns map[int]bool) {
	for n := range turns {
		t := l.turns[n]
		results, contents := l.results(n)
		l.tokens -= t.got
		t.got = harmony.CountResults(t.action.Calls, results, contents)
		l.tokens += t.got
		t.view.Results = results
	}
}

// results are those of a turn as they stand in the view, with their measures.
func (l *ledger) results(n int) ([]winnow.Result, []token.Tally) {
	t := l.turns[n]
	out := make([]winnow.Result, len(t.observation.Results))
	contents := make([]token.Tally, len(out))
	for i := range out {
		of := &t.observation.Results[i]
		r := &out[i]
		*r = winnow.Result{Call: of.Call, Tool: of.Tool, Query: of.Query, Code: of.Code}
		had, has := false, false
		var tallies []token.Tally
		for j := range of.Parts {
			p := of.Parts[j]
			if p.Chunk != nil {
				had = true
				s := l.chunks[l.id(p.Chunk)]
				if s.pruned || s.at != (place{n, i, j}) {
					continue
				}
				has = true
				p.Text = t.parts[i][j].text
			}
			r.Parts = append(r.Parts, p)
			tallies = append(tallies, t.parts[i][j].tally)
		}
		if had && !has {
			r.Parts = []winnow.Part{{Text: emptied}}
			contents[i] = harmony.Measure(l.profile.name, emptied)
			continue
		}
		if i == len(out)-1 && t.observation.Used > 0 {
			r.Usage = usage(t.observation.Used, &l.start.Budget)
		}
		contents[i] = l.joined(tallies, r.Usage)
	}
	return out, contents
}

// joined is the measure of a result's content.
func (l *ledger) joined(parts []token.Tally, usage string) token.Tally {
	var sum token.Tally
	separator := harmony.Measure(l.profile.name, winnow.PartSeparator)
	for i, p := range parts {
		if i > 0 {
			sum = sum.Join(separator)
		}
		sum = sum.Join(p)
	}
	return sum.Join(harmony.Measure(l.profile.name, usage))
}

// view is what the policy sees now.
func (l *ledger) view() *winnow.View {
	v := &winnow.View{
		Profile: l.start.Profile, Question: l.start.Question, Date: l.start.Date, Prompt: l.prompt, Tools: l.start.Tools,
		Turn: len(l.turns) + 1, Turns: make([]winnow.Turn, len(l.turns)), Tokens: l.tokens, Budget: l.start.Budget, Seed: l.start.Seed,
	}
	for i, t := range l.turns {
		v.Turns[i] = t.view
	}
	if l.tokens > l.start.Budget.Soft && !l.start.Budget.Quiet {
		v.Note = note
		v.Tokens += l.note
	}
	return v
}

// limit is the most that the view may hold without its note.
func (l *ledger) limit() int {
	b := &l.start.Budget
	n := b.Tokens - b.Reserve
	if !b.Quiet {
		n -= l.note
	}
	return n
}

// lookup finds what an id stands for among the chunks shown: a handle, a chunk,
// or a document with all its chunks.
func (l *ledger) lookup(id string) []*shown {
	for _, s := range []*shown{l.byHandle(id), l.chunks[id]} {
		if s != nil {
			return []*shown{s}
		}
	}
	if f := l.founds[id]; f != nil {
		return f.chunks
	}
	if s := l.otherChunks[id]; s != nil {
		return []*shown{s}
	}
	if f := l.otherFounds[id]; f != nil {
		return f.chunks
	}
	if trimmed := strings.Trim(id, " \t\r\n\"'`[]<>#"); trimmed != id && trimmed != "" {
		return l.lookup(trimmed)
	}
	return nil
}

func (l *ledger) byHandle(id string) *shown {
	if number, ok := strings.CutPrefix(id, "c"); ok && l.profile.handles {
		if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= len(l.order) && l.order[n-1].handle() == id {
			return l.order[n-1]
		}
	}
	return nil
}

func (l *ledger) inView(s *shown) bool { return !s.pruned }

// oldestReasoning is the first turn that still has reasoning in view, from 1; 0
// if none has.
func (l *ledger) oldestReasoning() int {
	for i, t := range l.turns {
		if t.action.Reasoning != "" {
			return i + 1
		}
	}
	return 0
}

// Views rebuilds the view before each action of a trajectory and hands it to f
// with the turn it is for. It is the proof that a trajectory is whole.
func Views(t *winnow.Trajectory, f func(*winnow.View) error) error {
	start := t.Start()
	if start == nil {
		return corrupt("it does not begin with a start event")
	}
	l, err := newLedger(start)
	if err != nil {
		return err
	}
	for i := range t.Events[1:] {
		e := &t.Events[1+i]
		if e.Action != nil {
			v := l.view()
			if v.Tokens != e.View {
				return corrupt(fmt.Sprintf("the view of turn %d has %d tokens, not %d", e.Turn, v.Tokens, e.View))
			}
			if err := f(v); err != nil {
				return err
			}
		}
		if err := l.apply(e); err != nil {
			return err
		}
	}
	return nil
}
