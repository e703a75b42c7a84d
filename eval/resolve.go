package eval

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Resolve looks the tasks' gold up in a corpus: it settles which documents state
// each answer, and takes out the tasks whose gold the corpus lacks, which it
// lists in Problems. [Load] does it where a data set brings its own corpus; it
// is for questions that are asked of a collection. Without documents nothing can
// be looked up, and only what the tasks say themselves is settled.
func (d *Dataset) Resolve(documents iter.Seq2[Document, error]) error {
	if documents == nil {
		for i := range d.Tasks {
			d.Tasks[i].settle(nil, false)
		}
		return nil
	}
	for i := range d.Tasks {
		if d.Tasks[i].Case == AnswerStated {
			d.Tasks[i].AnswerIDs = nil // found in another corpus
		}
	}
	needs := newNeeds(d.Tasks)
	count := 0
	for doc, err := range documents {
		if err != nil {
			return err
		}
		count++
		needs.meet(doc)
	}
	if count == 0 {
		return position{file: d.corpusName()}.problem(Empty, "the corpus has no documents")
	}
	kept := d.Tasks[:0]
	for i, t := range d.Tasks {
		if p := needs.missing(&t); p != nil {
			d.Problems = append(d.Problems, *p)
			continue
		}
		t.settle(needs.statedBy(i, &t), true)
		t.Titles = needs.titlesOf(&t)
		kept = append(kept, t)
	}
	d.Tasks = kept
	return nil
}

func (d *Dataset) corpusName() string {
	if d.CorpusFile != "" {
		return d.CorpusFile
	}
	return d.Name
}

// needs is what the tasks want to know of the corpus while it streams by: only
// the documents that are gold of something are looked at.
type needs struct {
	tasks  map[string][]int // document id → the tasks it may be gold of
	words  [][]phrase       // by task; nil where no answer is looked for
	found  map[string]bool
	titles map[string]string
	stated [][]string
}

func newNeeds(tasks []Task) *needs {
	n := &needs{
		tasks:  map[string][]int{},
		words:  make([][]phrase, len(tasks)),
		found:  map[string]bool{},
		titles: map[string]string{},
		stated: make([][]string, len(tasks)),
	}
	for i, t := range tasks {
		if len(t.AnswerIDs) == 0 {
			n.words[i] = phrases(t.Answers)
		}
		g := goldOf(&t)
		for id := range g.covers {
			n.tasks[id] = append(n.tasks[id], i)
			if document, ok := chunkOf(id); ok && g.chunks {
				n.tasks[document] = append(n.tasks[document], i)
			}
		}
	}
	return n
}

func (n *needs) meet(doc Document) {
	wanted := n.tasks[doc.ID]
	if len(wanted) == 0 {
		return
	}
	n.found[doc.ID] = true
	n.titles[doc.ID] = doc.Title
	text := ""
	for _, i := range wanted {
		if len(n.words[i]) == 0 || slices.Contains(n.stated[i], doc.ID) {
			continue
		}
		if text == "" {
			text = normalise(doc.Title + "\n" + doc.Text)
		}
		if slices.ContainsFunc(n.words[i], func(p phrase) bool { return p.in(text) }) {
			n.stated[i] = append(n.stated[i], doc.ID)
		}
	}
}

// statedBy are the gold documents of task i that state its answer. A document
// that was looked at because a fact might name one of its chunks counts only if
// that name turned out to be no document's.
func (n *needs) statedBy(i int, t *Task) []string {
	g := goldOf(t)
	return slices.DeleteFunc(n.stated[i], func(id string) bool {
		if g.has(id) {
			return false
		}
		for fact := range g.covers {
			if document, ok := chunkOf(fact); ok && document == id && !n.found[fact] {
				return false
			}
		}
		return true
	})
}

func (n *needs) titlesOf(t *Task) (titles map[string]string) {
	for _, id := range t.Gold {
		if title := n.titles[id]; title != "" && title != id {
			if titles == nil {
				titles = map[string]string{}
			}
			titles[id] = title
		}
	}
	return titles
}

// missing reports a task with gold that no search could return. One absent
// document is enough: its recall could not reach 1, and a score that can't is
// not comparable with one that can. Of a fact one alternative is enough.
func (n *needs) missing(t *Task) *Problem {
	inside := func(id string) bool {
		document, chunk := chunkOf(id)
		return n.found[id] || chunk && n.found[document]
	}
	var lost []string
	for _, fact := range t.Facts {
		if !slices.ContainsFunc(fact, inside) {
			lost = append(lost, strings.Join(fact, " or "))
		}
	}
	if len(t.Facts) == 0 {
		lost = slices.DeleteFunc(slices.Clone(t.Gold), func(id string) bool { return n.found[id] })
	}
	var p *Problem
	switch {
	case len(lost) > 0:
		p = t.at.problem(GoldOutside, "gold of question %q is not in the corpus: %s", t.ID, list(lost))
	case t.SelfID != "" && slices.Contains(t.Gold, t.SelfID):
		p = t.at.problem(GoldOutside, "gold of question %q is excluded from its own search: %s", t.ID, t.SelfID)
	default:
		return nil
	}
	p.Question = t.ID
	return p
}

// chunkOf returns the document that an id would belong to if it were a chunk's.
// Whether it is one is found by looking the document up.
func chunkOf(id string) (document string, ok bool) {
	i := strings.LastIndexByte(id, '_')
	if i <= 0 || i == len(id)-1 || strings.Trim(id[i+1:], "0123456789") != "" {
		return "", false
	}
	return id[:i], true
}

// list keeps a message to one sentence however much is missing.
func list(ids []string) string {
	const show = 3
	if len(ids) <= show {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:show], ", ") + ", …"
}

// GoldIDs are the ids that the tasks' gold names, each once, in order.
func (d *Dataset) GoldIDs() []string {
	ids := map[string]int{}
	for i := range d.Tasks {
		for id := range goldOf(&d.Tasks[i]).covers {
			ids[id]++
		}
	}
	return sortedKeys(ids)
}

// Rename replaces ids in the tasks' gold by others that stand for the same.
func (d *Dataset) Rename(names map[string]string) {
	to := func(ids []string) {
		for i, id := range ids {
			if name, ok := names[id]; ok {
				ids[i] = name
			}
		}
	}
	for i := range d.Tasks {
		t := &d.Tasks[i]
		to(t.Gold)
		to(t.AnswerIDs)
		for _, fact := range t.Facts {
			to(fact)
		}
		grades := map[string]int{}
		for id, grade := range t.Grades {
			grades[cmp.Or(names[id], id)] = grade
		}
		if len(grades) > 0 {
			t.Grades = grades
		}
	}
}
