package chroma_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/chroma"
	"github.com/winnow-search/winnow/corpus/chroma/chromatest"
	"github.com/winnow-search/winnow/corpus/corpustest"
)

func remote(t *testing.T, c *chroma.Collection, o chroma.CorpusOptions) *chroma.Remote {
	t.Helper()
	r, err := chroma.OpenRemote(t.Context(), c, chroma.Layout{}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestQuotasAreKeptBySplitting(t *testing.T) {
	s := chromatest.Start(t, chromatest.Options{Cloud: true})
	var docs []*winnow.Document
	for i := range 700 {
		docs = append(docs, plain(fmt.Sprintf("d%03d", i), fmt.Sprintf("the same words and number %d", i)))
	}
	r := remote(t, written(t, s.URL, "many", docs), options())
	got, err := r.Search(t.Context(), winnow.Query{Text: "the same words and number", K: 650})
	if err != nil || len(got.Hits) != 650 {
		t.Fatalf("%d hits (%v), want 650 in pages of 300", len(got.Hits), err)
	}
	ids := map[string]bool{}
	for _, h := range got.Hits {
		ids[h.ID] = true
	}
	if len(ids) != 650 {
		t.Errorf("%d different ones among 650", len(ids))
	}
	m, err := r.Grep(t.Context(), winnow.GrepQuery{Pattern: "number [0-9]+$"})
	if err != nil || len(m.Matches) != 700 {
		t.Errorf("%d lines (%v), want 700", len(m.Matches), err)
	}
	var many []string
	for i := range 9 {
		many = append(many, fmt.Sprintf(`{"winnow_chunk": {"$ne": %d}}`, i+1))
	}
	_, err = r.Search(t.Context(), winnow.Query{Text: "words", Scope: winnow.Scope{Where: json.RawMessage(`{"$and": [` + strings.Join(many, ",") + `]}`)}})
	if winnow.CodeOf(err) != winnow.BadFilter {
		t.Errorf("nine conditions give %v", err)
	}
	if _, err := r.Grep(t.Context(), winnow.GrepQuery{Pattern: strings.Repeat("a", 300)}); winnow.CodeOf(err) != winnow.BadPattern {
		t.Errorf("a long pattern gives %v", err)
	}
}

func TestTheServerGroupsByDocument(t *testing.T) {
	s := chromatest.Start(t, chromatest.Options{Cloud: true})
	long := &winnow.Document{ID: "long"}
	for i := range 10 {
		long.Chunks = append(long.Chunks, winnow.Chunk{Text: fmt.Sprintf("a berry, part %d\n", i), Lines: [2]int{i + 1, i + 1}})
	}
	c := written(t, s.URL, "grouped", append(corpustest.Library(), long))
	o := options()
	o.PerDocument = 2
	got, err := remote(t, c, o).Search(t.Context(), winnow.Query{Text: "a berry, part", K: 8})
	if err != nil || len(got.Hits) != 8 {
		t.Fatalf("%+v (%v)", got, err)
	}
	of := 0
	for _, h := range got.Hits {
		if h.Document == "long" {
			of++
		}
	}
	if of != 2 {
		t.Errorf("%d chunks of one document, want 2", of)
	}
}

func TestTheServersLegsAreExplained(t *testing.T) {
	s := chromatest.Start(t, chromatest.Options{Cloud: true})
	r := remote(t, written(t, s.URL, "library", corpustest.Library()), options())
	got, err := r.Search(t.Context(), winnow.Query{Text: "sweet apple", K: 1, Explain: true})
	if err != nil || len(got.Hits) != 1 {
		t.Fatalf("%+v (%v)", got, err)
	}
	var legs []winnow.Leg
	for _, l := range got.Hits[0].Legs {
		legs = append(legs, l.Leg)
		if l.Rank != 1 {
			t.Errorf("it is at rank %d of %s", l.Rank, l.Leg)
		}
	}
	if !slices.Equal(legs, []winnow.Leg{winnow.LegBM25, winnow.LegDense, "fusion"}) {
		t.Errorf("the legs are %v", legs)
	}
}

func TestACollectionWithoutWordsIsSearchedByMeaning(t *testing.T) {
	s := chromatest.Start(t, chromatest.Options{Cloud: true})
	c := written(t, s.URL, "vectors", corpustest.Library())
	c.Schema = nil // as another client made it
	got, err := remote(t, c, options()).Search(t.Context(), winnow.Query{Text: "sweet apple", K: 3})
	if err != nil || len(got.Hits) != 3 || len(got.Warnings) != 1 {
		t.Errorf("%+v (%v)", got, err)
	}
}

func TestAKeyIsForItsDatabase(t *testing.T) {
	s := chromatest.Start(t, chromatest.Options{Cloud: true, Token: "tok"})
	if _, err := dial(t, s.URL, "library", chroma.Options{Token: "wrong"}).Collection(t.Context()); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("a wrong key gives %v", err)
	}
	client := dial(t, s.URL, "library", chroma.Options{Token: "tok"})
	if _, err := client.Make(t.Context(), nil, chroma.Function{Type: "unknown"}); err != nil {
		t.Fatal(err)
	}
	if a := client.Address(); a.Tenant != "default_tenant" || a.Database != "default_database" {
		t.Errorf("the key's database is %+v", a)
	}
	if c, err := client.Collection(t.Context()); err != nil || !c.Limits().Search {
		t.Errorf("%+v (%v)", c, err)
	}
}
