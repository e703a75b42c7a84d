package judge

import (
	"cmp"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/folder"
)

// Item is a document to be judged for a question.
type Item struct {
	Pair
	Text     string // of the question
	Title    string
	Passages []eval.Passage // what the runs found of it, in its order
}

// Name is what the document is called: its title, or else its id.
func (i *Item) Name() string { return cmp.Or(i.Title, i.Document) }

// Pool is what the runs found best.
type Pool struct {
	// Tasks are the questions whose gold is not known, as the first run has them.
	Tasks []eval.Task
	// Items stand in the order of the questions, and within one shuffled.
	Items []Item
}

// PoolOf pools the best documents of runs, for the questions that all of them
// were asked: others would profit one run and not the other.
func PoolOf(runs []*folder.Run) (*Pool, error) {
	p := &Pool{}
	open := 0
	for _, t := range runs[0].Tasks {
		if !t.Unjudged {
			continue
		}
		open++
		if !slices.ContainsFunc(runs, func(r *folder.Run) bool { of := r.Task(t.ID); return of == nil || of.Question != t.Question }) {
			p.Tasks = append(p.Tasks, t)
		}
	}
	switch {
	case open == 0:
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "there is nothing to judge: all questions of " + runs[0].Dir + " have gold", Hint: "winnow compare"}
	case len(p.Tasks) == 0:
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "the runs were made over different questions", Hint: "runs of one questions file"}
	}
	for i := range p.Tasks {
		p.Items = append(p.Items, pooled(&p.Tasks[i], runs)...)
	}
	return p, nil
}

func pooled(t *eval.Task, runs []*folder.Run) []Item {
	found := map[string]*Item{}
	for _, r := range runs {
		for _, d := range best(r, t.ID) {
			item := found[d.Document]
			if item == nil {
				item = &Item{Pair: Pair{t.ID, d.Document}, Text: t.Question, Title: d.Title}
				found[d.Document] = item
			}
			for _, passage := range d.Passages {
				if !slices.ContainsFunc(item.Passages, func(p eval.Passage) bool { return p.Chunk == passage.Chunk }) {
					item.Passages = append(item.Passages, passage)
				}
			}
		}
	}
	items := make([]Item, 0, len(found))
	for _, id := range sorted(found) {
		item := found[id]
		slices.SortStableFunc(item.Passages, func(a, b eval.Passage) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
		items = append(items, *item)
	}
	// A hash is as good as chance for hiding where a document stood, and the order
	// stays the same when judging is resumed.
	slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(shuffle(a.Pair), shuffle(b.Pair)) })
	return items
}

// best are the documents of a run's ranking that the pool takes.
func best(r *folder.Run, question string) []eval.Ranked {
	for i := range r.Results {
		if r.Results[i].ID == question {
			ranking := r.Results[i].Outcome.Ranking
			return ranking[:min(eval.PoolDepth, len(ranking))]
		}
	}
	return nil
}

func shuffle(p Pair) uint64 {
	h := fnv.New64a()
	h.Write([]byte(p.Question + "\x00" + p.Document))
	x := h.Sum64() // similar names have similar sums; mixed, they have not
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return x
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Open are the items that a judge has said nothing of.
func (p *Pool) Open(b *Book, judge string) []Item {
	return slices.DeleteFunc(slices.Clone(p.Items), func(i Item) bool { _, ok := b.By(judge, i.Pair); return ok })
}

// Judged are the tasks with the gold that follows from verdicts: what was judged
// relevant. A question of which everything in the pool was judged and nothing is
// relevant has nothing to find; one of which something is open and nothing
// relevant stays unknown.
func (p *Pool) Judged(b *Book) []eval.Task {
	tasks := slices.Clone(p.Tasks)
	open := map[string]bool{}
	gold := map[string][]string{}
	for _, item := range p.Items {
		switch v, ok := b.Verdict(item.Pair); {
		case !ok:
			open[item.Question] = true
		case v == Relevant:
			gold[item.Question] = append(gold[item.Question], item.Document)
		}
	}
	for i := range tasks {
		t := &tasks[i]
		if len(gold[t.ID]) == 0 && open[t.ID] {
			continue
		}
		t.Unjudged = false
		t.Gold = append([]string{}, gold[t.ID]...)
		slices.Sort(t.Gold)
	}
	return tasks
}

// Unjudged is the share of a run's best documents that nobody has judged.
func (p *Pool) Unjudged(b *Book, r *folder.Run) float64 {
	all, open := 0, 0
	for i := range p.Tasks {
		for _, d := range best(r, p.Tasks[i].ID) {
			all++
			if _, ok := b.Verdict(Pair{p.Tasks[i].ID, d.Document}); !ok {
				open++
			}
		}
	}
	return float64(open) / float64(max(1, all))
}
