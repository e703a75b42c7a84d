// Package compare puts runs side by side: over the same questions, each against
// the first, with what chance alone could explain.
//
// Everything is computed from the run folders, so that runs of different days and
// machines can be compared, and none of their corpora or models is needed. Where
// the questions had no gold, labels make it; runs then score against what the
// pool holds, and the share of their documents that nobody has judged is told.
package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/folder"
	"github.com/winnow-search/winnow/eval/judge"
)

// Table is a comparison. Its JSON form is what `winnow compare --json` prints.
type Table struct {
	Dataset string `json:"dataset"`
	// Questions counts those that all runs have answered.
	Questions int `json:"questions"`
	// Judged says how the gold was come by where it was not given.
	Judged *Judged `json:"judged"`
	// Runs are in the order that they were given; the first is what the others
	// are compared with.
	Runs     []Run    `json:"runs"`
	Warnings []string `json:"warnings"`

	// Tasks are the questions with their gold.
	Tasks []eval.Task `json:"-"`

	book *judge.Book // where gold was not given
	pool *judge.Pool
}

// Judged is what is known of labels.
type Judged struct {
	Questions int      `json:"questions"` // with at least one verdict that settles them
	Open      int      `json:"open"`      // whose gold is still unknown
	Judges    []string `json:"judges"`
}

// Run is one of a comparison.
type Run struct {
	Run     string                  `json:"run"`
	Name    string                  `json:"name"`
	Policy  string                  `json:"policy"`
	Model   string                  `json:"model"`
	Failed  int                     `json:"failed"`
	CostUSD *float64                `json:"cost_usd"`
	Metrics eval.Values             `json:"metrics"`
	CI95    eval.Values             `json:"ci95"`
	Further map[eval.Metric]float64 `json:"further"`
	// Fates are shares of all gold: where it was lost.
	Fates map[eval.Fate]float64 `json:"gold"`
	// Unjudged is the share of its best documents that nobody has judged; nil
	// where gold was given.
	Unjudged *float64 `json:"unjudged_share"`
	// Versus compares it with the first run; empty for that one.
	Versus []eval.Comparison `json:"versus"`

	Results []eval.Result `json:"-"`
	Folder  *folder.Run   `json:"-"`
}

// Of compares runs. Seed is that of intervals and tests.
func Of(runs []*folder.Run, seed uint64) (*Table, error) {
	t := &Table{Dataset: runs[0].Manifest.Setup.Dataset, Warnings: []string{}}
	if err := t.share(runs); err != nil {
		return nil, err
	}
	if err := t.judge(runs); err != nil {
		return nil, err
	}
	for i, r := range runs {
		t.Runs = append(t.Runs, t.score(r, seed))
		of := &t.Runs[i]
		if i > 0 {
			for _, m := range perQuestion() {
				c, err := eval.Compare(t.Runs[0].Results, of.Results, m, seed)
				if err != nil {
					return nil, err
				}
				if c.Questions > 0 {
					of.Versus = append(of.Versus, *c)
				}
			}
		}
	}
	t.tellApart()
	return t, nil
}

// perQuestion are the metrics of which each question has a value.
func perQuestion() []eval.Metric {
	return slices.DeleteFunc(append(eval.Metrics(), eval.Further()...), func(m eval.Metric) bool {
		return m == eval.LatencyP50 || m == eval.LatencyP95 || m == eval.CallsPerTurn
	})
}

// share finds the questions that all runs have answered, and refuses runs that
// have nothing to do with each other.
func (t *Table) share(runs []*folder.Run) error {
	first := runs[0]
	for _, r := range runs[1:] {
		same := 0
		for i := range first.Tasks {
			if of := r.Task(first.Tasks[i].ID); of != nil && of.Question == first.Tasks[i].Question {
				same++
			}
		}
		if same == 0 {
			return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("runs of different data sets can't be compared: %s is of %s, and %s of %s",
				first.Manifest.ID, first.Manifest.Setup.Dataset, r.Manifest.ID, r.Manifest.Setup.Dataset), Hint: "runs over the same questions"}
		}
		if first.Manifest.Setup.Corpus != r.Manifest.Setup.Corpus {
			t.Warnings = append(t.Warnings, fmt.Sprintf("%s and %s searched different states of the corpus", first.Manifest.ID, r.Manifest.ID))
		}
		if first.Manifest.Setup.Winnow != r.Manifest.Setup.Winnow {
			t.Warnings = append(t.Warnings, fmt.Sprintf("%s was made with winnow %s, and %s with %s", first.Manifest.ID, first.Manifest.Setup.Winnow, r.Manifest.ID, r.Manifest.Setup.Winnow))
		}
	}
	most := 0
	answered := map[string]int{}
	for _, r := range runs {
		most = max(most, len(r.Tasks))
		for i := range r.Results {
			if of := first.Task(r.Results[i].ID); of != nil && of.Question == r.Results[i].Question {
				answered[r.Results[i].ID]++
			}
		}
	}
	for i := range first.Tasks {
		if answered[first.Tasks[i].ID] == len(runs) {
			t.Tasks = append(t.Tasks, first.Tasks[i])
		}
	}
	t.Questions = len(t.Tasks)
	if t.Questions == 0 {
		return &winnow.Error{Code: winnow.BadInput, Message: "there is no question that all of these runs have answered", Hint: "winnow eval --resume finishes a run"}
	}
	if t.Questions < most {
		t.Warnings = append(t.Warnings, fmt.Sprintf("only %d of %d questions are compared, those that all runs have answered", t.Questions, most))
	}
	return nil
}

// judge takes gold from labels where it was not given, and from another run
// where that one knew it.
func (t *Table) judge(runs []*folder.Run) error {
	unknown := false
	for i := range t.Tasks {
		of := &t.Tasks[i]
		for _, r := range runs {
			other := r.Task(of.ID)
			if other.Unjudged {
				continue
			}
			if !of.Unjudged && !slices.Equal(sorted(of.Gold), sorted(other.Gold)) {
				return &winnow.Error{Code: winnow.BadInput, Message: fmt.Sprintf("the runs were made with different gold for question %q", of.ID), Hint: "runs over the same questions file"}
			}
			if of.Unjudged {
				*of = *other
			}
		}
		unknown = unknown || of.Unjudged
	}
	if !unknown {
		return nil
	}
	var err error
	if t.book, err = judge.Read(runs); err != nil {
		return err
	}
	if t.pool, err = judge.PoolOf(runs); err != nil {
		return err
	}
	t.Judged = &Judged{Judges: append([]string{}, t.book.Judges()...)}
	gold := map[string]eval.Task{}
	for _, of := range t.pool.Judged(t.book) {
		gold[of.ID] = of
	}
	for i := range t.Tasks {
		if of := &t.Tasks[i]; of.Unjudged {
			if judged, ok := gold[of.ID]; ok {
				*of = judged
			}
			if of.Unjudged {
				t.Judged.Open++
			} else {
				t.Judged.Questions++
			}
		}
	}
	if t.Judged.Questions == 0 {
		t.Warnings = append(t.Warnings, "nothing is judged yet, so that only costs can be compared; winnow judge labels what was found")
	}
	return nil
}

func sorted(ids []string) []string { return slices.Sorted(slices.Values(ids)) }

// score brings the results of a run to the questions of the table.
func (t *Table) score(r *folder.Run, seed uint64) Run {
	s := &r.Manifest.Setup
	of := Run{Run: r.Manifest.ID, Name: s.Name(), Policy: s.Policy, Model: s.Model, Folder: r, Versus: []eval.Comparison{}, Fates: map[eval.Fate]float64{}}
	by := map[string]*eval.Result{}
	for i := range r.Results {
		by[r.Results[i].ID] = &r.Results[i]
	}
	units := 0.0
	for i := range t.Tasks {
		task := &t.Tasks[i]
		result := eval.NewResult(task, by[task.ID].Outcome)
		if len(result.Case) == 0 {
			result.Case = by[task.ID].Case
		}
		of.Results = append(of.Results, result)
		if task.Unjudged {
			continue
		}
		for _, fate := range eval.Fates(task, &result.Outcome) {
			of.Fates[fate]++
			units++
		}
	}
	for fate := range of.Fates {
		of.Fates[fate] /= units
	}
	report := eval.Summarise(of.Results, seed)
	of.Failed, of.CostUSD, of.Metrics, of.CI95, of.Further = report.Failed, report.CostUSD, report.Metrics, report.CI95, report.Further
	if t.Judged != nil {
		share := t.pool.Unjudged(t.book, r)
		of.Unjudged = &share
	}
	return of
}

// tellApart gives runs of the same name different ones.
func (t *Table) tellApart() {
	seen := map[string]int{}
	for i := range t.Runs {
		seen[t.Runs[i].Name]++
	}
	for i := range t.Runs {
		if r := &t.Runs[i]; seen[r.Name] > 1 {
			r.Name = strings.TrimSpace(r.Name + " (" + r.Run + ")")
		}
	}
}

// Quality is the metric that a comparison is about: F1 of what was selected
// where all runs select, else recall@5, which every run has.
func (t *Table) Quality() eval.Metric {
	for _, r := range t.Runs {
		if _, ok := r.Metrics[eval.F1]; !ok {
			return eval.Recall5
		}
	}
	return eval.F1
}
