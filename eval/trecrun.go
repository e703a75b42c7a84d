package eval

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WriteRun writes rankings as a TREC run file: question, Q0, document, rank,
// score, tag. Columns are parted by tabs, because ids may hold spaces. Tools that
// read such files sort by score, so the score counts down with the rank: the
// order of the policy is what counts.
func WriteRun(w io.Writer, tag string, results []Result) error {
	out := bufio.NewWriter(w)
	for i := range results {
		docs := byDocument(results[i].Outcome.Ranking)
		for rank, d := range docs {
			line := []string{results[i].ID, "Q0", d.Document, strconv.Itoa(rank + 1), strconv.Itoa(len(docs) - rank), tag}
			for _, column := range line {
				if column == "" || strings.ContainsAny(column, "\t\r\n") || strings.TrimSpace(column) != column {
					return fmt.Errorf("the id or tag %q can't stand in a run file: it is empty or has white space at its ends or tabs", column)
				}
			}
			out.WriteString(strings.Join(line, "\t") + "\n")
		}
	}
	return out.Flush()
}

// ReadRun reads a TREC run file into one outcome a question, ready to be scored.
// Documents are in order of score, and in that of the file where scores are
// equal. The outcomes only rank.
func ReadRun(path string) (map[string]Outcome, error) {
	type entry struct {
		document string
		score    float64
	}
	entries := map[string][]entry{}
	seen := map[[2]string]bool{}
	for l, err := range textLines(path) {
		if err != nil {
			return nil, err
		}
		f := columns(l.text)
		if len(f) != 6 {
			return nil, l.problem(Malformed, "a line of a run has 6 columns, this one has %d", len(f))
		}
		score, err := strconv.ParseFloat(f[4], 64)
		if err != nil || score != score {
			return nil, l.problem(Malformed, "the score %q is not a number", f[4])
		}
		if key := [2]string{f[0], f[2]}; seen[key] {
			return nil, l.problem(Duplicate, "document %q is ranked twice for question %q", f[2], f[0])
		} else {
			seen[key] = true
		}
		entries[f[0]] = append(entries[f[0]], entry{f[2], score})
	}
	if len(entries) == 0 {
		return nil, position{file: path}.problem(Empty, "the run is empty")
	}
	outcomes := make(map[string]Outcome, len(entries))
	for id, list := range entries {
		slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(b.score, a.score) })
		o := Outcome{RankingOnly: true, Untimed: true}
		for _, e := range list {
			o.Ranking = append(o.Ranking, Ranked{Document: e.document})
		}
		outcomes[id] = o
	}
	return outcomes, nil
}
