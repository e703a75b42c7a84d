package winnow

import (
	"encoding/json"
	"slices"
	"strings"
)

// Course is what became of a document in a run.
type Course struct {
	Collection string `json:"collection"`
	Document   string `json:"document"`
	Stage      Stage  `json:"stage"`
	// Rank is its place in the run's ranking, 0 if it has none.
	Rank          int    `json:"rank"`
	Justification string `json:"justification"`
	// Steps are what happened to it, in order.
	Steps []Step `json:"steps"`
}

// Stage is how far a document came.
type Stage string

const (
	StageNeverMet    Stage = "never_met"    // no call showed it
	StagePruned      Stage = "pruned"       // all that was shown of it was pruned
	StageNotSelected Stage = "not_selected" // it was in view at the end
	StageSelected    Stage = "selected"     // it is in the answer, pruned or not
)

// Step is something that happened to a document in a turn.
type Step struct {
	Kind    StepKind `json:"step"`
	Rollout int      `json:"rollout,omitempty"`
	Turn    int      `json:"turn"`
	// Call counts the calls of the turn from 1; 0 is none of them.
	Call int    `json:"call,omitempty"`
	Tool string `json:"tool,omitempty"`
	// Query is what the call looked for.
	Query  string   `json:"query,omitempty"`
	Chunks []string `json:"chunks"`
}

// StepKind names what happened.
type StepKind string

const (
	StepShown    StepKind = "shown"
	StepPruned   StepKind = "pruned"
	StepRestored StepKind = "restored"
	StepSelected StepKind = "selected"
)

// Follow tells the course of a document. The name is its id, qualified or not,
// its path, or the id of a chunk of it; of several that bear it, the one that was
// shown first is meant.
func (t *Trajectory) Follow(name string) *Course {
	c := &Course{Document: name, Stage: StageNeverMet, Steps: []Step{}}
	shown := t.Shown()
	i := slices.IndexFunc(shown, func(h *Hit) bool { return name == h.Document || name == QualifiedID(h.Collection, h.Document) })
	if i < 0 {
		i = slices.IndexFunc(shown, func(h *Hit) bool {
			return name == h.Path || name == h.ID || name == QualifiedID(h.Collection, h.ID)
		})
	}
	if i < 0 {
		return c
	}
	c.Collection, c.Document = shown[i].Collection, shown[i].Document
	f := follower{Course: c, start: t.Start(), actions: map[int]*Action{}, states: map[inRollout]*state{}}
	for i := range t.Events {
		f.take(&t.Events[i])
	}
	c.Stage = f.stage(t.End())
	return c
}

// follower follows a document through the events.
type follower struct {
	*Course
	start   *Start
	actions map[int]*Action      // the last of each rollout
	states  map[inRollout]*state // of its chunks, by name
}

type inRollout struct {
	rollout int
	chunk   string
}

type state struct {
	id, handle string
	pruned     bool
}

func (f *follower) take(e *Event) {
	switch {
	case e.Action != nil:
		f.actions[e.Rollout] = e.Action
	case e.Prune != nil:
		f.prune(e)
	case e.Observation != nil:
		for i := range e.Observation.Results {
			f.show(e, &e.Observation.Results[i])
		}
	case e.End != nil:
		if d := f.ranked(e.End); d != nil && d.Selected {
			f.Steps = append(f.Steps, Step{Kind: StepSelected, Rollout: e.Rollout, Turn: e.Turn, Chunks: d.Chunks})
		}
	}
}

func (f *follower) show(e *Event, r *Result) {
	step := Step{Kind: StepShown, Rollout: e.Rollout, Turn: e.Turn, Call: r.Call + 1, Tool: r.Tool, Query: r.Query}
	for _, p := range r.Parts {
		if p.Chunk == nil || p.Chunk.Collection != f.Collection || p.Chunk.Document != f.Document {
			continue
		}
		key := inRollout{e.Rollout, f.start.Name(p.Chunk.Collection, p.Chunk.ID)}
		if s := f.states[key]; s != nil && s.pruned {
			step.Kind = StepRestored
		}
		f.states[key] = &state{id: p.Chunk.ID, handle: p.Handle}
		step.Chunks = append(step.Chunks, p.Chunk.ID)
	}
	if len(step.Chunks) > 0 {
		f.Steps = append(f.Steps, step)
	}
}

func (f *follower) prune(e *Event) {
	step := Step{Kind: StepPruned, Rollout: e.Rollout, Turn: e.Turn}
	for _, name := range e.Prune.Chunks {
		s := f.states[inRollout{e.Rollout, name}]
		if s == nil {
			continue
		}
		s.pruned = true
		step.Chunks = append(step.Chunks, s.id)
		if step.Call == 0 {
			step.Call, step.Tool = f.pruner(f.actions[e.Rollout], name, s), pruneTool
		}
	}
	if len(step.Chunks) > 0 {
		f.Steps = append(f.Steps, step)
	}
}

// pruneTool is the tool that prunes, called by itself or in a batch.
const pruneTool = "prune_chunks"

// pruner is the first call of an action that prunes a chunk, from 1, by the
// narrowest name it is called by. The event unites all prunes of a turn, so the
// calls are asked.
func (f *follower) pruner(a *Action, name string, s *state) (call int) {
	if a == nil {
		return 0
	}
	for _, by := range []string{s.handle, name, s.id, f.start.Name(f.Collection, f.Document), f.Document} {
		quoted, err := json.Marshal(by)
		if err != nil || by == "" {
			continue
		}
		for i, c := range a.Calls {
			prunes := strings.Contains(c.Tool, pruneTool) || strings.Contains(c.Arguments, pruneTool)
			if prunes && strings.Contains(c.Arguments, string(quoted)) {
				return i + 1
			}
		}
	}
	return 0
}

func (f *follower) ranked(e *End) *Ranked {
	for i := range e.Ranking {
		if d := &e.Ranking[i]; d.Collection == f.Collection && d.Document == f.Document {
			return d
		}
	}
	return nil
}

// stage says how far the document came, by the run's end where it has one.
func (f *follower) stage(end *End) Stage {
	if end != nil {
		if d := f.ranked(end); d != nil {
			f.Rank, f.Justification = d.Rank, d.Justification
			if d.Selected {
				return StageSelected
			}
		}
	}
	for _, s := range f.states {
		if !s.pruned {
			return StageNotSelected
		}
	}
	return StagePruned
}
