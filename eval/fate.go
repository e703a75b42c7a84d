package eval

// Fate says what became of a piece of gold in a run.
type Fate string

const (
	Returned    Fate = "returned"     // it is in the answer
	NotReturned Fate = "not_returned" // it was met and kept, and is not in the answer
	PrunedAway  Fate = "pruned"       // it was met and pruned
	NeverMet    Fate = "never_met"    // no search brought it
)

// AllFates are in the order from best to worst.
func AllFates() []Fate { return []Fate{Returned, NotReturned, PrunedAway, NeverMet} }

// Fates are what became of each unit of a task's gold: of each supporting
// document, or where gold is given as facts, of each fact. Of a policy that only
// ranks, the first ten documents count as its answer.
func Fates(t *Task, o *Outcome) []Fate {
	g := goldOf(t)
	out := make([]Fate, g.units)
	for i := range out {
		out[i] = NeverMet
	}
	if o.Error != "" {
		return out
	}
	rank := map[Fate]int{}
	for i, f := range AllFates() {
		rank[f] = i
	}
	mark := func(f Fate, document string, chunks ...string) {
		r := g.recall()
		r.add(document, chunks...)
		for u, met := range r.met {
			if met && rank[f] < rank[out[u]] {
				out[u] = f
			}
		}
	}
	pruned := map[Ref]bool{}
	for _, ref := range o.Pruned {
		pruned[ref] = true
	}
	for _, ref := range o.Shown {
		if pruned[ref] {
			mark(PrunedAway, ref.Document, ref.Chunk)
		} else {
			mark(NotReturned, ref.Document, ref.Chunk)
		}
	}
	for i, d := range byDocument(o.Ranking) {
		switch {
		case d.Selected, o.RankingOnly && i < 10:
			mark(Returned, d.Document, d.Chunks...)
		case o.RankingOnly:
			mark(NotReturned, d.Document, d.Chunks...)
		}
	}
	return out
}
