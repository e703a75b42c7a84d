package corpustest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
)

func (s *suite) read(t *testing.T) {
	for _, want := range s.docs {
		d, err := s.c.Read(t.Context(), winnow.ReadQuery{ID: want.ID})
		if want.ID == "pears_1" { // also the second chunk of "pears"
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", want.ID, err)
			continue
		}
		if d.ID != want.ID || d.Title != want.Title || d.Text() != want.Text() || len(d.Chunks) != len(want.Chunks) {
			t.Errorf("%s is read as %+v", want.ID, d)
		}
		for i, c := range d.Chunks {
			if c.Ordinal != i || c.Document != want.ID || c.Lines != want.Chunks[i].Lines || c.Collection == "" {
				t.Errorf("chunk %d of %s is %+v", i, want.ID, c)
			}
			one, err := s.c.Read(t.Context(), winnow.ReadQuery{ID: c.ID})
			if err != nil || one.ID != want.ID || len(one.Chunks) != 1 || one.Chunks[0].Text != c.Text {
				t.Errorf("the chunk %s is read as %+v (%v)", c.ID, one, err)
			}
		}
	}
	for _, q := range []winnow.ReadQuery{{ID: "orchard.md:3"}, {ID: "orchard.md", Line: 3}} {
		if d, err := s.c.Read(t.Context(), q); err != nil || len(d.Chunks) != 1 || d.Chunks[0].Ordinal != 1 {
			t.Errorf("%+v is %+v (%v)", q, d, err)
		}
	}
}

func (s *suite) ids(t *testing.T) {
	const id = "ünï/文書 № 7_0.md"
	hits := s.search(t, winnow.Query{Text: "文書を読む Mühle", K: 2})
	if len(hits) == 0 || hits[0].Document != id {
		t.Fatalf("found %v", documents(hits))
	}
	left := s.search(t, winnow.Query{Text: "文書を読む Mühle", K: 50, Scope: winnow.Scope{ExcludeChunks: chunks(hits[:1])}})
	if slices.Contains(chunks(left), hits[0].ID) {
		t.Errorf("%s was excluded", hits[0].ID)
	}
	// pears_1 is a document, and may be a chunk of pears too: what is asked for by
	// either meaning is one of the two, and never an error.
	d, err := s.c.Read(t.Context(), winnow.ReadQuery{ID: "pears_1"})
	if err != nil || d.ID != "pears" && d.ID != "pears_1" {
		t.Errorf("pears_1 is %+v (%v)", d, err)
	}
}

func (s *suite) grep(t *testing.T) {
	m, err := s.c.Grep(t.Context(), winnow.GrepQuery{Pattern: `number 0[0-9]`})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Matches) != 10 || m.Truncated {
		t.Errorf("%d lines, truncated %v", len(m.Matches), m.Truncated)
	}
	re := regexp.MustCompile(`number 0[0-9]`)
	for i, l := range m.Matches {
		if !re.MatchString(l.Text) || l.Line != 1 || l.Chunk.Document != fmt.Sprintf("berry%02d", i) || l.Chunk.Collection == "" {
			t.Errorf("line %d is %+v", i, l)
		}
	}
	if m, err := s.c.Grep(t.Context(), winnow.GrepQuery{Pattern: "^Ask.*key"}); err != nil || len(m.Matches) != 1 || m.Matches[0].Line != 3 || m.Matches[0].Text != "Ask for the key." {
		t.Errorf("a line in the middle of a chunk is %+v (%v)", m, err)
	}
	if m, err := s.c.Grep(t.Context(), winnow.GrepQuery{Pattern: "berry", Limit: 3}); err != nil || len(m.Matches) != 3 || !m.Truncated {
		t.Errorf("limited to 3: %+v (%v)", m, err)
	}
	if m, err := s.c.Grep(t.Context(), winnow.GrepQuery{Pattern: "e", Chunks: 2}); err != nil || !m.Truncated || len(m.Matches) == 0 {
		t.Errorf("limited to 2 chunks: %+v (%v)", m, err)
	}
	if m, err := s.c.Grep(t.Context(), winnow.GrepQuery{Pattern: "berry", Scope: winnow.Scope{Where: json.RawMessage(`{"number": {"$lte": 1}}`), ExcludeDocuments: []string{"berry00"}}}); err != nil || len(m.Matches) != 1 {
		t.Errorf("in a scope: %+v (%v)", m, err)
	}
	if m, err := s.c.Grep(t.Context(), winnow.GrepQuery{Pattern: "no such thing"}); err != nil || m.Matches == nil || len(m.Matches) != 0 {
		t.Errorf("what is nowhere: %+v (%v)", m, err)
	}
}

func (s *suite) links(t *testing.T) {
	for from, want := range map[string]string{"orchard.md": "apples.md", "apples.md": "orchard.md"} {
		found, err := s.c.Neighbours(t.Context(), winnow.LinkQuery{From: []string{from}, K: 5})
		if err != nil || len(found.Warnings) != 0 {
			t.Errorf("%s: %+v (%v)", from, found, err)
			continue
		}
		ns := found.Neighbours
		if !slices.ContainsFunc(ns, func(n winnow.Neighbour) bool { return n.Document == want && n.Kind != "" && n.Via != "" }) {
			t.Errorf("from %s links lead to %+v, want %s", from, ns, want)
		}
		if len(ns) > 5 || slices.ContainsFunc(ns, func(n winnow.Neighbour) bool { return n.Document == from }) {
			t.Errorf("%s: %d neighbours, itself among them or too many", from, len(ns))
		}
	}
	found, err := s.c.Neighbours(t.Context(), winnow.LinkQuery{From: []string{"orchard.md"}, Scope: winnow.Scope{ExcludeDocuments: []string{"apples.md"}}})
	if err != nil || slices.ContainsFunc(found.Neighbours, func(n winnow.Neighbour) bool { return n.Document == "apples.md" }) {
		t.Errorf("what is excluded comes as a neighbour: %+v (%v)", found, err)
	}
}

func (s *suite) noLinks(t *testing.T) {
	found, err := s.c.Neighbours(t.Context(), winnow.LinkQuery{From: []string{"berry01"}, Scope: winnow.Scope{Where: json.RawMessage(`{"kind": "drink"}`)}})
	if err != nil || found.Neighbours == nil || found.Warnings == nil || len(found.Neighbours)+len(found.Warnings) != 0 {
		t.Errorf("links that lead nowhere are %+v (%v)", found, err)
	}
}

func (s *suite) describe(t *testing.T) {
	d, err := s.c.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	chunks := 0
	for _, doc := range s.docs {
		chunks += len(doc.Chunks)
	}
	if d.Chunks != chunks || d.Documents != len(s.docs) {
		t.Errorf("%d documents and %d chunks, want %d and %d", d.Documents, d.Chunks, len(s.docs), chunks)
	}
	if !slices.ContainsFunc(d.Keys, func(k winnow.KeyUse) bool { return k.Key == "kind" && len(k.Values) > 2 }) {
		t.Errorf("the keys are %+v", d.Keys)
	}
}
