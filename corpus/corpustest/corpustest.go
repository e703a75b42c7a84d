// Package corpustest is the one suite that every corpus passes: what a
// [winnow.Corpus] promises, as statements about behaviour. The agent relies on
// these promises and asks no corpus how it keeps them.
package corpustest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
)

// Make makes a corpus that holds the documents. It closes it when the test ends.
type Make func(t *testing.T, docs []*winnow.Document) winnow.Corpus

// Run runs the suite. The corpus is filled twice, with [Library] and with
// nothing.
func Run(t *testing.T, of Make) {
	docs := Library()
	c := of(t, docs)
	s := &suite{c: c, docs: docs}
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"a search finds what has its words", s.finds},
		{"a hit is whole", s.whole},
		{"k results come when k exist", s.k},
		{"exclusion is inside retrieval", s.exclusion},
		{"filters hold inside retrieval", s.filters},
		{"the order is stable", s.stable},
		{"legs can be chosen", s.legs},
		{"a document is read in order", s.read},
		{"ids in any script are looked up, not parsed", s.ids},
		{"grep returns lines in order", s.grep},
		{"links lead from name to document and back", s.links},
		{"links may lead nowhere", s.noLinks},
		{"a description counts", s.describe},
		{"errors are data", s.errors},
		{"a cancelled call ends", s.cancelled},
		{"calls at once give what calls alone give", s.concurrent},
	} {
		t.Run(test.name, test.run)
	}
	t.Run("an empty corpus answers", func(t *testing.T) { empty(t, of(t, nil)) })
}

type suite struct {
	c    winnow.Corpus
	docs []*winnow.Document
}

func (s *suite) search(t *testing.T, q winnow.Query) []winnow.Hit {
	t.Helper()
	r, err := s.c.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	if r.Hits == nil || r.Warnings == nil {
		t.Errorf("%+v: a list is nil, which prints as null", q)
	}
	return r.Hits
}

func documents(hits []winnow.Hit) (ids []string) {
	for _, h := range hits {
		ids = append(ids, h.Document)
	}
	return ids
}

func chunks(hits []winnow.Hit) (ids []string) {
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}

func (s *suite) finds(t *testing.T) {
	for text, want := range map[string]string{
		"sweet apple in a cool cellar": "apples.md", "when is the gate closed": "orchard.md", "older than cider": "pears",
		"Weg zur Mühle": "ünï/文書 № 7_0.md", "basket number 17": "berry17",
	} {
		if hits := s.search(t, winnow.Query{Text: text, K: 3}); !slices.Contains(documents(hits), want) {
			t.Errorf("%q finds %v, want %s among them", text, documents(hits), want)
		}
	}
}

func (s *suite) whole(t *testing.T) {
	for _, h := range s.search(t, winnow.Query{Text: "Golden Delicious sweet apple", K: 5}) {
		i := slices.IndexFunc(s.docs, func(d *winnow.Document) bool { return d.ID == h.Document })
		if i < 0 {
			t.Fatalf("a hit of %q, which is no document", h.Document)
		}
		d := s.docs[i]
		if h.Ordinal < 0 || h.Ordinal >= len(d.Chunks) {
			t.Fatalf("%s has ordinal %d of %d", h.ID, h.Ordinal, len(d.Chunks))
		}
		want := d.Chunks[h.Ordinal]
		if h.Text != want.Text || h.Title != d.Title || h.Path != d.Path || h.Lines != want.Lines || h.Tokens != want.Tokens || h.Collection == "" {
			t.Errorf("the hit is %+v, stored was %+v of %q", h.Chunk, want, d.Title)
		}
		if !reflect.DeepEqual(h.Metadata, d.Metadata) {
			t.Errorf("metadata of %s are %v, want %v", h.ID, h.Metadata, d.Metadata)
		}
	}
}

func (s *suite) k(t *testing.T) {
	for _, k := range []int{1, 2, 7, berries} {
		hits := s.search(t, winnow.Query{Text: "berry", K: k})
		if len(hits) != k {
			t.Errorf("%d hits for k = %d", len(hits), k)
		}
		if unique := slices.Compact(slices.Sorted(slices.Values(chunks(hits)))); len(unique) != len(hits) {
			t.Errorf("a chunk comes twice in %v", chunks(hits))
		}
	}
	if hits := s.search(t, winnow.Query{Text: "berry"}); len(hits) != 10 {
		t.Errorf("%d hits where k is not said, want 10", len(hits))
	}
}

// exclusion leaves out what was found until nothing is left: every berry comes,
// none twice.
func (s *suite) exclusion(t *testing.T) {
	var seen []string
	words := winnow.Query{Text: "berry", K: 5, Legs: []winnow.Leg{winnow.LegBM25}}
	for round := 0; len(seen) < berries; round++ {
		words.Scope.ExcludeChunks = seen
		hits := s.search(t, words)
		if want := min(5, berries-len(seen)); len(hits) < want {
			t.Fatalf("round %d: %d hits, want %d while so many are left", round, len(hits), want)
		}
		for _, h := range hits {
			if slices.Contains(seen, h.ID) {
				t.Fatalf("round %d: %s was excluded", round, h.ID)
			}
			if strings.HasPrefix(h.Document, "berry") {
				seen = append(seen, h.ID)
			}
		}
	}
	// With all legs: the best are left out, and as many others come.
	all := winnow.Query{Text: "a berry in a basket", K: 6}
	first := s.search(t, all)
	all.Scope.ExcludeDocuments = append(documents(first), "not there", "ünï/文書 № 7_0.md")
	all.Scope.ExcludeChunks = []string{"not there_0"}
	second := s.search(t, all)
	if len(second) != 6 {
		t.Errorf("%d hits after 6 documents were left out, want 6", len(second))
	}
	for _, h := range second {
		if slices.Contains(all.Scope.ExcludeDocuments, h.Document) {
			t.Errorf("%s was excluded", h.Document)
		}
	}
}

func (s *suite) filters(t *testing.T) {
	for _, test := range []struct {
		scope winnow.Scope
		text  string
		most  int // how many chunks pass
	}{
		{winnow.Scope{Where: json.RawMessage(`{"number": 7}`)}, "berry", 1},
		{winnow.Scope{Where: json.RawMessage(`{"number": {"$gte": 20}}`)}, "berry", 4},
		{winnow.Scope{Where: json.RawMessage(`{"number": {"$in": [1, 2, 3]}}`)}, "berry", 3},
		{winnow.Scope{Where: json.RawMessage(`{"$and": [{"even": true}, {"number": {"$lt": 10}}]}`)}, "berry", 5},
		{winnow.Scope{Where: json.RawMessage(`{"$or": [{"kind": "place"}, {"kind": "drink"}]}`)}, "pears", 4},
		{winnow.Scope{Where: json.RawMessage(`{"weight": {"$gt": 0.2}}`)}, "apple", 3},
		{winnow.Scope{Where: json.RawMessage(`{"schlüssel": "wert ✓"}`)}, "Mühle", 2},
		{winnow.Scope{WhereDocument: json.RawMessage(`{"$contains": "sort xxx,"}`)}, "berry", 5},
		{winnow.Scope{WhereDocument: json.RawMessage(`{"$regex": "number 1[0-4] "}`)}, "berry", 5},
		{winnow.Scope{Where: json.RawMessage(`{"even": false}`), WhereDocument: json.RawMessage(`{"$not_contains": "xx"}`)}, "berry", 2},
		{winnow.Scope{Path: "baskets/1/**"}, "berry", 8},
		{winnow.Scope{Path: "fruit/*.md"}, "apple", 5},
		{winnow.Scope{Where: json.RawMessage(`{"number": {"$lt": 4}}`), ExcludeDocuments: []string{"berry02"}}, "berry", 3},
	} {
		name := fmt.Sprintf("%s %s %s %v", test.scope.Where, test.scope.WhereDocument, test.scope.Path, test.scope.ExcludeDocuments)
		hits := s.search(t, winnow.Query{Text: test.text, K: 50, Scope: test.scope})
		// Legs other than words may meet everything in scope; words meet what holds one.
		if len(hits) == 0 || len(hits) > test.most {
			t.Errorf("%s: %d hits, %d are in scope", name, len(hits), test.most)
		}
		s.inScope(t, name, hits, test.scope)
		if test.text == "berry" && len(hits) != test.most {
			t.Errorf("%s: %d hits, and %d berries are in scope", name, len(hits), test.most)
		}
	}
}

func (s *suite) inScope(t *testing.T, name string, hits []winnow.Hit, scope winnow.Scope) {
	t.Helper()
	for _, h := range hits {
		if len(scope.Where) > 0 {
			if e, err := filter.Parse(scope.Where); err != nil || !filter.Match(e, h.Metadata, h.Text) {
				t.Errorf("%s: %s has %v (%v)", name, h.ID, h.Metadata, err)
			}
		}
		if len(scope.WhereDocument) > 0 {
			if e, err := filter.ParseDocument(scope.WhereDocument); err != nil || !filter.Match(e, h.Metadata, h.Text) {
				t.Errorf("%s: %s says %q (%v)", name, h.ID, h.Text, err)
			}
		}
		if g, err := filter.CompileGlob(scope.Path); scope.Path != "" && (err != nil || !g.Match(h.Path)) {
			t.Errorf("%s: %s is at %s", name, h.ID, h.Path)
		}
	}
}

func (s *suite) stable(t *testing.T) {
	for _, text := range []string{"berry", "pears and apples", "a basket of sort x"} {
		first := s.search(t, winnow.Query{Text: text, K: 20})
		for range 5 {
			if again := s.search(t, winnow.Query{Text: text, K: 20}); !slices.Equal(chunks(first), chunks(again)) {
				t.Fatalf("%q gives %v and then %v", text, chunks(first), chunks(again))
			}
		}
		if !slices.IsSortedFunc(first, func(a, b winnow.Hit) int {
			if a.Score > b.Score {
				return -1
			}
			return 0
		}) {
			t.Errorf("%q: the scores are not in order", text)
		}
	}
}

func (s *suite) legs(t *testing.T) {
	hits := s.search(t, winnow.Query{Text: "zzz basket", K: 50, Legs: []winnow.Leg{winnow.LegBM25}})
	for _, h := range hits {
		if !strings.Contains(strings.ToLower(h.Text+h.Title), "basket") {
			t.Errorf("%s holds none of the words", h.ID)
		}
	}
	if len(hits) != berries {
		t.Errorf("%d hits, want %d", len(hits), berries)
	}
}

func (s *suite) errors(t *testing.T) {
	for name, test := range map[string]struct {
		call func(context.Context) error
		want winnow.Code
	}{
		"a bad pattern":       {func(ctx context.Context) error { _, err := s.c.Grep(ctx, winnow.GrepQuery{Pattern: "("}); return err }, winnow.BadPattern},
		"an unknown document": {func(ctx context.Context) error { _, err := s.c.Read(ctx, winnow.ReadQuery{ID: "nothing"}); return err }, winnow.NotFound},
		"a line that is not": {func(ctx context.Context) error {
			_, err := s.c.Read(ctx, winnow.ReadQuery{ID: "pears", Line: 99})
			return err
		}, winnow.NotFound},
		"a neighbour of nobody": {func(ctx context.Context) error {
			_, err := s.c.Neighbours(ctx, winnow.LinkQuery{From: []string{"nothing"}})
			return err
		}, winnow.NotFound},
		"no JSON":             {s.searchIn(winnow.Scope{Where: json.RawMessage(`{"kind"`)}), winnow.BadFilter},
		"an unknown operator": {s.searchIn(winnow.Scope{Where: json.RawMessage(`{"kind": {"$like": "x"}}`)}), winnow.BadFilter},
		"an unknown key":      {s.searchIn(winnow.Scope{Where: json.RawMessage(`{"knid": "tree"}`)}), winnow.BadFilter},
		"a bad text filter":   {s.searchIn(winnow.Scope{WhereDocument: json.RawMessage(`{"$regex": "("}`)}), ""},
	} {
		err := test.call(t.Context())
		var e *winnow.Error
		if !errors.As(err, &e) || e.Message == "" || e.Hint == "" || test.want != "" && e.Code != test.want {
			t.Errorf("%s gives %#v, want the code %s with a sentence and a hint", name, err, test.want)
		}
	}
	if hits := s.search(t, winnow.Query{Text: "berry", K: 3}); len(hits) != 3 {
		t.Error("after failures a search does not work")
	}
}

func (s *suite) searchIn(scope winnow.Scope) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := s.c.Search(ctx, winnow.Query{Text: "pears", Scope: scope})
		return err
	}
}

func (s *suite) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"search": func() error { _, err := s.c.Search(ctx, winnow.Query{Text: "berry"}); return err },
		"read":   func() error { _, err := s.c.Read(ctx, winnow.ReadQuery{ID: "pears"}); return err },
		"grep":   func() error { _, err := s.c.Grep(ctx, winnow.GrepQuery{Pattern: "berry"}); return err },
		"links": func() error {
			_, err := s.c.Neighbours(ctx, winnow.LinkQuery{From: []string{"orchard.md"}, Question: "apples"})
			return err
		},
		"describe": func() error { _, err := s.c.Describe(ctx); return err },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s gives %v", name, err)
		}
	}
}

func (s *suite) concurrent(t *testing.T) {
	texts := []string{"berry", "sweet apple", "gate in winter", "older than cider", "Weg zur Mühle", "basket number 3"}
	alone := map[string][]string{}
	for _, text := range texts {
		alone[text] = chunks(s.search(t, winnow.Query{Text: text, K: 8}))
	}
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			for j := range 6 {
				text := texts[(i+j)%len(texts)]
				r, err := s.c.Search(t.Context(), winnow.Query{Text: text, K: 8})
				if err != nil || !slices.Equal(chunks(r.Hits), alone[text]) {
					t.Errorf("%q gives another answer in company: %v", text, err)
					return
				}
				if _, err := s.c.Read(t.Context(), winnow.ReadQuery{ID: "apples.md"}); err != nil {
					t.Error(err)
				}
				if m, err := s.c.Grep(t.Context(), winnow.GrepQuery{Pattern: "berry"}); err != nil || len(m.Matches) != berries {
					t.Errorf("grep in company: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

func empty(t *testing.T, c winnow.Corpus) {
	r, err := c.Search(t.Context(), winnow.Query{Text: "anything"})
	if err != nil || r.Hits == nil || len(r.Hits) != 0 {
		t.Errorf("search gives %+v (%v)", r, err)
	}
	m, err := c.Grep(t.Context(), winnow.GrepQuery{Pattern: "anything"})
	if err != nil || m.Matches == nil || len(m.Matches) != 0 {
		t.Errorf("grep gives %+v (%v)", m, err)
	}
	if _, err := c.Read(t.Context(), winnow.ReadQuery{ID: "anything"}); winnow.CodeOf(err) != winnow.NotFound {
		t.Errorf("read gives %v", err)
	}
	if d, err := c.Describe(t.Context()); err != nil || d.Documents != 0 || d.Chunks != 0 {
		t.Errorf("describe gives %+v (%v)", d, err)
	}
}
