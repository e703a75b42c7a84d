package agent

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
)

// shownPerSearch is how many chunks a search shows, at most.
const shownPerSearch = 10

// search is a call of search_corpus.
type search struct {
	query    string
	where    json.RawMessage
	hits     []winnow.Hit
	asked    int
	warnings []string
	// first is the first call of the turn that asks for the same, if that is not
	// this one: the corpus is asked once, for as much as the last of them needs.
	first *search
	wants int
}

// share finds the calls of a turn that search for the same.
func (t *act) share() {
	type key struct{ query, where string }
	firsts := map[key]*search{}
	for _, j := range t.jobs {
		s, ok := j.(*search)
		if !ok {
			continue
		}
		k := key{s.query, string(s.where)}
		if s.first = firsts[k]; s.first == nil {
			firsts[k] = s
		}
		cmp.Or(s.first, s).wants = shownPerSearch * (1 + t.earlier(s))
	}
}

func prepareSearch(_ *ledger, a arguments) (job, error) {
	if _, err := filter.Parse(a["where"]); err != nil {
		return nil, err
	}
	return &search{query: a.string("query"), where: a["where"]}, nil
}

// fetch asks for more than is shown: as many more as earlier calls of the turn
// may take away.
func (s *search) fetch(ctx context.Context, t *act) error {
	if s.first != nil {
		return nil
	}
	r, err := s.ask(ctx, t, s.wants, t.exclude)
	if err != nil {
		return err
	}
	s.hits, s.asked, s.warnings = r.Hits, s.wants, r.Warnings
	return nil
}

func (s *search) ask(ctx context.Context, t *act, k int, exclude []string) (*winnow.Results, error) {
	return t.run.options.Corpus.Search(ctx, winnow.Query{Text: s.query, K: k, Scope: t.run.scope.with(s.where, exclude), Explain: t.run.options.Explain})
}

func (s *search) place(ctx context.Context, c *commit) {
	c.results[c.at].Query = s.query
	if s.first != nil {
		s.hits, s.asked = s.first.hits, s.first.asked
	}
	c.warn(s.warnings)
	got, asked := len(s.hits), s.asked
	again := func(exclude []string) ([]winnow.Hit, bool) {
		if got < asked {
			return nil, false // that was all there is
		}
		r, err := s.ask(ctx, c.act, shownPerSearch, exclude)
		if err != nil {
			return nil, false
		}
		got, asked = len(r.Hits), shownPerSearch
		return r.Hits, true
	}
	if !c.showNew(s.hits, shownPerSearch, again) && !c.full {
		c.text("Nothing new was found.")
	}
}

// showNew shows the best of the hits that were never shown, up to a number, and
// reports whether there was one. If calls before it have taken so many that the
// list runs short, again fetches what is behind them: a slot is never lost to a
// chunk that is in view already.
func (c *commit) showNew(hits []winnow.Hit, limit int, again func(exclude []string) ([]winnow.Hit, bool)) bool {
	n, repeat := 0, c.act.run.options.Repeat
	for round := 0; ; round++ {
		before := n
		for i := range hits {
			h := recordable(hits[i])
			if id := c.ledger.id(h); c.ledger.chunks[id] != nil && !repeat || c.taken[id] {
				continue
			}
			if !c.chunk(h) {
				return n > 0
			}
			if n++; n == limit {
				return true
			}
		}
		if repeat || round > 0 && n == before { // a corpus that repeats itself has no more
			return n > 0
		}
		more, ok := again(c.everShown())
		if !ok {
			return n > 0
		}
		hits = more
	}
}

// everShown are the chunks that were shown in the run, this turn included.
func (c *commit) everShown() []string {
	ids := make([]string, 0, len(c.ledger.order)+len(c.taken))
	for _, s := range c.ledger.order {
		ids = append(ids, s.id)
	}
	for _, r := range c.results {
		for _, p := range r.Parts {
			if p.Chunk == nil {
				continue
			}
			if id := c.ledger.id(p.Chunk); c.ledger.chunks[id] == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
