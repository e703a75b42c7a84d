package eval

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Metric names a number of a report. docs/metrics.md defines each.
type Metric string

const (
	Recall2           Metric = "recall@2"
	Recall5           Metric = "recall@5"
	Recall10          Metric = "recall@10"
	Recall20          Metric = "recall@20"
	All5              Metric = "all@5"
	NDCG10            Metric = "ndcg@10"
	MAP               Metric = "map"
	Recall            Metric = "recall"
	Precision         Metric = "precision"
	F1                Metric = "f1"
	AnswerFound       Metric = "answer_found"
	TrajectoryRecall  Metric = "trajectory_recall"
	PruneAccuracy     Metric = "prune_accuracy"
	PrunedShare       Metric = "pruned_share"
	Abstained         Metric = "abstained"
	Turns             Metric = "turns"
	CallsPerTurn      Metric = "calls_per_turn"
	LatencyP50        Metric = "latency_ms_p50"
	LatencyP95        Metric = "latency_ms_p95"
	TokensPerQuestion Metric = "tokens_per_question"

	// What a report tells beside its metrics.
	PeakView        Metric = "peak_view"
	ForcedShare     Metric = "forced_share"
	CostPerQuestion Metric = "cost_usd_per_question"
)

// Metrics returns every metric of a report in its order.
func Metrics() []Metric {
	return append(scored(), Turns, CallsPerTurn, LatencyP50, LatencyP95, TokensPerQuestion)
}

// Further returns what a report tells beside its metrics.
func Further() []Metric { return []Metric{PeakView, ForcedShare, CostPerQuestion} }

// scored are the metrics that each question has a value of, all between 0 and 1.
func scored() []Metric {
	return []Metric{
		Recall2, Recall5, Recall10, Recall20, All5, NDCG10, MAP,
		Recall, Precision, F1, AnswerFound,
		TrajectoryRecall, PruneAccuracy, PrunedShare, Abstained,
	}
}

// Values holds metrics that apply. One that does not has no entry, and is null
// in JSON.
type Values map[Metric]float64

// MarshalJSON writes every metric, in the order of [Metrics].
func (v Values) MarshalJSON() ([]byte, error) { return v.marshal(Metrics()) }

func (v Values) marshal(names []Metric) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(string(name)))
		b.WriteByte(':')
		value, ok := v[name]
		if !ok {
			b.WriteString("null")
			continue
		}
		data, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		b.Write(data)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON leaves out what is null.
func (v *Values) UnmarshalJSON(data []byte) error {
	var all map[Metric]*float64
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*v = Values{}
	for name, value := range all {
		if value != nil {
			(*v)[name] = *value
		}
	}
	return nil
}

// Scores are the metrics of one question.
type Scores Values

// MarshalJSON writes every metric that a question can have.
func (s Scores) MarshalJSON() ([]byte, error) { return Values(s).marshal(scored()) }

// UnmarshalJSON leaves out what is null.
func (s *Scores) UnmarshalJSON(data []byte) error { return (*Values)(s).UnmarshalJSON(data) }
