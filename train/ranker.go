// Package train learns from judged questions: the weights of the built-in
// ranker.
//
// A ranker is trained on what the search itself sees: every question is asked,
// all candidates are taken with their features, and those of supporting
// documents are the right ones. What is reported is cross-validated, so that no
// figure comes from a question its model has seen, and beside it stands what a
// model that was trained on the other data sets only makes of this one: the
// honest guess for a corpus nobody has judged.
package train

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/rerank/boost"
)

// Set is a data set with the candidates of its questions.
type Set struct {
	Name   string
	Tasks  []eval.Task
	Groups []boost.Group
	// documents are those of each group's rows.
	documents [][]string
}

// Candidates returns all candidates of a question with their features.
type Candidates func(ctx context.Context, t eval.Task) ([]winnow.Hit, error)

// Collect asks every question that has gold.
func Collect(ctx context.Context, d *eval.Dataset, ask Candidates, progress func(done, total int)) (*Set, error) {
	s := &Set{Name: d.Name}
	for i, t := range d.Tasks {
		if progress != nil {
			progress(i, len(d.Tasks))
		}
		if t.WithoutGold() || t.Unjudged {
			continue
		}
		hits, err := ask(ctx, t)
		if err != nil {
			return nil, fmt.Errorf("question %s of %s: %w", t.ID, d.Name, err)
		}
		g, docs := group(d.Name, &t, hits)
		s.Tasks, s.Groups, s.documents = append(s.Tasks, t), append(s.Groups, g), append(s.documents, docs)
	}
	if len(s.Groups) == 0 {
		return nil, &winnow.Error{Code: winnow.BadInput, Message: "no question of " + d.Name + " has supporting documents", Hint: "label some with winnow judge"}
	}
	return s, nil
}

// group turns the candidates of a question into rows. Of a supporting document
// with several chunks only the chunk that fusion likes best is held to be
// right: the others may say nothing to the question, and are kept out of the
// training by standing for no document of their own.
func group(set string, t *eval.Task, hits []winnow.Hit) (boost.Group, []string) {
	gold := map[string]bool{}
	for _, id := range t.Gold {
		gold[id] = true
	}
	g := boost.Group{ID: set + "/" + t.ID}
	var docs []string
	seen := map[string]bool{}
	for _, h := range hits {
		if gold[h.Document] && seen[h.Document] {
			continue
		}
		seen[h.Document] = true
		g.Rows = append(g.Rows, h.Features)
		g.Relevant = append(g.Relevant, gold[h.Document])
		docs = append(docs, h.Document)
	}
	return g, docs
}

// Quality is what a ranking of the candidates is worth, in per cent.
type Quality struct {
	R2, R5, R10, R20 float64
}

// quality scores rankings of the candidates by recall over documents.
func (s *Set) quality(scores [][]float64) Quality {
	var q Quality
	for i, row := range scores {
		order := make([]int, len(row))
		for j := range order {
			order[j] = j
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
		o := eval.Outcome{RankingOnly: true}
		seen := map[string]bool{}
		for _, j := range order {
			if d := s.documents[i][j]; !seen[d] {
				seen[d] = true
				o.Ranking = append(o.Ranking, eval.Ranked{Document: d})
			}
		}
		v := eval.Score(&s.Tasks[i], &o)
		q.R2 += v[eval.Recall2]
		q.R5 += v[eval.Recall5]
		q.R10 += v[eval.Recall10]
		q.R20 += v[eval.Recall20]
	}
	n := float64(len(scores)) / 100
	return Quality{q.R2 / n, q.R5 / n, q.R10 / n, q.R20 / n}
}

// met is the share of supporting documents among the candidates, in per cent:
// what the best ranker could reach.
func (s *Set) met() float64 {
	found, all := 0, 0
	for i, t := range s.Tasks {
		all += len(t.Gold)
		for _, id := range t.Gold {
			if slices.Contains(s.documents[i], id) {
				found++
			}
		}
	}
	return 100 * float64(found) / float64(max(1, all))
}
