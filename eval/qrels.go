package eval

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// qrels are relevance judgements by question, in the order of the file.
type qrels struct {
	order  []string
	grades map[string]map[string]int
}

// readQrels reads judgements in TREC's four columns (question, iteration,
// document, grade) or BEIR's three (question, document, grade, with a header).
func readQrels(path string) (*qrels, error) {
	q := &qrels{grades: map[string]map[string]int{}}
	for l, err := range textLines(path) {
		if err != nil {
			return nil, err
		}
		f := columns(l.text)
		if len(f) != 3 && len(f) != 4 {
			return nil, l.problem(Malformed, "a judgement has 3 or 4 columns, this line has %d", len(f))
		}
		question, document := f[0], f[len(f)-2]
		grade, err := strconv.Atoi(f[len(f)-1])
		if err != nil && l.line == 1 && len(f) == 3 {
			continue // BEIR's header
		}
		if err != nil {
			return nil, l.problem(Malformed, "the grade %q is not a whole number", f[len(f)-1])
		}
		if q.grades[question] == nil {
			q.order = append(q.order, question)
			q.grades[question] = map[string]int{}
		}
		if before, judged := q.grades[question][document]; judged && before != grade {
			return nil, l.problem(Duplicate, "document %q is judged twice for question %q, as %d and as %d", document, question, before, grade)
		}
		q.grades[question][document] = grade
	}
	return q, nil
}

// task makes a task of a judged question: gold is what has a grade above 0.
func (q *qrels) task(id, question string) Task {
	grades := positive(q.grades[id])
	return Task{ID: id, Question: question, Gold: sortedKeys(grades), Grades: grades}
}

// missing lists judged questions whose text was not found.
func (q *qrels) missing(l *loader, path string) {
	for _, id := range q.order {
		if _, ok := l.seen[id]; !ok {
			l.drop(position{file: path}, id, "question %q is judged, but its text is missing", id)
		}
	}
}

// columns splits at tabs where there are any, so that ids may hold spaces, and
// at white space elsewhere.
func columns(line string) []string {
	if strings.Contains(line, "\t") {
		return strings.Split(line, "\t")
	}
	return strings.Fields(line)
}

func positive(grades map[string]int) map[string]int {
	kept := map[string]int{}
	for id, g := range grades {
		if g > 0 {
			kept[id] = g
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

func sortedKeys(grades map[string]int) []string { return slices.Sorted(maps.Keys(grades)) }
