package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/harmony"
)

// watched records what a policy was shown, as bytes.
type watched struct {
	winnow.Policy
	views []string
}

func (w *watched) Next(ctx context.Context, v *winnow.View) (winnow.Action, error) {
	w.views = append(w.views, asJSON(v))
	return w.Policy.Next(ctx, v)
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// do runs, checks everything that must hold for every run, and returns the
// trajectory.
func do(t *testing.T, o agent.Options) *winnow.Trajectory {
	t.Helper()
	w := &watched{Policy: o.Policy}
	o.Policy = w
	trajectory, err := agent.Do(t.Context(), o)
	if err != nil {
		t.Fatalf("the run did not begin: %v", err)
	}
	check(t, trajectory, w.views)
	return trajectory
}

func check(t *testing.T, trajectory *winnow.Trajectory, views []string) {
	t.Helper()
	var b bytes.Buffer
	if _, err := trajectory.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	read, err := winnow.ReadTrajectory(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if _, err := read.WriteTo(&again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("a trajectory that is read and written is not the same")
	}
	n := 0
	err = agent.Views(read, func(v *winnow.View) error {
		if n < len(views) && asJSON(v) != views[n] {
			got, at := asJSON(v), 0
			for at < min(len(got), len(views[n])) && got[at] == views[n][at] {
				at++
			}
			t.Errorf("turn %d: the view rebuilt from the record is not the one that was shown, from %.80q on", v.Turn, got[at:])
		}
		n++
		checkView(t, v)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	checkEnd(t, trajectory)
	checkAnswer(t, trajectory)
}

func checkView(t *testing.T, v *winnow.View) {
	t.Helper()
	ids := harmony.Render(v)
	if len(ids) != v.Tokens || harmony.Count(v) != v.Tokens {
		t.Errorf("turn %d: the view says %d tokens, and has %d", v.Turn, v.Tokens, len(ids))
	}
	if v.Tokens+v.Budget.Reserve > v.Budget.Tokens {
		t.Errorf("turn %d: %d tokens and a reserve of %d are over the budget of %d", v.Turn, v.Tokens, v.Budget.Reserve, v.Budget.Tokens)
	}
	seen := map[string]bool{}
	v.Chunks(func(p *winnow.Part) {
		id := winnow.QualifiedID(p.Chunk.Collection, p.Chunk.ID)
		if seen[id] {
			t.Errorf("turn %d: chunk %q is twice in the view", v.Turn, id)
		}
		seen[id] = true
	})
	for i, turn := range v.Turns {
		answered := map[int]bool{}
		for _, r := range turn.Results {
			answered[r.Call] = true
			if r.Text() == "" {
				t.Errorf("turn %d: call %d is answered with nothing", i+1, r.Call)
			}
		}
		for c := range turn.Action.Calls {
			if !answered[c] {
				t.Errorf("turn %d: call %d is not answered", i+1, c)
			}
		}
	}
}

func checkEnd(t *testing.T, trajectory *winnow.Trajectory) {
	t.Helper()
	ends := 0
	for i, e := range trajectory.Events {
		if e.End != nil {
			ends++
		}
		if e.Action != nil && len(e.Action.Calls) > 0 {
			answered := slices.ContainsFunc(trajectory.Events[i:], func(f winnow.Event) bool { return f.Observation != nil && f.Turn == e.Turn })
			if !answered {
				t.Errorf("turn %d has no observation", e.Turn)
			}
		}
	}
	end := trajectory.End()
	if ends != 1 || end == nil {
		t.Fatalf("there are %d end events, and the last event is %q", ends, trajectory.Events[len(trajectory.Events)-1].Kind)
	}
	if end.Ranking == nil {
		t.Error("the run ended without a ranking")
	}
	shown := map[string]bool{}
	for _, h := range trajectory.Shown() {
		shown[winnow.QualifiedID(h.Collection, h.ID)] = true
		shown["document "+winnow.QualifiedID(h.Collection, h.Document)] = true
	}
	ranked := map[string]bool{}
	for i, d := range end.Ranking {
		id := winnow.QualifiedID(d.Collection, d.Document)
		if d.Rank != i+1 || ranked[id] || !shown["document "+id] {
			t.Errorf("rank %d, %q: out of place, twice, or never shown", d.Rank, id)
		}
		ranked[id] = true
		for _, c := range d.Chunks {
			if !shown[winnow.QualifiedID(d.Collection, c)] {
				t.Errorf("ranked chunk %q was never shown", c)
			}
		}
	}
}

// text is what the last result of a turn says, as it is recorded.
func texts(trajectory *winnow.Trajectory, turn int) (out []string) {
	for _, e := range trajectory.Events {
		if e.Observation == nil || e.Turn != turn {
			continue
		}
		for _, r := range e.Observation.Results {
			text := ""
			for _, p := range r.Parts {
				if p.Chunk != nil {
					text += "{" + p.Chunk.ID + "}"
				} else {
					text += p.Text
				}
			}
			out = append(out, text)
		}
	}
	return out
}
