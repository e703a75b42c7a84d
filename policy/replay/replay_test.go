package replay_test

import (
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/policy/replay"
)

func TestItRepeatsActionsAndFailures(t *testing.T) {
	record := &winnow.Trajectory{Events: []winnow.Event{
		{Kind: winnow.EventStart, Start: &winnow.Start{Policy: "chat"}},
		{Kind: winnow.EventAction, Turn: 1, Action: &winnow.Action{Reasoning: "first"}},
		{Kind: winnow.EventEnd, End: &winnow.End{Failure: &winnow.Error{Code: winnow.Unavailable, Message: "gone"}}},
	}}
	p, err := replay.New(record)
	if err != nil || p.Name() != "chat" {
		t.Fatal(p, err)
	}
	if a, err := p.Next(t.Context(), &winnow.View{Turn: 1}); err != nil || a.Reasoning != "first" {
		t.Errorf("got %+v, %v", a, err)
	}
	if _, err := p.Next(t.Context(), &winnow.View{Turn: 2}); err == nil || err.Error() != "gone" {
		t.Errorf("got %v", err)
	}
	n := 0
	for e, err := range replay.Events(record) {
		if err != nil || e.Kind != record.Events[n].Kind {
			t.Errorf("got %+v, %v", e, err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d events", n)
	}
}

func TestARecordThatWasCutOffSaysSo(t *testing.T) {
	record := &winnow.Trajectory{Events: []winnow.Event{{Kind: winnow.EventStart, Start: &winnow.Start{}}}}
	var last error
	for _, err := range replay.Events(record) {
		last = err
	}
	if winnow.CodeOf(last) != winnow.Corrupt {
		t.Errorf("got %v", last)
	}
	if _, err := replay.New(&winnow.Trajectory{}); winnow.CodeOf(err) != winnow.Corrupt {
		t.Errorf("got %v", err)
	}
}
