package index

import (
	"context"
	"fmt"

	"github.com/winnow-search/winnow"
)

// Why says what became of a document in a search: the stage at which it was
// lost, or its rank.
type Why struct {
	Document string `json:"document"`
	// Stage is one of the Stage constants.
	Stage string `json:"stage"`
	// Chunk is the document's chunk that came furthest.
	Chunk string `json:"chunk,omitempty"`
	Rank  int    `json:"rank,omitempty"` // in the final order, from 1
	// Legs are the places of that chunk in each stage that met it.
	Legs    []winnow.LegScore `json:"legs"`
	Matched []string          `json:"matched"`
	// Sentence says it for people.
	Sentence string `json:"sentence"`
}

// The stages at which a search loses a document.
const (
	StageNotIndexed = "not_indexed"
	StageFiltered   = "filtered"
	StageNotMet     = "not_met"    // in no leg's candidates
	StageRanked     = "ranked_low" // among the candidates, below the cut
	StageReturned   = "returned"
)

// Returned reports whether the search returns the document.
func (w *Why) Returned() bool { return w.Stage == StageReturned }

// Why runs a search and follows one document through it.
func (s *Snapshot) Why(ctx context.Context, r Request, document string) (*Why, error) {
	w := &Why{Document: document, Stage: StageNotIndexed, Legs: []winnow.LegScore{}, Matched: []string{}}
	seg, doc, err := s.findDocument(document)
	if err != nil {
		return nil, err
	}
	if seg < 0 {
		w.Sentence = fmt.Sprintf("%s is not in the index; winnow ls --skipped says which files were left out and why", document)
		return w, nil
	}
	k := r.K
	if k <= 0 {
		k = defaultK
	}
	r.K = max(k, poolMax)
	ranked, err := s.rank(ctx, &r)
	if err != nil {
		return nil, err
	}
	live := s.segments[seg]
	lo, hi := live.first.At(doc), live.first.At(doc+1)
	inScope := false
	for c := lo; c < hi; c++ {
		inScope = inScope || ranked.denied[seg] == nil || !ranked.denied[seg].Has(c)
	}
	if !inScope {
		w.Stage, w.Sentence = StageFiltered, document+" is indexed, and the filters or exclusions of this search leave it out"
		return w, nil
	}
	at := -1
	for i, p := range ranked.best {
		if p.seg == seg && p.ord >= lo && p.ord < hi {
			at = i
			break
		}
	}
	best := ref{seg, lo}
	if at >= 0 {
		best = ranked.best[at].ref
		w.Rank = at + 1
	}
	if w.Chunk, err = s.chunkID(best); err != nil {
		return nil, err
	}
	if legs := ranked.legs(best); legs != nil {
		w.Legs = legs
	}
	if w.Matched, err = live.lex.Matched(w.Matched, ranked.terms, best.ord); err != nil {
		return nil, err
	}
	switch {
	case at < 0:
		w.Stage = StageNotMet
		w.Sentence = fmt.Sprintf("%s is indexed and in scope, but no leg met it: it shares %d of the question's %d terms, and no link leads to it from the best candidates", document, len(w.Matched), len(ranked.terms))
	case at >= k:
		w.Stage = StageRanked
		w.Sentence = fmt.Sprintf("%s was a candidate and came out at rank %d, below the %d that are returned", document, w.Rank, k)
	default:
		w.Stage = StageReturned
		w.Sentence = fmt.Sprintf("%s is returned at rank %d", document, w.Rank)
	}
	return w, s.fault()
}
