package main

import (
	"fmt"
	"strings"

	"github.com/winnow-search/winnow"
)

// course is what why --run prints as JSON.
type course struct {
	Run      string `json:"run"`
	Question string `json:"question"`
	*winnow.Course
	// Sentence says it for people.
	Sentence string `json:"sentence"`
}

// whyRun follows a document through a recorded run.
func (c *cli) whyRun(name, question, document string) error {
	kept, err := c.runs()
	if err != nil {
		return err
	}
	id, _, t, broken := record(kept, name)
	if t == nil {
		return broken
	}
	if asked := t.Start().Question; question != "" && strings.TrimSpace(question) != strings.TrimSpace(asked) {
		return usage("the question of the run, or none: "+cut(asked, 80), "the run answers another question than %q", cut(question, 80))
	}
	w := course{Run: id, Question: t.Start().Question, Course: t.Follow(document)}
	w.Sentence = courseSentence(w.Course, t)
	if err := c.printCourse(&w); err != nil {
		return err
	}
	if t.End() == nil {
		c.warn([]string{"the record was cut off before the run's end"})
	}
	if w.Stage != winnow.StageSelected {
		return errNoMatch
	}
	return nil
}

func courseSentence(w *winnow.Course, t *winnow.Trajectory) string {
	name, calls := w.Document, 0
	if w.Collection != "" {
		name = t.Start().Name(w.Collection, w.Document)
	}
	for i := range t.Events {
		if o := t.Events[i].Observation; o != nil {
			calls += len(o.Results)
		}
	}
	place := ""
	if w.Rank > 0 {
		place = fmt.Sprintf("; it is ranked %d", w.Rank)
	}
	switch w.Stage {
	case winnow.StageSelected:
		return name + " was selected" + place
	case winnow.StageNotSelected:
		return name + " was shown and not selected" + place
	case winnow.StagePruned:
		return name + " was shown and pruned, and not selected" + place
	}
	return fmt.Sprintf("%s was never met: it is not in what %s showed", name, plural(calls, "call"))
}

func (c *cli) printCourse(w *course) error {
	if c.json {
		return c.print(w)
	}
	safe := c.outTerminal.safe
	fmt.Fprintln(c.stdout, safe(w.Sentence+"."))
	var rows [][]string
	for _, s := range w.Steps {
		at := fmt.Sprintf("turn %d", s.Turn)
		if s.Rollout > 0 {
			at = fmt.Sprintf("rollout %d, ", s.Rollout) + at
		}
		if s.Turn == 0 {
			at = "all rollouts"
		}
		if s.Call > 0 {
			at += fmt.Sprintf(", call %d", s.Call)
		}
		by := ""
		if s.Tool != "" {
			by = "by " + s.Tool
		}
		if s.Query != "" {
			by += " “" + cut(s.Query, 60) + "”"
		}
		rows = append(rows, []string{"", safe(at), string(s.Kind), safe(strings.Join(s.Chunks, ", ")), safe(by)})
	}
	fmt.Fprint(c.stdout, table(rows, "lllll"))
	if w.Justification != "" {
		fmt.Fprintln(c.stdout, safe("  because "+w.Justification))
	}
	return nil
}
