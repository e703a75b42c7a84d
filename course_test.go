package winnow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

// told is a run in the making.
type told struct{ winnow.Trajectory }

func (t *told) turn() int { return 1 + len(t.Events) }

// search is a turn whose third call shows chunks, as collection:id.
func (t *told) search(query string, names ...string) {
	r := winnow.Result{Call: 2, Tool: "search_corpus", Query: query}
	for _, name := range names {
		collection, id, _ := strings.Cut(name, ":")
		document, _, _ := strings.Cut(id, "_")
		r.Parts = append(r.Parts, winnow.Part{Handle: "c" + id, Chunk: &winnow.Hit{Chunk: winnow.Chunk{ID: id, Document: document, Collection: collection, Path: document + ".md"}}})
	}
	t.Events = append(t.Events, winnow.Event{Kind: winnow.EventObservation, Turn: t.turn(), Observation: &winnow.Observation{Results: []winnow.Result{r}}})
}

// prune is a turn whose second call prunes chunks by one name.
func (t *told) prune(by string, names ...string) {
	turn := t.turn()
	calls := []winnow.Call{{Tool: "read_document", Arguments: `{"doc_id":"a"}`}, {Tool: "prune_chunks", Arguments: `{"chunk_ids":["` + by + `"]}`}}
	t.Events = append(t.Events, winnow.Event{Kind: winnow.EventAction, Turn: turn, Action: &winnow.Action{Calls: calls}},
		winnow.Event{Kind: winnow.EventPrune, Turn: turn, Prune: &winnow.Prune{Chunks: names}})
}

func TestTheCourseOfADocument(t *testing.T) {
	run := &told{}
	run.Events = append(run.Events, winnow.Event{Kind: winnow.EventStart, Start: &winnow.Start{Collections: []string{"l", "r"}}})
	run.search("first", "l:a_0", "l:b_0", "r:a_0", "l:d_0")
	run.prune("a", "l:a_0")
	run.prune("cb_0", "l:b_0")
	run.search("second", "l:a_1", "l:b_0")
	run.prune("l:a", "l:a_1")
	run.Events = append(run.Events, winnow.Event{Kind: winnow.EventEnd, Turn: 9, End: &winnow.End{Ranking: winnow.Ranking{
		{Rank: 1, Selected: true, Collection: "l", Document: "d", Justification: "because", Chunks: []string{"d_0"}}, {Rank: 2, Collection: "l", Document: "b"}}}})
	for _, c := range []struct{ name, want string }{
		{"nobody", "nobody never_met 0 []"},
		{"d", "l:d selected 1 [shown 2.3 first d_0, selected 9.0  d_0]"},
		{"d.md", "l:d selected 1 [shown 2.3 first d_0, selected 9.0  d_0]"},
		{"b_0", "l:b not_selected 2 [shown 2.3 first b_0, pruned 5.2  b_0, restored 7.3 second b_0]"},
		{"a", "l:a pruned 0 [shown 2.3 first a_0, pruned 3.2  a_0, shown 7.3 second a_1, pruned 8.2  a_1]"},
		{"r:a", "r:a not_selected 0 [shown 2.3 first a_0]"},
	} {
		got := run.Follow(c.name)
		var steps []string
		for _, s := range got.Steps {
			steps = append(steps, fmt.Sprintf("%s %d.%d %s %s", s.Kind, s.Turn, s.Call, s.Query, strings.Join(s.Chunks, " ")))
		}
		name := strings.TrimPrefix(winnow.QualifiedID(got.Collection, got.Document), ":")
		if said := fmt.Sprintf("%s %s %d [%s]", name, got.Stage, got.Rank, strings.Join(steps, ", ")); said != c.want {
			t.Errorf("%s: got\n%s, want\n%s", c.name, said, c.want)
		}
	}
}
