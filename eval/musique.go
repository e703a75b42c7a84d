package eval

// MuSiQue's original file has one question a line with its paragraphs.

type musiqueRecord struct {
	ID         string             `json:"id"`
	Question   string             `json:"question"`
	Answer     string             `json:"answer"`
	Aliases    []string           `json:"answer_aliases"`
	Answerable *bool              `json:"answerable"`
	Paragraphs []musiqueParagraph `json:"paragraphs"`
	Steps      []struct {
		Support *int `json:"paragraph_support_idx"`
	} `json:"question_decomposition"`
}

type musiqueParagraph struct {
	Index int    `json:"idx"`
	Title string `json:"title"`
	Text  string `json:"paragraph_text"`
	// A test split does not say.
	Supporting *bool `json:"is_supporting"`
}

func (p musiqueParagraph) document() Document { return passage(p.Title, p.Text) }

func readMuSiQue(l *loader, path string) error {
	l.Files = append(l.Files, path)
	for r, err := range jsonLines(path) {
		if err != nil {
			return err
		}
		var q musiqueRecord
		if err := r.decode(&q); err != nil {
			return err
		}
		if q.Answerable != nil && !*q.Answerable {
			// Its missing paragraph comes with some other question, so over the
			// union of paragraphs nobody can say that there is nothing to find.
			l.drop(r.position, q.ID, "question %q is unanswerable only from its own paragraphs", q.ID)
			continue
		}
		if err := l.add(r.position, q.task()); err != nil {
			return err
		}
	}
	l.documents = union(jsonLines(path), func(r record) ([]Document, error) {
		var q musiqueRecord
		if err := r.decode(&q); err != nil {
			return nil, err
		}
		docs := make([]Document, len(q.Paragraphs))
		for i, p := range q.Paragraphs {
			docs[i] = p.document()
		}
		return docs, nil
	})
	return nil
}

func (q *musiqueRecord) task() Task {
	t := Task{ID: q.ID, Question: q.Question, Hops: len(q.Steps), Unjudged: true}
	if q.Answer != "" {
		t.Answers = append([]string{q.Answer}, q.Aliases...)
	}
	// The last step's answer is the question's, so its paragraph holds it.
	holder := -1
	if n := len(q.Steps); n > 0 && q.Steps[n-1].Support != nil {
		holder = *q.Steps[n-1].Support
	}
	for _, p := range q.Paragraphs {
		if p.Supporting == nil {
			continue
		}
		t.Unjudged = false
		if !*p.Supporting {
			continue
		}
		id := p.document().ID
		t.Gold = append(t.Gold, id)
		if p.Index == holder {
			t.AnswerIDs = []string{id}
		}
	}
	return t
}
