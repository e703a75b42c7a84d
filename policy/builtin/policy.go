// Package builtin is the policy that needs no model: a multi-hop search agent in
// code.
//
// It takes the question apart by its form, searches for the whole and the parts
// at once, reads what comes back sentence by sentence, and keeps a beam of chains:
// passages, each led to by a name in the one before, that cover the question
// together. From the ends of the best chains it follows links, and searches for
// what they are called, with what is not covered yet. It prunes what ranks low, and
// concludes when the chains cover the question, nothing new comes, or it has gone
// on twice. Two small models, learned from judged questions, order what was read
// and judge how likely each passage is relevant; they see only what the policy was
// shown.
//
// What was traded away: it knows words, names and places, not what they mean.
// Relations in other words, and conclusions that nobody wrote down, are for a
// language model.
package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
)

// Policy answers one question. A run needs one of its own.
type Policy struct {
	model *Model
	evidence
	covered bool // the search is over
	tidied  bool // what is not needed has been pruned
	asked   []call
}

// call is what a call of the last action was for.
type call struct {
	source source
	from   []*passage
}

var _ winnow.Policy = (*Policy)(nil)

// Policy returns a policy for one run.
func (m *Model) Policy() *Policy { return &Policy{model: m} }

// Name implements [winnow.Policy].
func (*Policy) Name() string { return "builtin" }

const (
	// pages is how often the question is searched for in the first turn: each
	// time the next ten.
	pages = 3
	// maxQuery is the longest text that is searched for, in bytes.
	maxQuery = 4 << 10
)

// heads is from how many passages links are followed, in each turn after the
// first.
var heads = [...]int{3, 1}

// Next implements [winnow.Policy].
func (p *Policy) Next(_ context.Context, v *winnow.View) (winnow.Action, error) {
	if v.Turn == 1 {
		return p.begin(v), nil
	}
	news := p.absorb(v)
	if news > 0 {
		p.model.judge(p.passages, p.rows())
	}
	if !p.covered {
		if a, ok := p.follow(v, news); ok {
			return a, nil
		}
		p.covered = true
	}
	if !p.tidied {
		p.tidied = true
		if surplus := p.surplus(v, keepLast, nil); len(surplus) > 0 {
			return p.prune(surplus), nil
		}
	}
	return p.conclude(), nil
}

// begin searches for the whole question and for its parts, all at once, as far
// as there is room to ask.
func (p *Policy) begin(v *winnow.View) winnow.Action {
	p.q, p.seed = p.model.question(v.Question), v.Seed
	p.byName, p.shares = map[string]*passage{}, map[string]int{}
	var a winnow.Action
	room := free(v) / 2
	search := func(c call, text string) {
		if text = cut(text); len(a.Calls) > 0 && room < cost(text) {
			return
		}
		room -= cost(text)
		p.call(&a, c, "search_corpus", map[string]any{"query": text})
	}
	for range pages {
		search(call{source: bySearch}, v.Question)
	}
	for _, part := range p.q.parts {
		if !p.model.without[IdeaParts] {
			search(call{source: byPart}, part.text)
		}
	}
	return a
}

// free is the room in a view, in tokens.
func free(v *winnow.View) int { return v.Budget.Tokens - v.Budget.Reserve - v.Tokens }

// cost is what a call with a text takes of a view, with the least that can be
// said to it: a guess in tokens, on the safe side for most scripts.
func cost(text string) int { return 128 + len(text)/2 }

// call adds a call to an action and remembers what it is for.
func (p *Policy) call(a *winnow.Action, c call, tool string, arguments map[string]any) {
	data, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // strings always marshal
	}
	a.Calls = append(a.Calls, winnow.Call{Tool: tool, Arguments: string(data)})
	p.asked = append(p.asked, c)
}

// absorb reads what the last calls brought, and returns how much of it is new.
func (p *Policy) absorb(v *winnow.View) (news int) {
	if len(v.Turns) == 0 {
		return 0
	}
	ranks := map[int]int{}
	for _, r := range v.Turns[len(v.Turns)-1].Results {
		if r.Call >= len(p.asked) {
			continue
		}
		asked, list := p.asked[r.Call], r.Call
		if asked.source == bySearch {
			list = -1 // its pages are one list
		}
		for i := range r.Parts {
			part := &r.Parts[i]
			if part.Chunk == nil || p.byName[part.Name()] != nil {
				continue
			}
			s := p.model.read(p.q, part)
			ranks[list]++
			s.turn, s.source, s.rank = v.Turn-1, asked.source, ranks[list]
			if lead := part.Chunk.Lead; lead != nil {
				s.from = leader(asked.from, lead.From, part.Chunk.Collection)
			}
			p.passages = append(p.passages, s)
			p.byName[s.name] = s
			news++
		}
	}
	p.asked = nil
	return news
}

// leader is the passage that a link led from.
func leader(from []*passage, chunk, collection string) *passage {
	for _, f := range from {
		if f.hit.ID == chunk && f.hit.Collection == collection {
			return f
		}
	}
	return nil
}

// enough is the share of the question from which a chain covers it.
const enough = 0.98

// follow goes on from the ends of the best chains, with what they leave open of
// the question. It reports false when there is nothing left to follow.
func (p *Policy) follow(v *winnow.View, news int) (winnow.Action, bool) {
	turn := v.Turn - 1
	if news == 0 || turn > len(heads) || p.model.without[IdeaLinks] || !offers(v, "follow_links") {
		return winnow.Action{}, false
	}
	var ends []*passage
	var open []mask
	for _, c := range p.chains {
		if c.depth > 1 && p.cover(c.held) >= enough && turn > 1 {
			continue
		}
		if len(ends) < heads[turn-1] && c.last.turn == turn && !slices.Contains(ends, c.last) {
			ends, open = append(ends, c.last), append(open, c.held)
		}
	}
	if len(ends) == 0 {
		return winnow.Action{}, false
	}
	questions := make([]string, len(ends))
	need := 0
	for i := range ends {
		questions[i] = cut(p.residual(open[i]))
		need += cost(questions[i])
	}
	// What the best end is called, with what is open, may stand where no link
	// leads.
	bridge := cut(strings.TrimSpace(ends[0].hit.Title + " " + questions[0]))
	need += cost(bridge)
	surplus := p.surplus(v, keepFirst, ends)
	if free(v)+tokens(surplus) < need {
		surplus = p.surplus(v, keepLast, ends)
	}
	if free(v)+tokens(surplus) < need {
		return winnow.Action{}, false
	}
	a := p.prune(surplus)
	p.call(&a, call{source: byPart}, "search_corpus", map[string]any{"query": bridge})
	for i, end := range ends {
		p.call(&a, call{source: byLink, from: []*passage{end}}, "follow_links",
			map[string]any{"chunk_ids": []string{end.name}, "question": questions[i]})
	}
	return a, true
}

func tokens(passages []*passage) (sum int) {
	for _, s := range passages {
		sum += s.hit.Tokens
	}
	return sum
}

// residual is the question less what is covered. Where nothing is left, all of
// it: the answer may need a second witness.
func (p *Policy) residual(held mask) string {
	var words []string
	for i, w := range p.q.words {
		if held&(1<<i) == 0 {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return p.q.text
	}
	return strings.Join(words, " ")
}

// What is kept of a view: as many as may matter while the search goes on, and at
// the end.
const (
	keepFirst = 20
	keepLast  = 8
)

// surplus is what the view can do without: all that ranks below the best n,
// unless it is likely relevant or needed next.
func (p *Policy) surplus(v *winnow.View, n int, needed []*passage) (out []*passage) {
	if !offers(v, "prune_chunks") {
		return nil
	}
	for i, s := range p.ranked() {
		if i >= n && !s.pruned && s.chance() < selectFrom && !slices.Contains(needed, s) {
			out = append(out, s)
		}
	}
	return out
}

// prune takes passages out of the view.
func (p *Policy) prune(passages []*passage) (a winnow.Action) {
	var ids []string
	for _, s := range passages {
		s.pruned = true
		ids = append(ids, s.name)
	}
	if len(ids) > 0 {
		p.call(&a, call{}, "prune_chunks", map[string]any{"chunk_ids": ids})
	}
	return a
}

// ranked are all passages, best first.
func (p *Policy) ranked() []*passage {
	list := slices.Clone(p.passages)
	slices.SortStableFunc(list, func(a, b *passage) int { return cmp.Compare(b.score, a.score) })
	return list
}

func offers(v *winnow.View, tool string) bool {
	return slices.ContainsFunc(v.Tools, func(t winnow.Tool) bool { return t.Name == tool })
}

func cut(text string) string {
	if len(text) <= maxQuery {
		return text
	}
	return strings.ToValidUTF8(text[:maxQuery], "")
}

// Seen is a passage of a run with what the models see of it.
type Seen struct {
	Document string
	Features []float32
}

// rows are the features of all passages, less those of ideas left out.
func (p *Policy) rows() [][]float32 {
	rows := p.weigh()
	for _, i := range p.model.blind {
		for _, row := range rows {
			row[i] = float32(math.NaN())
		}
	}
	return rows
}

// Evidence is all that the run was shown, in the order of showing: what weights
// are learned from.
func (p *Policy) Evidence() []Seen {
	rows := p.rows()
	out := make([]Seen, len(rows))
	for i, s := range p.passages {
		out[i] = Seen{s.hit.Document, rows[i]}
	}
	return out
}
