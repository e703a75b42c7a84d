package agent_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
)

// checkAnswer holds the end against the answer: what was chosen stands in the
// policy's order, each document once, and what was never shown is reported.
func checkAnswer(t *testing.T, trajectory *winnow.Trajectory) {
	t.Helper()
	end := trajectory.End()
	if end.Ended != winnow.Concluded {
		return
	}
	var answer *winnow.Answer
	for _, e := range trajectory.Events {
		if e.Action != nil {
			answer = e.Action.Answer
		}
	}
	var selected, unknown []string
	for _, choice := range answer.Selected {
		document := meant(trajectory, choice.ID)
		switch {
		case document == "" && !slices.Contains(unknown, choice.ID):
			unknown = append(unknown, choice.ID)
		case document != "" && !slices.Contains(selected, document):
			selected = append(selected, document)
		}
	}
	var got []string
	for _, d := range end.Ranking.Selected() {
		got = append(got, winnow.QualifiedID(d.Collection, d.Document))
	}
	if !slices.Equal(got, selected) {
		t.Errorf("selected are %q, and the answer says %q", got, selected)
	}
	if !slices.Equal(end.Unknown, unknown) {
		t.Errorf("unknown are %q, not %q", end.Unknown, unknown)
	}
}

var handle = regexp.MustCompile(`^c([1-9][0-9]*)$`)

// meant is the document that an id of an answer stands for, by the words of the
// definition: a handle, a chunk that was shown, a document; qualified names before
// bare ones.
func meant(trajectory *winnow.Trajectory, id string) string {
	start, shown := trajectory.Start(), trajectory.Shown()
	document := func(h *winnow.Hit) string { return winnow.QualifiedID(h.Collection, h.Document) }
	if m := handle.FindStringSubmatch(id); m != nil && start.Profile == agent.Winnow {
		if n, err := strconv.Atoi(m[1]); err == nil && n <= len(shown) {
			return document(shown[n-1])
		}
	}
	for _, is := range []func(h *winnow.Hit) bool{
		func(h *winnow.Hit) bool { return start.Name(h.Collection, h.ID) == id },
		func(h *winnow.Hit) bool { return start.Name(h.Collection, h.Document) == id },
		func(h *winnow.Hit) bool { return h.ID == id },
		func(h *winnow.Hit) bool { return h.Document == id },
	} {
		if i := slices.IndexFunc(shown, is); i >= 0 {
			return document(shown[i])
		}
	}
	if trimmed := strings.Trim(id, " \t\r\n\"'`[]<>#"); trimmed != id && trimmed != "" {
		return meant(trajectory, trimmed)
	}
	return ""
}
