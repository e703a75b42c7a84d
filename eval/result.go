package eval

// Result is one question of a run. It is a line of a run's results file: all
// that a report or a comparison needs of the question, without the data set.
type Result struct {
	ID string `json:"id"`
	// Question is what was asked, for people.
	Question string `json:"question,omitempty"`
	Hops     int    `json:"hops,omitempty"`
	Type     string `json:"type,omitempty"`
	// WithoutGold and Unjudged say why a question has no recall.
	WithoutGold bool       `json:"without_gold,omitempty"`
	Unjudged    bool       `json:"unjudged,omitempty"`
	Case        AnswerCase `json:"answer_case,omitempty"`
	Outcome     Outcome    `json:"outcome"`
	Scores      Scores     `json:"metrics"`
}

// NewResult scores an outcome.
func NewResult(t *Task, o Outcome) Result {
	return Result{
		ID: t.ID, Question: t.Question, Hops: t.Hops, Type: t.Type,
		WithoutGold: t.WithoutGold(), Unjudged: t.Unjudged, Case: t.Case,
		Outcome: o, Scores: Score(t, &o),
	}
}

// value is what a question contributes to a mean. Costs are counted for every
// question that took a turn, the failed ones too: they were paid.
func (r *Result) value(m Metric) (float64, bool) {
	switch m {
	case Turns:
		return float64(r.Outcome.Turns), r.Outcome.Turns > 0
	case TokensPerQuestion:
		return float64(r.Outcome.Tokens), r.Outcome.Turns > 0
	case PeakView:
		return float64(r.Outcome.PeakView), r.Outcome.Turns > 0
	case ForcedShare:
		return truth(r.Outcome.Forced), r.Outcome.Turns > 0
	case CostPerQuestion:
		if r.Outcome.CostUSD == nil {
			return 0, false
		}
		return *r.Outcome.CostUSD, true
	}
	v, ok := r.Scores[m]
	return v, ok
}
