package index_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/filter"
	"github.com/winnow-search/winnow/index"
	"github.com/winnow-search/winnow/index/bm25"
)

// model is the index as a map: what every search is compared with.
type model map[string]*modelDoc

type modelDoc struct {
	*winnow.Document
	freqs []map[string]uint32 // of each chunk
	lens  []int
}

func newModelDoc(a *bm25.Analyzer, d *winnow.Document) *modelDoc {
	md := &modelDoc{Document: d}
	for i := range d.Chunks {
		freqs := map[string]uint32{}
		n := 0
		for _, term := range append(a.Terms(d.Title), a.Terms(d.Chunks[i].Text)...) {
			freqs[term]++
			n++
		}
		md.freqs, md.lens = append(md.freqs, freqs), append(md.lens, n)
	}
	return md
}

// words has common and rare ones, so that lists of one block and of many occur
// and frequencies tie.
var words = func() []string {
	w := strings.Fields("river mountain valley stone bridge castle king queen market winter summer harvest engine signal copper silver ocean island harbour letter")
	for i := range 60 {
		w = append(w, fmt.Sprintf("rare%d", i))
	}
	return w
}()

func randomDocument(r *rand.Rand, id string) *winnow.Document {
	d := &winnow.Document{ID: id, Title: words[r.IntN(len(words))], Metadata: winnow.Metadata{"year": int64(1990 + r.IntN(5))}}
	if r.IntN(2) == 0 {
		d.Metadata["kind"] = []string{"memo", "report"}[r.IntN(2)]
	}
	start, line := 0, 1
	for n := range 1 + r.IntN(3) {
		var b strings.Builder
		for range 1 + r.IntN(30) {
			i := int(float64(len(words)) * r.Float64() * r.Float64() * r.Float64())
			b.WriteString(words[i])
			b.WriteByte(" \n"[r.IntN(2)])
		}
		text := b.String()
		lines := strings.Count(text, "\n")
		c := winnow.Chunk{Ordinal: n, Text: text, Start: start, Tokens: len(text), Lines: [2]int{line, line + lines}}
		if r.IntN(4) == 0 {
			c.Metadata = winnow.Metadata{"year": float64(2000) + 0.5, "own": true}
		}
		d.Chunks = append(d.Chunks, c)
		start += len(text)
		line += lines
	}
	return d
}

var analyzer = func() *bm25.Analyzer {
	a, err := bm25.NewAnalyzer("")
	if err != nil {
		panic(err)
	}
	return a
}()

type naiveHit struct {
	id, doc string
	ordinal int
	score   float64
}

func merged(d *winnow.Document, c *winnow.Chunk) winnow.Metadata {
	m := winnow.Metadata{}
	for k, v := range d.Metadata {
		m[k] = v
	}
	for k, v := range c.Metadata {
		m[k] = v
	}
	return m
}

// search scores every chunk by the formula, then sorts.
func (m model) search(t *testing.T, q winnow.Query) []naiveHit {
	t.Helper()
	df := map[string]int{}
	var st bm25.Stats
	for _, d := range m {
		for i := range d.Chunks {
			for term := range d.freqs[i] {
				df[term]++
			}
			st.Chunks++
			st.Terms += int64(d.lens[i])
		}
	}
	var terms []bm25.Term
	counts := map[string]float64{}
	for _, term := range analyzer.QueryTerms(q.Text) {
		counts[term]++
	}
	for term, n := range counts {
		if df[term] > 0 {
			terms = append(terms, bm25.Term{Text: term, DF: df[term], IDF: n * bm25.IDF(st.Chunks, df[term])})
		}
	}
	bm25.Order(terms)
	var where, whereDoc filter.Expr
	var err error
	if len(q.Scope.Where) > 0 {
		if where, err = filter.Parse(q.Scope.Where); err != nil {
			t.Fatal(err)
		}
	}
	if len(q.Scope.WhereDocument) > 0 {
		if whereDoc, err = filter.ParseDocument(q.Scope.WhereDocument); err != nil {
			t.Fatal(err)
		}
	}
	norms := bm25.NewNorms(st)
	var hits []naiveHit
	for _, d := range m {
		for i := range d.Chunks {
			c := &d.Chunks[i]
			id := winnow.ChunkID(d.ID, c.Ordinal)
			meta := merged(d.Document, c)
			if slices.Contains(q.Scope.ExcludeChunks, id) || slices.Contains(q.Scope.ExcludeDocuments, d.ID) ||
				where != nil && !filter.Match(where, meta, c.Text) || whereDoc != nil && !filter.Match(whereDoc, meta, c.Text) {
				continue
			}
			score, matched := 0.0, false
			for _, term := range terms {
				if f := d.freqs[i][term.Text]; f > 0 {
					score += bm25.Weight(term.IDF, norms[d.lens[i]], f)
					matched = true
				}
			}
			if matched {
				hits = append(hits, naiveHit{id, d.ID, c.Ordinal, score})
			}
		}
	}
	slices.SortFunc(hits, func(x, y naiveHit) int {
		if x.score != y.score {
			if x.score > y.score {
				return -1
			}
			return 1
		}
		if x.doc != y.doc {
			return strings.Compare(x.doc, y.doc)
		}
		return x.ordinal - y.ordinal
	})
	return hits[:min(len(hits), q.K)]
}

var wheres = []string{
	`{"year": {"$gte": 1992}}`, `{"kind": "memo"}`, `{"kind": {"$ne": "memo"}}`, `{"$or": [{"year": 1990}, {"own": true}]}`,
	`{"$and": [{"year": {"$lt": 1994}}, {"kind": {"$in": ["memo", "report"]}}]}`, `{"year": 2000.5}`, `{"kind": {"$nin": ["report"]}}`,
}

var whereDocs = []string{
	`{"$contains": "castle"}`, `{"$not_contains": "castle"}`, `{"$regex": "rare[0-9]+"}`, `{"$not_regex": "(?i)QUEEN|king"}`,
}

func randomQuery(r *rand.Rand, m model) winnow.Query {
	q := winnow.Query{K: 1 + r.IntN(60)}
	var text []string
	for range 1 + r.IntN(8) {
		text = append(text, words[r.IntN(len(words))])
	}
	q.Text = strings.Join(text, " ")
	if r.IntN(2) == 0 {
		for id, d := range m {
			switch r.IntN(6) {
			case 0:
				q.Scope.ExcludeDocuments = append(q.Scope.ExcludeDocuments, id)
			case 1:
				q.Scope.ExcludeChunks = append(q.Scope.ExcludeChunks, winnow.ChunkID(id, r.IntN(len(d.Chunks))))
			}
		}
	}
	if r.IntN(3) == 0 {
		q.Scope.Where = json.RawMessage(wheres[r.IntN(len(wheres))])
	}
	if r.IntN(4) == 0 {
		q.Scope.WhereDocument = json.RawMessage(whereDocs[r.IntN(len(whereDocs))])
	}
	return q
}

// TestSearchEqualsNaiveScorer runs random histories of puts, deletions, commits
// and merges and compares every search with the model, scores to the last bit.
func TestSearchEqualsNaiveScorer(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 7))
			ix, err := index.Create(t.TempDir(), index.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			defer ix.Close()
			w, err := ix.Writer()
			if err != nil {
				t.Fatal(err)
			}
			m := model{}
			for range 6 {
				for range 1 + r.IntN(300) {
					id := fmt.Sprintf("d%d", r.IntN(400))
					if r.IntN(5) == 0 {
						delete(m, id)
						if err := w.Delete(ctx, id); err != nil {
							t.Fatal(err)
						}
						continue
					}
					m[id] = newModelDoc(analyzer, randomDocument(r, id))
					if err := w.Put(ctx, m[id].Document); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Commit(ctx); err != nil {
					t.Fatal(err)
				}
				if r.IntN(3) == 0 {
					if err := ix.Merge(ctx); err != nil {
						t.Fatal(err)
					}
				}
				compare(t, ix, m, r)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			compare(t, ix, m, r)
		})
	}
}

func compare(t *testing.T, ix *index.Index, m model, r *rand.Rand) {
	t.Helper()
	snap, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if got := snap.Info().Documents; got != len(m) {
		t.Fatalf("%d documents, want %d", got, len(m))
	}
	for range 15 {
		q := randomQuery(r, m)
		got, err := snap.Search(context.Background(), index.Request{Query: q})
		if winnow.CodeOf(err) == winnow.BadFilter { // a key that no document has
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		want := m.search(t, q)
		if len(got.Hits) != len(want) {
			t.Fatalf("%+v: %d hits, want %d", q, len(got.Hits), len(want))
		}
		for i, h := range got.Hits {
			if h.ID != want[i].id || h.Score != want[i].score {
				t.Fatalf("%+v: hit %d is %s (%v), want %s (%v)", q, i, h.ID, h.Score, want[i].id, want[i].score)
			}
			d := m[h.Document]
			if h.Text != d.Chunks[h.Ordinal].Text || h.Title != d.Title {
				t.Fatalf("%s came back with other content", h.ID)
			}
		}
	}
}
