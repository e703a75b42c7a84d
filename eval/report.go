package eval

// Report sums up a run: the object that `winnow eval --json` prints.
type Report struct {
	Dataset string `json:"dataset"`
	Policy  string `json:"policy"`
	Model   string `json:"model"`
	// Questions counts all that were asked, Failed those that ended in an error
	// and count as 0.
	Questions int `json:"questions"`
	Failed    int `json:"failed"`
	// Run names the run folder, where there is one.
	Run string `json:"run"`
	// CostUSD is the sum of known costs; nil where none is known.
	CostUSD *float64 `json:"cost_usd"`
	Metrics Values   `json:"metrics"`
	// CI95 are half-widths of 95 % bootstrap intervals.
	CI95 Values `json:"ci95"`
	// Further are the means of what is worth knowing beside the metrics; what
	// does not apply is absent.
	Further map[Metric]float64 `json:"further"`

	// WithoutGold and Unjudged count questions that have no recall: nothing to
	// find, and not known what.
	WithoutGold int `json:"without_gold"`
	Unjudged    int `json:"unjudged"`
	// AnswerCases are the shares of the rules by which answer_found was decided.
	AnswerCases map[AnswerCase]float64 `json:"answer_cases"`
	Failures    []Failure              `json:"failures"`
	// Problems are those of the data set: what was not asked at all.
	Problems []Problem `json:"problems"`

	Results []Result `json:"-"`
}

// Failure is a question that ended in an error.
type Failure struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// Summarise computes the report of results; the names in it are the caller's to
// set. Equal results and seed give an equal report.
func Summarise(results []Result, seed uint64) *Report {
	r := &Report{
		Questions:   len(results),
		Metrics:     Values{},
		CI95:        Values{},
		Further:     map[Metric]float64{},
		AnswerCases: map[AnswerCase]float64{},
		Failures:    []Failure{},
		Problems:    []Problem{},
		Results:     results,
	}
	cost, answers := 0.0, 0.0
	for i := range results {
		q := &results[i]
		if q.Outcome.Error != "" {
			r.Failures = append(r.Failures, Failure{q.ID, q.Outcome.Error})
		}
		if q.WithoutGold {
			r.WithoutGold++
		}
		if q.Unjudged {
			r.Unjudged++
		}
		if q.Outcome.CostUSD != nil {
			cost += *q.Outcome.CostUSD
			r.CostUSD = &cost
		}
		if _, ok := q.Scores[AnswerFound]; ok {
			r.AnswerCases[q.Case]++
			answers++
		}
	}
	for c := range r.AnswerCases {
		r.AnswerCases[c] /= answers
	}
	r.Failed = len(r.Failures)
	// Metrics that apply to equally many questions share the drawing of these.
	names, alike := map[int][]Metric{}, map[int][]estimate{}
	for _, m := range Metrics() {
		e := estimateOf(m, results)
		if e.n == 0 {
			continue
		}
		r.Metrics[m] = e.point()
		if e.n > 1 {
			names[e.n], alike[e.n] = append(names[e.n], m), append(alike[e.n], e)
		}
	}
	for n, all := range alike {
		for i, half := range intervals(all, seed) {
			r.CI95[names[n][i]] = half
		}
	}
	for _, m := range Further() {
		if e := estimateOf(m, results); e.n > 0 {
			r.Further[m] = e.point()
		}
	}
	return r
}

func estimateOf(m Metric, results []Result) estimate {
	var values, turns []float64
	for i := range results {
		q := &results[i]
		switch m {
		case LatencyP50, LatencyP95:
			if !q.Outcome.Untimed {
				values = append(values, q.Outcome.LatencyMS)
			}
		case CallsPerTurn:
			if q.Outcome.Turns > 0 {
				values = append(values, float64(q.Outcome.Calls))
				turns = append(turns, float64(q.Outcome.Turns))
			}
		default:
			if v, ok := q.value(m); ok {
				values = append(values, v)
			}
		}
	}
	switch m {
	case LatencyP50:
		return percentile(values, 50)
	case LatencyP95:
		return percentile(values, 95)
	case CallsPerTurn:
		return ratio(values, turns)
	}
	return mean(values)
}
