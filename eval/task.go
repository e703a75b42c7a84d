package eval

import "slices"

// Task is a question with what is known of its gold. Its JSON form is a line of
// questions.jsonl.
type Task struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	// Answers are the accepted wordings of one answer.
	Answers []string `json:"answers,omitempty"`
	// Gold are the supporting documents. Empty means that nothing in the corpus
	// supports an answer, and the right result is an empty one. Where gold is
	// simply not known, Unjudged is set; in JSON supporting_ids is then absent or
	// null.
	Gold     []string `json:"supporting_ids"`
	Unjudged bool     `json:"-"`
	// Titles are those of gold documents that have one, as [Dataset.Resolve] met
	// them: a report can then call what no run has found by its name.
	Titles map[string]string `json:"titles,omitempty"`
	// Grades are degrees of relevance above 0. A gold document without a grade
	// counts 1.
	Grades map[string]int `json:"grades,omitempty"`
	// Facts, where given, are what recall counts instead of documents.
	Facts []Fact `json:"facts,omitempty"`
	// AnswerIDs are the documents or chunks that hold the answer, as flagged by
	// the data set, or found by [Dataset.Resolve].
	AnswerIDs []string   `json:"answer_ids,omitempty"`
	Case      AnswerCase `json:"-"`
	Hops      int        `json:"hops,omitempty"`
	Type      string     `json:"type,omitempty"`
	// SelfID names the document that the question was made from. It must be
	// excluded inside retrieval.
	SelfID string `json:"self_id,omitempty"`

	at position
}

// Fact is a piece of evidence that several places carry: the ids of chunks or
// documents, any one of which is enough.
type Fact []string

// WithoutGold reports whether there is nothing to find.
func (t *Task) WithoutGold() bool {
	return !t.Unjudged && len(t.Gold) == 0 && len(t.Facts) == 0
}

// gold answers which units of recall an id covers. A supporting document is a
// fact with one alternative, so both kinds of gold are scored by one rule.
type gold struct {
	units  int
	covers map[string][]int
	// chunks says that ids may be those of chunks. Only facts name chunks:
	// elsewhere the chunk "a_1" of document "a" must not pass for a document of
	// that name.
	chunks bool
}

func goldOf(t *Task) gold {
	g := gold{covers: map[string][]int{}, chunks: len(t.Facts) > 0}
	for _, fact := range t.Facts {
		for _, id := range distinct(fact) {
			g.covers[id] = append(g.covers[id], g.units)
		}
		g.units++
	}
	for _, id := range distinct(t.Gold) {
		switch _, known := g.covers[id]; {
		case known:
		case len(t.Facts) > 0:
			g.covers[id] = nil // relevant, for precision, but no unit of its own
		default:
			g.covers[id] = []int{g.units}
			g.units++
		}
	}
	return g
}

// has reports whether a document, or where chunks count one of its chunks, is
// gold.
func (g gold) has(document string, chunks ...string) bool {
	if _, ok := g.covers[document]; ok {
		return true
	}
	return g.chunks && slices.ContainsFunc(chunks, func(c string) bool { _, ok := g.covers[c]; return ok })
}

// recall is the share of units that a growing set of documents covers.
type recall struct {
	gold gold
	met  []bool
	n    int
}

func (g gold) recall() *recall { return &recall{gold: g, met: make([]bool, g.units)} }

func (r *recall) add(document string, chunks ...string) {
	r.meet(document)
	if r.gold.chunks {
		for _, c := range chunks {
			r.meet(c)
		}
	}
}

func (r *recall) meet(id string) {
	for _, u := range r.gold.covers[id] {
		if !r.met[u] {
			r.met[u] = true
			r.n++
		}
	}
}

// share is asked for only where there are units.
func (r *recall) share() float64 { return float64(r.n) / float64(r.gold.units) }
