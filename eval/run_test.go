package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-search/winnow"
)

// numbered is a data set of n questions, each with one gold document.
func numbered(n int) *Dataset {
	d := &Dataset{Name: "numbered"}
	for i := range n {
		d.Tasks = append(d.Tasks, Task{ID: fmt.Sprint(i), Question: "?", Gold: []string{fmt.Sprint("d", i)}, Hops: 1 + i%3})
	}
	return d
}

// some answers even questions rightly, fails every fifth.
func some(_ context.Context, t Task) (Outcome, error) {
	var i int
	fmt.Sscan(t.ID, &i)
	if i%5 == 4 {
		return Outcome{RankingOnly: true}, errors.New("no answer")
	}
	o := Outcome{RankingOnly: true, Ranking: []Ranked{{Document: "x"}}}
	if i%2 == 0 {
		o.Ranking = append(o.Ranking, Ranked{Document: t.Gold[0]})
	}
	return o, nil
}

func TestRunReportsMeansFailuresAndOrder(t *testing.T) {
	r, err := Run(t.Context(), numbered(10), some, Options{Policy: "p", Model: "m", Concurrency: 3})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "names", []any{r.Dataset, r.Policy, r.Model}, []any{"numbered", "p", "m"})
	equal(t, "counts", []any{r.Questions, r.Failed}, []any{10, 2})
	equal(t, "failures", r.Failures, []Failure{{"4", "no answer"}, {"9", "no answer"}})
	// 0, 2, 6 and 8 are right, at the second place.
	for m, want := range map[Metric]float64{Recall2: 0.4, All5: 0.4, MAP: 0.2} {
		if !near(r.Metrics[m], want) {
			t.Errorf("%s: got %v, want %v", m, r.Metrics[m], want)
		}
	}
	for _, m := range []Metric{Recall, Precision, F1, AnswerFound, TrajectoryRecall, PruneAccuracy, PrunedShare, Abstained, Turns, CallsPerTurn, TokensPerQuestion} {
		if _, ok := r.Metrics[m]; ok {
			t.Errorf("%s applies to a plain ranking", m)
		}
	}
	var ids []string
	for _, q := range r.Results {
		ids = append(ids, q.ID)
	}
	equal(t, "order", ids, strings.Fields("0 1 2 3 4 5 6 7 8 9"))
}

func TestReportDoesNotDependOnConcurrency(t *testing.T) {
	report := func(concurrency int) string {
		r, err := Run(t.Context(), numbered(40), some, Options{Concurrency: concurrency, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Results {
			r.Results[i].Outcome.LatencyMS = 0 // the one thing that time decides
		}
		again := Summarise(r.Results, 3)
		data, err := json.Marshal([]any{again, again.Results})
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if one, eight := report(1), report(8); one != eight {
		t.Errorf("1: %s\n8: %s", one, eight)
	}
}

func TestQuestionsRunConcurrentlyUpToTheBound(t *testing.T) {
	const bound = 4
	var all sync.WaitGroup
	all.Add(bound)
	// Each of the first four waits for the others: with fewer at once this would
	// never end.
	_, err := Run(t.Context(), numbered(bound), func(context.Context, Task) (Outcome, error) {
		all.Done()
		all.Wait()
		return Outcome{}, nil
	}, Options{Concurrency: bound})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLimitTakesTheFirstQuestions(t *testing.T) {
	r, err := Run(t.Context(), numbered(10), some, Options{Limit: 3})
	if err != nil || r.Questions != 3 || r.Results[2].ID != "2" {
		t.Errorf("got %+v, %v", r, err)
	}
	r, err = Run(t.Context(), numbered(2), some, Options{Limit: 3})
	if err != nil || r.Questions != 2 {
		t.Errorf("a limit above the number: got %+v, %v", r, err)
	}
}

func TestNoQuestionsIsAnError(t *testing.T) {
	if _, err := Run(t.Context(), &Dataset{Name: "x"}, some, Options{}); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("got %v", err)
	}
}

func TestProgressCountsEveryQuestion(t *testing.T) {
	var done []int
	var ids []string
	var last Progress
	_, err := Run(t.Context(), numbered(10), some, Options{Concurrency: 4, Progress: func(p Progress) {
		done = append(done, p.Done)
		ids = append(ids, p.Last.ID)
		last = p
	}})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "done", done, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	slices.Sort(ids)
	equal(t, "each once", ids, strings.Fields("0 1 2 3 4 5 6 7 8 9"))
	equal(t, "end", []any{last.Total, last.Failed, last.Left == 0}, []any{10, 2, true})
}

func TestCancelledRunEndsWithItsCauseAndKeepsWhatWasDone(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped by hand")
	var finished []string
	_, err := Run(ctx, numbered(10), func(ctx context.Context, q Task) (Outcome, error) {
		if q.ID == "3" {
			cancel(stop)
			return Outcome{}, ctx.Err()
		}
		return Outcome{}, nil
	}, Options{Progress: func(p Progress) { finished = append(finished, p.Last.ID) }})
	if !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	equal(t, "finished", finished, []string{"0", "1", "2"})
}

func TestReportOfAnAgent(t *testing.T) {
	cost := 0.25
	q, o := example()
	q.Case = AnswerDerived
	o.Tokens, o.CostUSD, o.LatencyMS = 9000, &cost, 40
	first := NewResult(&q, o)
	none := Task{ID: "none", Gold: []string{}}
	second := NewResult(&none, Outcome{Turns: 2, Calls: 2, Tokens: 1000, LatencyMS: 10})
	unknown := Task{ID: "unknown", Unjudged: true}
	third := NewResult(&unknown, Outcome{Turns: 1, Calls: 2, Tokens: 2000, CostUSD: &cost, LatencyMS: 20})

	r := Summarise([]Result{first, second, third}, 1)
	for m, want := range map[Metric]float64{
		Recall: 0.6667, AnswerFound: 0, Abstained: 1, PruneAccuracy: 0.6667, PrunedShare: 0.375,
		Turns: 2.3333, CallsPerTurn: 2, TokensPerQuestion: 4000, LatencyP50: 20, LatencyP95: 40,
	} {
		if !near(r.Metrics[m], want) {
			t.Errorf("%s: got %v, want %v", m, r.Metrics[m], want)
		}
	}
	equal(t, "apart", []any{r.WithoutGold, r.Unjudged, *r.CostUSD}, []any{1, 1, 0.5})
	equal(t, "cases", r.AnswerCases, map[AnswerCase]float64{AnswerDerived: 1})
	if _, ok := r.CI95[Recall]; ok {
		t.Error("one question has an interval")
	}
	if r.CI95[Turns] <= 0 {
		t.Error("three questions have no interval")
	}
}

func TestReportIsTheContractOfTheCommandLine(t *testing.T) {
	d := numbered(4)
	d.Problems = []Problem{{Kind: GoldOutside, File: "q.jsonl", Line: 3, Question: "9", Message: "m"}}
	r, err := Run(t.Context(), d, some, Options{Policy: "bm25"})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields("dataset policy model questions failed run cost_usd metrics ci95") {
		if _, ok := got[key]; !ok {
			t.Errorf("no %q in %s", key, data)
		}
	}
	for _, key := range []string{"metrics", "ci95"} {
		var values map[string]*float64
		if err := json.Unmarshal(got[key], &values); err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(`recall@2 recall@5 recall@10 recall@20 all@5 ndcg@10 map recall precision f1
			answer_found trajectory_recall prune_accuracy pruned_share abstained turns calls_per_turn
			latency_ms_p50 latency_ms_p95 tokens_per_question`) {
			value, ok := values[name]
			if !ok {
				t.Errorf("no %q in %s", name, key)
			}
			if name == "recall" && value != nil {
				t.Errorf("recall of a plain ranking is %v, want null", *value)
			}
		}
		if len(values) != 20 {
			t.Errorf("%s has %d names", key, len(values))
		}
	}
	equal(t, "cost", string(got["cost_usd"]), "null")
	equal(t, "problems", string(got["problems"]), `[{"kind":"gold_outside","file":"q.jsonl","line":3,"question":"9","message":"m"}]`)
}

func TestResultsSurviveJSON(t *testing.T) {
	q, o := example()
	want := NewResult(&q, o)
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "\n") {
		t.Error("a result is more than a line")
	}
	var got Result
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestHitsRankDocuments(t *testing.T) {
	hit := func(doc, chunk string) winnow.Hit {
		return winnow.Hit{Chunk: winnow.Chunk{ID: chunk, Document: doc, Title: "T " + doc, Text: "text of " + chunk, Ordinal: 3}}
	}
	passage := func(chunk string) Passage { return Passage{Chunk: chunk, Ordinal: 3, Text: "text of " + chunk} }
	got := RankHits([]winnow.Hit{hit("b", "b_1"), hit("a", "a_0"), hit("b", "b_0")}, false)
	equal(t, "ranking", got, []Ranked{
		{Document: "b", Title: "T b", Chunks: []string{"b_1", "b_0"}, Passages: []Passage{passage("b_1"), passage("b_0")}},
		{Document: "a", Title: "T a", Chunks: []string{"a_0"}, Passages: []Passage{passage("a_0")}},
	})
	one, two := hit("a", "a_0"), hit("a", "a_0")
	one.Collection, two.Collection = "x", "y"
	if got := RankHits([]winnow.Hit{one, two}, true); len(got) != 2 || got[1].Document != "y:a" || len(got[1].Passages) != 1 {
		t.Errorf("the same id in two collections is ranked %+v", got)
	}
}

func TestARunThatIsStoppedGoesOnWithWhatIsOpen(t *testing.T) {
	d := numbered(10)
	kept := map[string]Result{}
	asked := map[string]int{}
	var mu sync.Mutex
	fails := true
	answer := func(ctx context.Context, task Task) (Outcome, error) {
		mu.Lock()
		defer mu.Unlock()
		if fails && len(asked) == 4 {
			return Outcome{}, &Halt{errors.New("no server answers")}
		}
		asked[task.ID]++
		return some(ctx, task)
	}
	o := Options{Keep: func(r *Result) error { kept[r.ID] = *r; return nil }}
	_, err := Run(t.Context(), d, answer, o)
	var stopped *Stopped
	if !errors.As(err, &stopped) || stopped.Done != 4 || stopped.Total != 10 || len(kept) != 4 {
		t.Fatalf("it ended with %v, and %d results were kept", err, len(kept))
	}
	fails, o.Finished = false, kept
	var progress []Progress
	o.Progress = func(p Progress) { progress = append(progress, p) }
	o.Keep = nil
	r, err := Run(t.Context(), d, answer, o)
	if err != nil || r.Questions != 10 {
		t.Fatalf("%v, %+v", err, r)
	}
	for id, n := range asked {
		if n != 1 {
			t.Errorf("question %s was asked %d times", id, n)
		}
	}
	equal(t, "first progress", []int{progress[0].Done, progress[0].Total}, []int{5, 10})
	whole, err := Run(t.Context(), d, some, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Metric{Recall2, MAP, All5} {
		equal(t, string(m), r.Metrics[m], whole.Metrics[m])
	}
}

func TestWhatIsKeptBoundsARun(t *testing.T) {
	full := errors.New("the disk is full")
	_, err := Run(t.Context(), numbered(5), some, Options{Keep: func(*Result) error { return full }})
	if !errors.Is(err, full) {
		t.Errorf("it ended with %v", err)
	}
	dear := errors.New("too dear")
	n := 0
	_, err = Run(t.Context(), numbered(5), some, Options{Concurrency: 2, Before: func(int) error {
		if n++; n > 3 {
			return dear
		}
		return nil
	}})
	var stopped *Stopped
	if !errors.Is(err, dear) || !errors.As(err, &stopped) || stopped.Done != 3 {
		t.Errorf("it ended with %v", err)
	}
}
