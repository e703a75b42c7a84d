package agent_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/policy/scripted"
)

func TestRolloutsAreFusedByRank(t *testing.T) {
	answers := [][]string{{"d01", "d00"}, {"d00"}, {"d02", "d00"}, {}}
	var want string
	for range 3 {
		m := small()
		m.jitter = true
		var last winnow.Event
		ends := 0
		for e, err := range agent.Rollouts(t.Context(), len(answers), func(i int) agent.Options {
			o := options(m, scripted.Calls(scripted.Search("river market note")), scripted.Answer(answers[i]...))
			o.Seed = uint64(i)
			return o
		}) {
			if err != nil {
				t.Fatal(err)
			}
			last = e
			if e.End != nil && e.Rollout == 0 {
				ends++
			}
		}
		if ends != 1 || last.End == nil {
			t.Fatalf("%d ends of the stream", ends)
		}
		// d00: 1/62 + 1/61 + 1/62; d01 and d02: 1/61 each, so by id.
		var got []string
		for _, d := range last.End.Ranking.Selected() {
			got = append(got, d.Document)
		}
		if !slices.Equal(got, []string{"d00", "d01", "d02"}) {
			t.Errorf("got %v", got)
		}
		if last.End.Turns != 8 || last.End.Calls != 4 {
			t.Errorf("got %+v", last.End)
		}
		if now := asJSON(last); want != "" && now != want {
			t.Errorf("the fusion depends on timing")
		} else {
			want = now
		}
	}
}

func TestARolloutThatCanNotBeginIsAnError(t *testing.T) {
	events := 0
	for _, err := range agent.Rollouts(t.Context(), 3, func(int) agent.Options { return agent.Options{Policy: scripted.New()} }) {
		events++
		if winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("got %v", err)
		}
	}
	if events != 1 {
		t.Errorf("%d events", events)
	}
}

func TestFusionSelectsFirstAndDoesNotDependOnTheOrderOfRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 200 {
		ends := make([]*winnow.End, 1+r.IntN(4))
		for i := range ends {
			ends[i] = &winnow.End{Ended: winnow.Concluded}
			selected := r.IntN(4)
			for rank, d := range r.Perm(r.IntN(8)) {
				ends[i].Ranking = append(ends[i].Ranking, winnow.Ranked{Rank: rank + 1, Document: fmt.Sprint("d", d), Selected: rank < selected})
			}
		}
		order := func(e *winnow.End) (ids []string) {
			for i, d := range e.Ranking {
				if d.Rank != i+1 || i > 0 && d.Selected && !e.Ranking[i-1].Selected {
					t.Fatalf("out of order: %+v", e.Ranking)
				}
				ids = append(ids, fmt.Sprint(d.Document, d.Selected))
			}
			return ids
		}
		a := order(agent.Fuse(ends))
		slices.Reverse(ends)
		if b := order(agent.Fuse(ends)); !slices.Equal(a, b) {
			t.Fatalf("%v and %v", a, b)
		}
	}
}
