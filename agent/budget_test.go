package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/harmony"
	"github.com/winnow-search/winnow/policy/scripted"
)

// wordy describes itself at length.
type wordy struct{ *memory }

func (w wordy) Describe(context.Context) (*winnow.Description, error) {
	d := &winnow.Description{}
	for i := range 5000 {
		d.Folders = append(d.Folders, winnow.Facet{Value: fmt.Sprint("folder/", i), Count: i})
	}
	return d, nil
}

// last runs a script and returns the view that its last action saw.
func last(t *testing.T, o agent.Options, actions ...winnow.Action) *winnow.View {
	t.Helper()
	var view *winnow.View
	o.Policy = scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
		view = v
		return actions[v.Turn-1], nil
	})
	do(t, o)
	return view
}

func TestTheRoomIsUsedToItsEndAndNotBeyond(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		o := agent.Options{Question: "where?", Corpus: wordy{small()}, Budget: winnow.Budget{Tokens: 12_000, PerCall: 12_000, Quiet: quiet}}
		v := last(t, o, scripted.Calls(scripted.Call("list_corpus", map[string]any{})), scripted.Answer())
		if free := v.Budget.Tokens - v.Budget.Reserve - v.Tokens; free < 0 || free > 24 || (v.Note == "") != quiet {
			t.Errorf("quiet %v: %d tokens are free, note %q", quiet, free, v.Note)
		}
	}
}

func TestTheRoomIsSharedEquallyAndWhatIsLeftIsPassedOn(t *testing.T) {
	words := func(v *winnow.View, result int) int {
		return len(strings.Fields(v.Turns[0].Results[result].Text()))
	}
	m := &memory{}
	for i := range 40 {
		m.add(fmt.Sprintf("a%02d", i), "river "+strings.Repeat("stone ", 1000))
		m.add(fmt.Sprintf("b%02d", i), "market "+strings.Repeat("stone ", 1000))
	}
	o := agent.Options{Question: "where?", Corpus: m, Budget: winnow.Budget{Tokens: 10_000, PerCall: 10_000}}
	v := last(t, o, scripted.Calls(scripted.Search("river"), scripted.Search("market")), scripted.Answer())
	first, second := words(v, 0), words(v, 1)
	if second < first*8/10 || first < second*8/10 {
		t.Errorf("two calls share the room as %d to %d", first, second)
	}
	v = last(t, o, scripted.Calls(scripted.Search("nothing"), scripted.Search("market")), scripted.Answer())
	if alone := words(v, 1); alone < second*17/10 {
		t.Errorf("a call behind one that found nothing shows %d words, and %d beside one that did", alone, second)
	}
}

func TestAnActionLongerThanTheReserveIsCutInTheViewAndWholeInTheTrajectory(t *testing.T) {
	long := strings.Repeat("I think about the river. ", 2000)
	for name, action := range map[string]winnow.Action{
		"reasoning": {Reasoning: long, Signature: "signed", Calls: []winnow.Call{scripted.Search("river")}},
		"words":     {Text: long, Calls: []winnow.Call{scripted.Search("river")}},
		"arguments": scripted.Calls(scripted.Search(long), scripted.Search("river")),
	} {
		var view *winnow.View
		o := options(small())
		o.Policy = scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
			view = v
			if v.Turn == 2 {
				return scripted.Answer(), nil
			}
			return action, nil
		})
		tr := do(t, o)
		whole := tr.Events[1].Action
		if whole.Reasoning != action.Reasoning || whole.Text != action.Text || whole.Calls[0].Arguments != action.Calls[0].Arguments {
			t.Errorf("%s: the trajectory does not hold the action as it was", name)
		}
		seen := view.Turns[0].Action
		n := harmony.CountAction(&seen)
		if reserve := view.Budget.Reserve; n > reserve || n < reserve/3 || seen.Signature != "" {
			t.Errorf("%s: %d tokens of it are in view, and the reserve is %d", name, n, reserve)
		}
	}
}

func TestAForcedRankingSelectsWhatIsInView(t *testing.T) {
	o := options(small(), scripted.Calls(scripted.Search("river")), scripted.Calls(scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{"d00"}})))
	end := do(t, o).End()
	if got := end.Ranking; len(got) != 2 || got[0].Document != "d01" || !got[0].Selected || got[1].Document != "d00" || got[1].Selected || end.Pruned != 3 {
		t.Errorf("got %+v", end)
	}
}

func TestAPruneSaysWhatItFreedAndWhatTheCacheLost(t *testing.T) {
	var sizes []int
	prune := scripted.Call("prune_chunks", map[string]any{"chunk_ids": []string{"c1"}})
	steps := []winnow.Action{scripted.Calls(scripted.Search("dawn")), scripted.Calls(scripted.Search("bridge")), scripted.Calls(prune), scripted.Answer()}
	o := options(small())
	o.Policy = scripted.Func(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
		sizes = append(sizes, v.Tokens)
		return steps[v.Turn-1], nil
	})
	for _, e := range do(t, o).Events {
		if e.Prune == nil {
			continue
		}
		if e.Prune.Freed <= 0 || e.Prune.Freed > sizes[1]-sizes[0] {
			t.Errorf("freed %d of %d tokens", e.Prune.Freed, sizes[1]-sizes[0])
		}
		if want := sizes[2] - sizes[0]; e.Prune.Invalidated != want {
			t.Errorf("the prompt changes behind the first message, %d tokens, not %d", want, e.Prune.Invalidated)
		}
	}
}

func TestACallWithoutRoomSaysSo(t *testing.T) {
	o := agent.Options{Question: "where?", Corpus: library(10, 10, 200), Budget: winnow.Budget{PerCall: 60}}
	v := last(t, o, scripted.Calls(scripted.Search("river")), scripted.Answer())
	result := v.Turns[0].Results[0]
	if result.Code != winnow.TooMuch || !strings.HasPrefix(result.Text(), "Error: there is no room to show what was found.") {
		t.Errorf("got %+v", result)
	}
}
