package corpus

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
)

// fake is a corpus whose chunks are all hits, in order.
type fake struct {
	winnow.Corpus
	name    string
	chunks  []string
	err     error // of everything
	linkErr error // of links alone
	closed  bool
}

func (f *fake) hits() (hits []winnow.Hit) {
	for i, id := range f.chunks {
		hits = append(hits, winnow.Hit{Chunk: winnow.Chunk{ID: id, Collection: f.name}, Score: float64(100 - i)})
	}
	return hits
}

func (f *fake) Search(_ context.Context, q winnow.Query) (*winnow.Results, error) {
	if f.err != nil {
		return nil, f.err
	}
	hits := slices.DeleteFunc(f.hits(), func(h winnow.Hit) bool { return slices.Contains(q.Scope.ExcludeChunks, h.ID) })
	return &winnow.Results{Hits: hits, Coverage: 0.5, Warnings: []string{"slow"}}, nil
}

func (f *fake) Grep(_ context.Context, q winnow.GrepQuery) (*winnow.Matches, error) {
	m := &winnow.Matches{}
	for i, h := range f.hits() {
		m.Matches = append(m.Matches, winnow.Match{Chunk: h.Chunk, Line: i + 1})
	}
	return m, f.err
}

func (f *fake) Read(_ context.Context, q winnow.ReadQuery) (*winnow.Document, error) {
	if f.err != nil {
		return nil, f.err
	}
	if !slices.Contains(f.chunks, q.ID) {
		return nil, &winnow.Error{Code: winnow.NotFound, Message: "not here"}
	}
	return &winnow.Document{ID: q.ID, Title: f.name}, nil
}

func (f *fake) Neighbours(context.Context, winnow.LinkQuery) (*winnow.Neighbours, error) {
	if f.err != nil || f.linkErr != nil {
		return nil, cmp.Or(f.linkErr, f.err)
	}
	out := &winnow.Neighbours{Warnings: []string{"slow"}}
	for _, h := range f.hits() {
		out.Neighbours = append(out.Neighbours, winnow.Neighbour{Hit: h})
	}
	return out, nil
}

func (f *fake) Describe(context.Context) (*winnow.Description, error) {
	return &winnow.Description{Documents: 1, Chunks: len(f.chunks), Folders: []winnow.Facet{{Value: ".", Count: len(f.chunks)}},
		Keys: []winnow.KeyUse{{Key: "type", Count: len(f.chunks), Values: []winnow.Facet{{Value: f.name, Count: len(f.chunks)}}}}}, nil
}

func (f *fake) Close() error {
	f.closed = true
	return nil
}

func join(fakes ...*fake) winnow.Corpus {
	var members []Member
	for _, f := range fakes {
		members = append(members, Member{f.name, f})
	}
	return Join(members...)
}

func ids(hits []winnow.Hit) (ids []string) {
	for _, h := range hits {
		ids = append(ids, h.Collection+"/"+h.ID)
	}
	return ids
}

func linked(found *winnow.Neighbours) (names []string) {
	for _, n := range found.Neighbours {
		names = append(names, n.Collection+"/"+n.ID)
	}
	return names
}

func TestJoinedSearchesAreFusedByRank(t *testing.T) {
	j := join(&fake{name: "z", chunks: []string{"a", "b", "c"}}, &fake{name: "m", chunks: []string{"c", "d"}})
	r, err := j.Search(t.Context(), winnow.Query{K: 4})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := ids(r.Hits), []string{"m/c", "z/a", "m/d", "z/b"}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, want %v", got, want)
	}
	if r.Hits[0].Score != 1.0/61 || r.Hits[2].Score != 1.0/62 {
		t.Errorf("scores are %v and %v, want 1/61 and 1/62", r.Hits[0].Score, r.Hits[2].Score)
	}
	if want := []string{"z: slow", "m: slow"}; !slices.Equal(r.Warnings, want) || r.Coverage != 0.5 {
		t.Errorf("warnings %q, coverage %v", r.Warnings, r.Coverage)
	}
}

func TestOneMemberKeepsItsOwnScores(t *testing.T) {
	f := &fake{name: "a", chunks: []string{"x"}}
	if Join(Member{"a", f}) != winnow.Corpus(f) {
		t.Error("a single member is wrapped")
	}
}

func TestAMemberThatFailsIsLeftOutWithAWarning(t *testing.T) {
	broken := &fake{name: "b", err: &winnow.Error{Code: winnow.BadFilter, Message: "no such key"}}
	r, err := join(&fake{name: "a", chunks: []string{"x"}}, broken).Search(t.Context(), winnow.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"b: left out: no such key", "a: slow"}; !slices.Equal(r.Warnings, want) || len(r.Hits) != 1 {
		t.Errorf("%d hits, warnings %q", len(r.Hits), r.Warnings)
	}
	if _, err := join(broken, broken).Search(t.Context(), winnow.Query{}); winnow.CodeOf(err) != winnow.BadFilter {
		t.Errorf("where nobody answers the error is %v", err)
	}
}

func TestACancelledSearchFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := join(&fake{name: "a", chunks: []string{"x"}}, &fake{name: "b", err: context.Canceled}).Search(ctx, winnow.Query{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestJoinedMatchesComeMemberByMember(t *testing.T) {
	j := join(&fake{name: "z", chunks: []string{"a", "b"}}, &fake{name: "m", chunks: []string{"a", "c"}})
	for _, test := range []struct {
		q         winnow.GrepQuery
		want      int
		truncated bool
	}{
		{winnow.GrepQuery{}, 4, false},
		{winnow.GrepQuery{Limit: 3}, 3, true},
		{winnow.GrepQuery{Limit: 4}, 4, false},
		{winnow.GrepQuery{Chunks: 1}, 1, true},
		{winnow.GrepQuery{Chunks: 3}, 3, true},
	} {
		m, err := j.Grep(t.Context(), test.q)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Matches) != test.want || m.Truncated != test.truncated || m.Matches[0].Chunk.Collection != "z" {
			t.Errorf("%+v gives %d matches, truncated %v", test.q, len(m.Matches), m.Truncated)
		}
	}
}

func TestReadTakesTheFirstMemberThatHasTheID(t *testing.T) {
	j := join(&fake{name: "z", chunks: []string{"a", "b"}}, &fake{name: "m", chunks: []string{"b", "c"}})
	for id, want := range map[string]string{"a": "z", "b": "z", "c": "m", "m:b": "m", "z:b": "z"} {
		if d, err := j.Read(t.Context(), winnow.ReadQuery{ID: id}); err != nil || d.Title != want {
			t.Errorf("%s is read from %+v (%v), want %s", id, d, err, want)
		}
	}
	if _, err := j.Read(t.Context(), winnow.ReadQuery{ID: "nothing"}); winnow.CodeOf(err) != winnow.NotFound {
		t.Errorf("an unknown id gives %v", err)
	}
	down := join(&fake{name: "z"}, &fake{name: "m", err: &winnow.Error{Code: winnow.Unavailable, Message: "down"}})
	if _, err := down.Read(t.Context(), winnow.ReadQuery{ID: "a"}); winnow.CodeOf(err) != winnow.Unavailable {
		t.Errorf("not found in one and out of reach in the other gives %v", err)
	}
}

func TestNeighboursAreAskedOfTheMemberThatHoldsTheID(t *testing.T) {
	z, m := &fake{name: "z", chunks: []string{"a", "b"}}, &fake{name: "m", chunks: []string{"b", "c"}}
	for _, test := range []struct{ from, want []string }{
		{[]string{"a"}, []string{"z/a", "z/b"}},
		{[]string{"b"}, []string{"z/a", "z/b"}}, // both hold it, the first is asked
		{[]string{"m:b"}, []string{"m/b", "m/c"}},
		{[]string{"c", "a"}, []string{"m/b", "z/a", "m/c"}},
	} {
		n, err := join(z, m).Neighbours(t.Context(), winnow.LinkQuery{From: test.from, K: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got := linked(n); !slices.Equal(got, test.want) {
			t.Errorf("the neighbours of %v are %v, want %v", test.from, got, test.want)
		}
	}
	if _, err := join(z, m).Neighbours(t.Context(), winnow.LinkQuery{From: []string{"a", "x"}}); winnow.CodeOf(err) != winnow.NotFound {
		t.Errorf("an unknown id gives %v", err)
	}
}

func TestAMemberWhoseLinksFailIsLeftOutWithAWarning(t *testing.T) {
	down := &winnow.Error{Code: winnow.Unavailable, Message: "down"}
	z := &fake{name: "z", chunks: []string{"a"}}
	for name, test := range map[string]struct {
		other    *fake
		from     []string
		want     []string
		warnings []string
		err      winnow.Code
	}{
		"nobody fails":                  {&fake{name: "m", chunks: []string{"b"}}, []string{"a", "m:b"}, []string{"m/b", "z/a"}, []string{"z: slow", "m: slow"}, ""},
		"its links can't be followed":   {&fake{name: "m", chunks: []string{"b"}, linkErr: down}, []string{"a", "b"}, []string{"z/a"}, []string{"m: left out: down", "z: slow"}, ""},
		"nothing can be read from it":   {&fake{name: "m", chunks: []string{"b"}, err: down}, []string{"a", "m:b"}, []string{"z/a"}, []string{"the links of m:b were left out: down", "z: slow"}, ""},
		"it is not asked":               {&fake{name: "m", chunks: []string{"b"}, linkErr: down}, []string{"a"}, []string{"z/a"}, []string{"z: slow"}, ""},
		"it alone was asked":            {&fake{name: "m", chunks: []string{"b"}, linkErr: down}, []string{"b"}, nil, nil, winnow.Unavailable},
		"it alone has what is asked of": {&fake{name: "m", err: down}, []string{"m:b"}, nil, nil, winnow.Unavailable},
		"nobody knows the id":           {&fake{name: "m"}, []string{"a", "x"}, nil, nil, winnow.NotFound},
	} {
		got, err := join(z, test.other).Neighbours(t.Context(), winnow.LinkQuery{From: test.from})
		if test.err != "" {
			if winnow.CodeOf(err) != test.err {
				t.Errorf("%s: the error is %v, want %s", name, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(linked(got), test.want) || !slices.Equal(got.Warnings, test.warnings) {
			t.Errorf("%s: %v, warnings %q", name, linked(got), got.Warnings)
		}
	}
}

func TestAQualifiedIDIsExcludedFromItsMemberOnly(t *testing.T) {
	j := join(&fake{name: "z", chunks: []string{"a", "b"}}, &fake{name: "m", chunks: []string{"a", "b"}})
	for _, test := range []struct{ exclude, want []string }{
		{[]string{"a"}, []string{"m/b", "z/b"}},
		{[]string{"m:a"}, []string{"m/b", "z/a", "z/b"}},
		{[]string{"m:a", "z:b"}, []string{"m/b", "z/a"}},
		{[]string{"y:a"}, []string{"m/a", "z/a", "m/b", "z/b"}}, // nobody's name
	} {
		r, err := j.Search(t.Context(), winnow.Query{Scope: winnow.Scope{ExcludeChunks: test.exclude}})
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(r.Hits); !slices.Equal(got, test.want) {
			t.Errorf("without %v: %v, want %v", test.exclude, got, test.want)
		}
	}
}

func TestDescriptionsAddUp(t *testing.T) {
	d, err := join(&fake{name: "z", chunks: []string{"a", "b"}}, &fake{name: "m", chunks: []string{"c"}}).Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Documents != 2 || d.Chunks != 3 || len(d.Folders) != 1 || d.Folders[0].Count != 3 {
		t.Errorf("the sum is %+v", d)
	}
	if len(d.Keys) != 1 || d.Keys[0].Count != 3 || len(d.Keys[0].Values) != 2 || d.Keys[0].Values[0].Value != "z" {
		t.Errorf("the keys are %+v", d.Keys)
	}
}

func TestCloseClosesEveryMember(t *testing.T) {
	a, b := &fake{name: "a"}, &fake{name: "b"}
	if err := join(a, b).Close(); err != nil || !a.closed || !b.closed {
		t.Errorf("closed: %v and %v (%v)", a.closed, b.closed, err)
	}
}
