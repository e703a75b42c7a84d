package page

import (
	"fmt"
	"strings"

	"github.com/winnow-search/winnow/eval"
	"github.com/winnow-search/winnow/eval/compare"
)

// verdict is the page in a sentence or two: which run to take.
type verdict struct {
	Head string
	Text string
}

// judgement says which run is best, whether chance could explain it, and which
// is the cheapest that is not worse.
func judgement(t *compare.Table) verdict {
	m := t.Quality()
	f := formOf(m)
	best := -1
	for i := range t.Runs {
		v, ok := valueOf(&t.Runs[i], m)
		if ok && (best < 0 || v > bestValue(t, best, m)) {
			best = i
		}
	}
	if best < 0 {
		return verdict{"Nothing is judged yet", "Only costs can be compared. winnow judge labels what the runs found."}
	}
	top := &t.Runs[best]
	score := fmt.Sprintf("%s of %s %%", m, f.number(bestValue(t, best, m)))
	if len(t.Runs) == 1 {
		return verdict{fmt.Sprintf("%s: %s", top.Name, score), "One run alone says nothing about another. Add a second to compare."}
	}
	var equal, beaten []string
	cheapest := best
	for i := range t.Runs {
		if i == best {
			continue
		}
		c, err := eval.Compare(t.Runs[i].Results, top.Results, m, 0)
		if err != nil || c.Questions == 0 {
			continue
		}
		if c.P < significant {
			beaten = append(beaten, fmt.Sprintf("%s by %s points (%s)", t.Runs[i].Name, f.number(c.Difference), chance(c.P)))
			continue
		}
		equal = append(equal, t.Runs[i].Name)
		took, timed := t.Runs[i].Metrics[eval.LatencyP50]
		if least, ok := t.Runs[cheapest].Metrics[eval.LatencyP50]; ok && timed && took < least && spent(&t.Runs[i]) <= spent(&t.Runs[cheapest]) {
			cheapest = i
		}
	}
	v := verdict{Head: fmt.Sprintf("%s finds most", top.Name)}
	text := "It has a " + score
	if len(beaten) > 0 {
		text += ", and beats " + list(beaten)
	}
	text += "."
	if len(equal) > 0 {
		v.Head = fmt.Sprintf("%s is ahead, and %s can’t be told apart from it", top.Name, list(equal))
		text += " The rest of the difference could be chance."
	}
	if cheapest != best {
		text += fmt.Sprintf(" %s is the cheapest that is not worse: %s ms against %s ms for a question.", t.Runs[cheapest].Name,
			formOf(eval.LatencyP50).number(t.Runs[cheapest].Metrics[eval.LatencyP50]), formOf(eval.LatencyP50).number(top.Metrics[eval.LatencyP50]))
	}
	v.Text = text
	return v
}

func spent(r *compare.Run) float64 { return r.Further[eval.CostPerQuestion] }

func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
