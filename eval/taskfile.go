package eval

import (
	"iter"
	"maps"
	"slices"
	"strings"
)

// Generated task files in the shape of the public pipeline: a folder of JSON
// files, one per seed, each with the levels of one chain. A chain is one task:
// its question is that of all levels, its gold what all of them rest on, and its
// answer that of the last.

type taskFile struct {
	Tasks []taskLevel `json:"tasks"`
}

type taskLevel struct {
	Level       int               `json:"level"`
	Clues       string            `json:"clues"`
	Question    string            `json:"question"`
	Truth       string            `json:"truth"`
	TruthType   string            `json:"truth_type"`
	Supporting  []taskItem        `json:"supporting_items"`
	Bridging    *taskItem         `json:"bridging_item"`
	Contents    map[string]string `json:"items_and_contents"`
	Distractors map[string]string `json:"distractors_and_contents"`
	Filtered    []taskItem        `json:"filtered_distractors"`
	Passed      bool              `json:"passed_verification"`
	Reasons     []string          `json:"failure_reasons"`
}

type taskItem struct {
	ID          string     `json:"id"`
	HoldsAnswer bool       `json:"contains_truth"`
	Additional  []taskItem `json:"additional_chunks"`
}

func readTasks(l *loader, path string) error {
	files := []string{path}
	if l.folder {
		files = matching(path, "*.json")
	}
	l.Files = append(l.Files, files...)
	pages := pages{}
	var distractors []map[string]string
	answering := map[string]bool{} // distractors that turned out to hold an answer
	for _, file := range files {
		r, err := jsonObject(file)
		if err != nil {
			return err
		}
		var f taskFile
		if err := r.decode(&f); err != nil {
			return err
		}
		id := title(file, false)
		t, reason := f.task(id)
		if reason != "" {
			l.drop(position{file: file}, id, "%s", reason)
		} else if err := l.add(position{file: file}, t); err != nil {
			return err
		}
		for _, level := range f.Tasks {
			pages.add(level.Contents, nil)
			distractors = append(distractors, level.Distractors)
			for _, item := range level.Filtered {
				answering[item.ID] = true
			}
		}
	}
	for _, d := range distractors {
		pages.add(d, answering)
	}
	l.documents = pages.documents()
	return nil
}

// task takes the levels up to the first that did not pass: a level rests on
// those before it.
func (f *taskFile) task(id string) (t Task, reason string) {
	levels := slices.Clone(f.Tasks)
	slices.SortStableFunc(levels, func(a, b taskLevel) int { return a.Level - b.Level })
	if failed := slices.IndexFunc(levels, func(v taskLevel) bool { return !v.Passed }); failed >= 0 {
		if failed == 0 {
			return t, strings.TrimSuffix("the task did not pass verification: "+strings.Join(levels[0].Reasons, "; "), ": ")
		}
		levels = levels[:failed]
	}
	if len(levels) == 0 {
		return t, "the file has no tasks"
	}
	last := levels[len(levels)-1]
	t = Task{ID: id, Type: last.TruthType, Hops: len(levels)}
	if last.Truth != "" {
		t.Answers = []string{last.Truth}
	}
	var parts []string
	for i, level := range levels {
		parts = append(parts, strings.TrimSpace(level.Clues+"\n"+level.Question))
		items := level.Supporting
		if level.Bridging != nil && level.Bridging.ID != "" {
			items = append([]taskItem{*level.Bridging}, items...)
		}
		for _, item := range items {
			t.Gold = append(t.Gold, item.ID)
			fact := Fact{item.ID}
			for _, other := range item.Additional {
				fact = append(fact, other.ID)
			}
			t.Facts = append(t.Facts, fact)
			if item.HoldsAnswer && i == len(levels)-1 {
				t.AnswerIDs = append(t.AnswerIDs, fact...)
			}
		}
	}
	t.Question = strings.Join(parts, "\n\n")
	if !slices.ContainsFunc(t.Facts, func(f Fact) bool { return len(f) > 1 }) {
		t.Facts = nil // no alternatives: the documents say it all
	}
	return t, ""
}

// pages are texts by id, in parts. Pages are cut differently from task to task,
// so what one task quotes may be missing in another's copy of the same page. The
// texts are held in memory: such sets are small beside the benchmarks, and a
// join needs all parts.
type pages map[string][]string

func (p pages) add(texts map[string]string, except map[string]bool) {
	for id, text := range texts {
		if !except[id] && !slices.Contains(p[id], text) {
			p[id] = append(p[id], text)
		}
	}
}

func (p pages) documents() iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for _, id := range slices.Sorted(maps.Keys(p)) {
			if !yield(Document{ID: id, Text: strings.Join(p[id], "\n\n")}, nil) {
				return
			}
		}
	}
}
