package main

import (
	"context"
	"fmt"
	"slices"
	"syscall"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/bench/corpus"
	"github.com/winnow-search/winnow/policy/scripted"
	"github.com/winnow-search/winnow/token"
)

// agentSize says how much the agent's benchmark measures.
type agentSize struct {
	passages int // in the collection that the rollouts search
	rollouts int // at the same time
	runs     int // of each row of the table of turns
}

// loop measures what the loop itself costs: the processor's time of a turn
// without policy and corpus, and many runs at once over one collection.
func loop(ctx context.Context, quick bool, r *report) error {
	size := agentSize{passages: 100_000, rollouts: 1024, runs: 40}
	if quick {
		size = agentSize{passages: 50_000, rollouts: 256, runs: 10}
	}
	texts, err := corpus.Open(size.passages)
	if err != nil {
		return err
	}
	if err := turns(ctx, r, size, texts); err != nil {
		return err
	}
	return rollouts(ctx, r, size, texts)
}

const (
	earlyTurn, lateTurn = 6, 60
	// fullView is where the script begins to prune: what remains is the reply's
	// and the next results'.
	fullView = 25_000
)

// turns measures turns that bring different numbers of chunks into a view that is
// full, and prune as many: early in a run and late.
func turns(ctx context.Context, r *report, size agentSize, texts *corpus.Corpus) error {
	hits, err := cannedHits(texts, 8_000)
	if err != nil {
		return err
	}
	progress("turns")
	rows := []string{fmt.Sprintf("new chunks\tnew tokens\tview at turn %d\tµs at turn %d\tµs at turn %d\tratio", lateTurn, earlyTurn, lateTurn)}
	for _, searches := range []int{1, 2, 4} {
		var t turnTimes
		for range size.runs {
			if err := t.run(ctx, hits, searches); err != nil {
				return err
			}
		}
		early, late := t.mean(earlyTurn), t.mean(lateTurn)
		rows = append(rows, fmt.Sprintf("%d\t%d\t%d\t%.0f\t%.0f\t%.2f", 10*searches, t.brought/t.runs, t.view, early, late, late/early))
		if searches == 2 {
			r.figure("turn_overhead_us", late)
			r.figure("turn60_vs_turn6", late/early)
		}
	}
	r.table("A turn of the agent without policy and corpus, processor time", rows...)
	return nil
}

// turnTimes adds up what the turns of runs cost.
type turnTimes struct {
	runs    int
	spent   [lateTurn + 3]float64 // µs, by turn
	brought int                   // tokens new in the late turn
	view    int                   // tokens at the late turn
}

// mean is the cost of a turn, taken together with those beside it.
func (t *turnTimes) mean(turn int) float64 {
	return (t.spent[turn-1] + t.spent[turn] + t.spent[turn+1]) / float64(3*t.runs)
}

func (t *turnTimes) run(ctx context.Context, hits []winnow.Hit, searches int) error {
	t.runs++
	var left float64 // processor time when the policy last answered
	policy := scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
		if v.Turn > 1 {
			t.spent[v.Turn-1] += cpuTime() - left
		}
		defer func() { left = cpuTime() }()
		if v.Turn == len(t.spent) {
			return scripted.Answer(), nil
		}
		if v.Turn == lateTurn {
			t.view = v.Tokens
			for _, r := range v.Turns[len(v.Turns)-1].Results {
				for _, p := range r.Parts {
					if p.Chunk != nil {
						t.brought += p.Chunk.Tokens
					}
				}
			}
		}
		return searching(v, slices.Repeat([]string{"when was it founded, and where"}, searches)...), nil
	})
	o := agent.Options{Question: "Which of the two was founded first?", Corpus: canned{hits: hits}, Policy: policy, MaxTurns: len(t.spent)}
	for e, err := range agent.Run(ctx, o) {
		if err != nil {
			return err
		}
		if e.End != nil && e.End.Ended != winnow.Concluded {
			return fmt.Errorf("a run ended as %s: %v", e.End.Ended, e.End.Warnings)
		}
	}
	return nil
}

// searching is an action of searches. Where the view is full, it prunes as many
// chunks as they will bring, the oldest first.
func searching(v *winnow.View, queries ...string) winnow.Action {
	a := winnow.Action{Reasoning: "The founding of the first is known. Of the second there is only a hint so far."}
	if v.Tokens > fullView {
		var old []string
		v.Chunks(func(p *winnow.Part) { old = append(old, p.Name()) })
		a.Calls = append(a.Calls, scripted.Call("prune_chunks", map[string]any{"chunk_ids": old[:min(len(old), 10*len(queries))]}))
	}
	for _, q := range queries {
		a.Calls = append(a.Calls, scripted.Search(q))
	}
	return a
}

// canned answers every search with passages of its own, in no time.
type canned struct {
	winnow.Corpus
	hits []winnow.Hit
}

func (c canned) Search(_ context.Context, q winnow.Query) (*winnow.Results, error) {
	from := len(q.Scope.ExcludeChunks)
	return &winnow.Results{Hits: c.hits[from:min(from+q.K, len(c.hits))]}, nil
}

func cannedHits(texts *corpus.Corpus, n int) ([]winnow.Hit, error) {
	var hits []winnow.Hit
	for p, err := range texts.Passages(n) {
		if err != nil {
			return nil, err
		}
		hits = append(hits, winnow.Hit{Chunk: winnow.Chunk{ID: winnow.ChunkID(p.ID, 0), Document: p.ID, Title: p.Title, Text: p.Text,
			Tokens: token.Count(p.Text), Lines: [2]int{1, 1}}})
	}
	return hits, nil
}

// cpuTime is what the process has used of the processors, in µs: unlike the
// clock it does not see what else the machine does.
func cpuTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // there is no other way for it to fail than a wrong argument
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e3
}
