package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-search/winnow"
)

// turn is a run's first turn: a start, two calls and what came of them.
func turn(rollout int) []winnow.Event {
	return []winnow.Event{
		{Rollout: rollout, Start: &winnow.Start{Budget: winnow.Budget{Tokens: 32768, Soft: 16384, Hard: 24576}}},
		{Rollout: rollout, Turn: 1, Action: &winnow.Action{Reasoning: "Two\nangles.", Calls: []winnow.Call{{Tool: "multi_tool_use",
			Arguments: `[{"tool_name": "search_corpus", "parameters": {"query": "x"}}, {"tool_name": "read_document", "parameters": {"doc_id": "a.md"}}]`}}}},
		{Rollout: rollout, Turn: 1, Observation: &winnow.Observation{Used: 18000, Results: []winnow.Result{
			{Tool: "search_corpus", Query: "x", Parts: []winnow.Part{{Chunk: &winnow.Hit{Chunk: winnow.Chunk{Document: "b.md", Title: "\x1b[31mB"}}}}},
			{Tool: "read_document", Code: winnow.NotFound, Parts: []winnow.Part{{Text: "Error: no such document."}}},
		}}},
	}
}

func TestALiveRunIsLinesAndAStatusThatGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		l := (&cli{stderr: &screen, errTerminal: terminal{columns: 80}}).startTelling(true)
		events := turn(0)
		l.tell(&events[0])
		l.tell(&events[1])
		time.Sleep(time.Second)
		l.tell(&events[2])
		time.Sleep(time.Second)
		l.tell(&winnow.Event{Turn: 2, End: &winnow.End{Ended: winnow.Concluded}})
		l.stop()
		var stays []string
		for line := range strings.Lines(screen.String()) {
			drawn := strings.Split(line, "\x1b[K")
			stays = append(stays, strings.TrimSpace(drawn[len(drawn)-1]))
		}
		want := []string{
			"turn 1  thought: Two angles.",
			"turn 1  search_corpus x: 1 passage of 1 document: \uFFFD[31mB",
			"turn 1  read_document a.md: Error: no such document.",
			"turn 1  ━━━━━━━━━━━━━━━━│───────┃─────── 18,000 of 32,768 tokens used",
			"turn 2  concluded, 0 documents",
			"",
		}
		if got := strings.Join(stays, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("what stays is\n%s\nnot\n%s", got, strings.Join(want, "\n"))
		}
		for _, status := range []string{"\rsearching, ", "\rthinking, "} {
			if !strings.Contains(screen.String(), status) {
				t.Errorf("it never says %q", status)
			}
		}
	})
}

func TestRolloutsShareTheStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		l := (&cli{stderr: &screen, errTerminal: terminal{columns: 80}}).startTelling(true)
		for _, rollout := range []int{1, 2} {
			for _, e := range turn(rollout)[:rollout+1] { // the second has its results already
				l.tell(&e)
			}
		}
		time.Sleep(time.Second)
		l.stop()
		if !strings.Contains(screen.String(), "2 rollouts going on, 1 of them thinking") || !strings.Contains(screen.String(), "rollout 2, turn 1  search_corpus") {
			t.Errorf("it draws %q", screen.String())
		}
	})
}

func TestWithoutATerminalOnlyModelsAreToldOf(t *testing.T) {
	for _, c := range []struct {
		asks, quiet bool
		want        int
	}{{true, false, 4}, {false, false, 0}, {true, true, 0}} {
		var log bytes.Buffer
		l := (&cli{stderr: &log, quiet: c.quiet}).startTelling(c.asks)
		for _, e := range turn(0) {
			l.tell(&e)
		}
		l.stop()
		if got := strings.Count(log.String(), "\n"); got != c.want || strings.ContainsAny(log.String(), "\r━") {
			t.Errorf("%+v prints %q", c, log.String())
		}
	}
}
