package agent

import (
	"cmp"
	"maps"
	"slices"

	"github.com/winnow-search/winnow"
)

// rankedDocuments is how long a ranking is made with what was shown and not
// selected.
const rankedDocuments = 50

// conclude ends the run with the policy's answer.
func (r *run) conclude(a *winnow.Answer) {
	if a == nil {
		r.warn([]string{"the policy ended without an answer"})
		r.force(winnow.Forced, nil)
		return
	}
	r.warn(a.Flags)
	end := &winnow.End{Ended: winnow.Concluded}
	if a.Confidence != nil {
		c := min(1, max(0, finite(*a.Confidence)))
		end.Confidence = &c
	}
	s := newRanker(r.ledger)
	for _, c := range a.Selected {
		if !s.add(c.ID, c.Justification, true) && !slices.Contains(end.Unknown, c.ID) {
			end.Unknown = append(end.Unknown, c.ID)
		}
	}
	for _, id := range a.Rest {
		if s.full() {
			break
		}
		s.add(id, "", false) // an opinion on what was never shown is nothing to report
	}
	s.fill(r.ledger.fused(false))
	end.Ranking = s.ranking
	if len(end.Unknown) > 0 {
		r.warn([]string{"the answer names " + plural(len(end.Unknown), "id") + " that were never shown"})
	}
	r.end(end)
}

// force ends the run with the ranking that the run itself suggests: the
// documents in view, by reciprocal rank fusion over the searches.
func (r *run) force(ended winnow.Ended, failure *winnow.Error) {
	s := newRanker(r.ledger)
	for _, d := range r.ledger.fused(true) {
		s.put(r.ledger.founds[d].chunks, "", true)
	}
	s.fill(r.ledger.fused(false))
	r.end(&winnow.End{Ended: ended, Forced: true, Failure: failure, Ranking: s.ranking})
}

func (r *run) end(e *winnow.End) {
	e.Turns, e.Calls, e.Pruned = r.turn, r.calls, len(r.pruned)
	e.PeakView, e.Usage = r.ledger.peak, r.usage
	e.Warnings = append([]string{}, r.warnings...)
	r.pass(winnow.Event{Kind: winnow.EventEnd, End: e})
}

// ranker builds a ranking out of ids, in the order in which they come.
type ranker struct {
	ledger  *ledger
	ranking winnow.Ranking
	at      map[string]int
}

func newRanker(l *ledger) *ranker {
	return &ranker{ledger: l, ranking: winnow.Ranking{}, at: map[string]int{}}
}

func (s *ranker) full() bool { return len(s.ranking) >= rankedDocuments }

// add ranks the document that an id stands for, behind those before it. A
// document that is ranked already stays where it is and takes the chunk. It
// reports whether the id is known.
func (s *ranker) add(id, justification string, selected bool) bool {
	chunks := s.ledger.lookup(id)
	if len(chunks) == 0 {
		return false
	}
	s.put(chunks, justification, selected)
	return true
}

func (s *ranker) put(chunks []*shown, justification string, selected bool) {
	h := chunks[0].hit
	document := s.ledger.document(h)
	i, again := s.at[document]
	if !again {
		i = len(s.ranking)
		s.at[document] = i
		s.ranking = append(s.ranking, winnow.Ranked{Rank: i + 1, Selected: selected, Document: h.Document, Collection: h.Collection,
			Title: h.Title, Path: h.Path, Justification: justification, Chunks: []string{}})
	} else if !selected {
		return
	}
	d := &s.ranking[i]
	if d.Justification == "" {
		d.Justification = justification
	}
	for _, c := range chunks {
		if !slices.Contains(d.Chunks, c.hit.ID) {
			d.Chunks = append(d.Chunks, c.hit.ID)
		}
	}
}

func (s *ranker) fill(documents []string) {
	for _, d := range documents {
		if s.full() {
			return
		}
		s.put(s.ledger.founds[d].chunks, "", false)
	}
}

// fused orders the documents that were shown, or only those in view, by
// reciprocal rank fusion over the run's searches. What no search ranked, such as
// a match of grep, comes last. Ties: by id.
func (l *ledger) fused(inView bool) []string {
	lists := make([][]string, len(l.searches))
	for i, list := range l.searches {
		for _, s := range list {
			lists[i] = append(lists[i], l.document(s.hit))
		}
	}
	scores := fuse(lists)
	var out []string
	for _, d := range slices.Sorted(maps.Keys(l.founds)) {
		if !inView || slices.ContainsFunc(l.founds[d].chunks, l.inView) {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	return out
}

// fusionK is the constant of reciprocal rank fusion, from Cormack, Clarke and
// Büttcher (2009).
const fusionK = 60

// fuse scores documents by the sum of 1/(60 + rank) over lists, ranks from 1. A
// document counts once in a list, where it first stands.
func fuse(lists [][]string) map[string]float64 {
	scores := map[string]float64{}
	for _, list := range lists {
		seen := map[string]bool{}
		for _, d := range list {
			if !seen[d] {
				seen[d] = true
				scores[d] += 1 / float64(fusionK+len(seen))
			}
		}
	}
	return scores
}
