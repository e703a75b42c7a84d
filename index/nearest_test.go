package index_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

func TestTheDenseLegCanBeAnsweredFromElsewhere(t *testing.T) {
	e := &bagOfWords{dim: 64}
	s := pin(t, filled(t, story, e))
	why := errors.New("enough")
	for name, test := range map[string]struct {
		answer []string
		ok     bool
		err    error
		want   []string // nil is what a scan gives
	}{
		"in its order, each once":   {[]string{"cup_0", "mine_0", "cup_0"}, true, nil, []string{"cup", "mine"}},
		"what is unknown is left":   {[]string{"nothing_0", "film_9", "mine_0"}, true, nil, []string{"mine"}},
		"what is excluded too":      {[]string{"film_0", "mine_0"}, true, nil, []string{"mine"}},
		"nothing near":              {nil, true, nil, []string{}},
		"who can't leaves the scan": {nil, false, nil, nil},
		"an error ends the search":  {nil, false, why, nil},
	} {
		r := index.Request{Query: winnow.Query{Text: "copper mining", K: 4, Legs: []winnow.Leg{winnow.LegDense}, Scope: winnow.Scope{ExcludeDocuments: []string{"film"}}},
			Space: e.Name(), Vector: e.vector("copper mining")}
		scan, err := s.Search(t.Context(), r)
		if err != nil || len(scan.Hits) != 4 {
			t.Fatalf("a scan finds %v (%v)", documents(scan.Hits), err)
		}
		r.Nearest = func(_ context.Context, k int, in func(string) bool) ([]string, bool, error) {
			if k != 4 {
				t.Errorf("%s: asked for %d, want 4", name, k)
			}
			return slices.DeleteFunc(slices.Clone(test.answer), func(id string) bool { return !in(id) }), test.ok, test.err
		}
		got, err := s.Search(t.Context(), r)
		if test.err != nil {
			if !errors.Is(err, test.err) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		want := test.want
		if want == nil {
			want = documents(scan.Hits)
		}
		if err != nil || !slices.Equal(documents(got.Hits), want) && len(want)+len(got.Hits) > 0 {
			t.Errorf("%s: %v, want %v (%v)", name, documents(got.Hits), want, err)
		}
	}
}

// given are vectors that are stored elsewhere, by chunk.
type given map[string]winnow.Vector

func (given) Name() string { return "given/1" }
func (given) Dim() int     { return 2 }
func (g given) Vectors(_ context.Context, chunks []winnow.Chunk) ([][]winnow.Vector, error) {
	out := make([][]winnow.Vector, len(chunks))
	for i, c := range chunks {
		if v := g[c.ID]; v != nil {
			out[i] = []winnow.Vector{v}
		}
	}
	return out, nil
}

func TestVectorsCanBeCopiedFromElsewhere(t *testing.T) {
	ix := filled(t, story, nil)
	g := given{"film_0": {1, 0}, "mine_0": {0, 1}} // the others have none
	if err := ix.FillFrom(t.Context(), g, index.FillOptions{Batch: 2}); err != nil {
		t.Fatal(err)
	}
	s := pin(t, ix)
	r, err := s.Search(t.Context(), index.Request{Query: winnow.Query{Text: "x", Legs: []winnow.Leg{winnow.LegDense}}, Space: g.Name(), Vector: winnow.Vector{0.1, 1}})
	if err != nil || !slices.Equal(documents(r.Hits), []string{"mine", "film"}) || s.Coverage(g.Name()) != 1 {
		t.Errorf("found %v, coverage %v (%v)", documents(r.Hits), s.Coverage(g.Name()), err)
	}
}
