package index_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

// bagOfWords embeds a text as the hashed bag of its words: near texts share
// words, which is all a test of the machinery needs.
type bagOfWords struct {
	dim    int
	texts  atomic.Int64
	failAt int64 // the text at which it fails, 0 for never
}

func (b *bagOfWords) Name() string { return "bag/1" }
func (b *bagOfWords) Dim() int     { return b.dim }
func (b *bagOfWords) Embed(ctx context.Context, texts []string) ([][]winnow.Vector, error) {
	out := make([][]winnow.Vector, len(texts))
	for i, text := range texts {
		if n := b.texts.Add(1); b.failAt > 0 && n >= b.failAt {
			return nil, errors.New("the model went away")
		}
		if text != "" {
			out[i] = []winnow.Vector{b.vector(text)}
		}
	}
	return out, ctx.Err()
}

func (b *bagOfWords) vector(text string) winnow.Vector {
	v := make(winnow.Vector, b.dim)
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		h := fnv.New32a()
		h.Write([]byte(strings.Trim(w, ".,?")))
		v[h.Sum32()%uint32(b.dim)]++
	}
	n := 0.0
	for _, x := range v {
		n += float64(x * x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(n))
	}
	return v
}

func passage(id, title, text string) *winnow.Document {
	return &winnow.Document{ID: id, Title: title, Chunks: []winnow.Chunk{{Text: text, Lines: [2]int{1, 1}}}}
}

// story is a corpus with a bridge: the question names the film, the film's
// passage names its director, and only the director's passage has the answer.
var story = []*winnow.Document{
	passage("film", "The Copper Valley", "The Copper Valley is a film by the director Mara Lindqvist about a mine."),
	passage("director", "Mara Lindqvist", "Mara Lindqvist studied at the harbour college before she made pictures."),
	passage("mine", "Copper mining", "Copper mining needs pumps, shafts and patience."),
	passage("other", "Silver Hill", "Silver Hill is a film by Jon Aberg. It was shot in winter."),
	passage("club", "Sailing club", "The sailing club was founded by friends, among them Tove Brandt."),
	passage("cup", "Harbour Cup", "The Harbour Cup was won twice by Tove Brandt."),
}

func filled(t *testing.T, docs []*winnow.Document, e winnow.Embedder) *index.Index {
	t.Helper()
	ix, err := index.Create(t.TempDir(), index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	put(t, ix, docs...)
	if e != nil {
		if err := ix.Fill(t.Context(), e, index.FillOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return ix
}

func put(t *testing.T, ix *index.Index, docs ...*winnow.Document) {
	t.Helper()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if err := w.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
}

func pin(t *testing.T, ix *index.Index) *index.Snapshot {
	t.Helper()
	s, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func documents(hits []winnow.Hit) (ids []string) {
	for _, h := range hits {
		ids = append(ids, h.Document)
	}
	return ids
}

func neighbours(t *testing.T, s *index.Snapshot, q winnow.LinkQuery) map[string]winnow.Neighbour {
	t.Helper()
	found, err := s.Neighbours(t.Context(), index.LinkRequest{LinkQuery: q})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]winnow.Neighbour{}
	for _, n := range found {
		out[n.Document] = n
	}
	return out
}

func TestNamesLinkDocumentsBothWays(t *testing.T) {
	s := pin(t, filled(t, story, nil))
	if n, ok := neighbours(t, s, winnow.LinkQuery{From: []string{"film"}})["director"]; !ok || n.Back || n.Via != "mara lindqvist" || n.Kind != winnow.LinkNamed {
		t.Errorf("the film does not lead to its director: %+v", n)
	}
	if n, ok := neighbours(t, s, winnow.LinkQuery{From: []string{"director_0"}})["film"]; !ok || !n.Back {
		t.Errorf("the director does not lead back to the film: %+v", n)
	}
	if n, ok := neighbours(t, s, winnow.LinkQuery{From: []string{"club"}})["cup"]; !ok || n.Kind != winnow.LinkShared || n.Via != "tove brandt" {
		t.Errorf("a shared name does not link: %+v", n)
	}
	if _, err := s.Neighbours(t.Context(), index.LinkRequest{LinkQuery: winnow.LinkQuery{From: []string{"nobody"}}}); winnow.CodeOf(err) != winnow.NotFound {
		t.Errorf("an unknown id gives %v", err)
	}
}

func TestExplicitLinksAreFollowed(t *testing.T) {
	mail := passage("m2", "Re: budget", "yes, approved")
	mail.Links = []winnow.Link{{Kind: winnow.LinkReply, Target: "<1@x>"}}
	asked := passage("m1", "budget", "may we spend it?")
	asked.Names = []string{"<1@x>"}
	s := pin(t, filled(t, []*winnow.Document{mail, asked}, nil))
	if n, ok := neighbours(t, s, winnow.LinkQuery{From: []string{"m2"}})["m1"]; !ok || n.Kind != winnow.LinkReply {
		t.Errorf("a reply does not lead to what it answers: %+v", n)
	}
	if _, ok := neighbours(t, s, winnow.LinkQuery{From: []string{"m1"}})["m2"]; !ok {
		t.Error("a mail does not lead to its answer")
	}
}

func TestLaterDocumentsLinkAtOnce(t *testing.T) {
	ix := filled(t, story[:1], nil)
	put(t, ix, story[1:]...)
	check := func(when string) {
		t.Helper()
		s := pin(t, ix)
		if _, ok := neighbours(t, s, winnow.LinkQuery{From: []string{"film"}})["director"]; !ok {
			t.Errorf("%s: an old text does not lead to a new document that it names", when)
		}
		if _, ok := neighbours(t, s, winnow.LinkQuery{From: []string{"director"}})["film"]; !ok {
			t.Errorf("%s: a new document does not lead back to an old text", when)
		}
	}
	check("in two segments")
	if err := ix.Merge(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("merged")
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Delete(t.Context(), "director"), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, ok := neighbours(t, pin(t, ix), winnow.LinkQuery{From: []string{"film"}})["director"]; ok {
		t.Error("a link leads to a deleted document")
	}
}

func TestLinksBringInWhatTheQuestionDoesNotSay(t *testing.T) {
	e := &bagOfWords{dim: 64}
	s := pin(t, filled(t, story, e))
	question := "Which college did the maker of The Copper Valley attend?"
	r, err := s.Search(t.Context(), index.Request{
		Query: winnow.Query{Text: question, K: 3, Legs: []winnow.Leg{winnow.LegBM25, winnow.LegLinks}, Explain: true}})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(documents(r.Hits), "director")
	if at < 0 {
		t.Fatalf("the director is not among %v", documents(r.Hits))
	}
	if !slices.ContainsFunc(r.Hits[at].Legs, func(l winnow.LegScore) bool { return l.Leg == winnow.LegLinks && l.Via != "" }) {
		t.Errorf("the links leg is not explained: %+v", r.Hits[at].Legs)
	}
}

func TestDenseLegFindsByVector(t *testing.T) {
	e := &bagOfWords{dim: 64}
	s := pin(t, filled(t, story, e))
	r, err := s.Search(t.Context(), index.Request{Query: winnow.Query{Text: "x", K: 2, Legs: []winnow.Leg{winnow.LegDense}},
		Space: e.Name(), Vector: e.vector(index.EmbedText(story[5].Title, "", story[5].Chunks[0].Text))})
	if err != nil {
		t.Fatal(err)
	}
	if got := documents(r.Hits); len(got) != 2 || got[0] != "cup" {
		t.Errorf("nearest are %v, want cup first", got)
	}
	if r.Coverage != 1 {
		t.Errorf("coverage is %v", r.Coverage)
	}
}

// many returns n documents of several kinds in random-looking order.
func many(n int) (docs []*winnow.Document) {
	for i := range n {
		docs = append(docs, passage(fmt.Sprintf("d%03d", i*7%n), fmt.Sprintf("Title %d", i), fmt.Sprintf("%s %s common text number %d", words[i%20], words[(i*3)%20], i)))
	}
	return docs
}

func TestEveryPathReturnsKWheneverKExist(t *testing.T) {
	e := &bagOfWords{dim: 64}
	ix := filled(t, many(300), e)
	s := pin(t, ix)
	var excluded []string
	for i := range 295 {
		excluded = append(excluded, fmt.Sprintf("d%03d", i))
	}
	for _, legs := range [][]winnow.Leg{nil, {winnow.LegBM25}, {winnow.LegDense}, {winnow.LegBM25, winnow.LegDense}, {winnow.LegBM25, winnow.LegLinks}} {
		for _, ranker := range []index.Ranker{nil, index.Unranked} {
			for _, c := range []struct {
				k, want int
				exclude []string
			}{{5, 5, nil}, {200, 200, nil}, {300, 300, nil}, {10, 5, excluded}, {3, 3, excluded}} {
				r, err := s.Search(t.Context(), index.Request{Space: e.Name(), Vector: e.vector("common text"), Ranker: ranker,
					Query: winnow.Query{Text: "common text river", K: c.k, Legs: legs, Scope: winnow.Scope{ExcludeDocuments: c.exclude}}})
				if err != nil {
					t.Fatal(err)
				}
				got := documents(r.Hits)
				if len(got) != c.want {
					t.Errorf("legs %v, ranker %v: %d hits of %d wanted, %d excluded", legs, ranker != nil, len(got), c.want, len(c.exclude))
				}
				slices.Sort(got)
				if len(slices.Compact(got)) != len(r.Hits) {
					t.Errorf("legs %v: a chunk is returned twice", legs)
				}
				for _, id := range got {
					if slices.Contains(c.exclude, id) {
						t.Errorf("legs %v: %s is excluded and returned", legs, id)
					}
				}
			}
		}
	}
}

func TestHalfTheVectorsSearchCorrectly(t *testing.T) {
	ix := filled(t, many(200), nil)
	e := &bagOfWords{dim: 64, failAt: 130} // two batches of 64, then the model goes away
	if err := ix.Fill(t.Context(), e, index.FillOptions{}); err == nil {
		t.Fatal("a failing embedder fills")
	}
	s := pin(t, ix)
	if got := s.Coverage(e.Name()); got != 128.0/200 {
		t.Fatalf("coverage is %v, want what was computed", got)
	}
	r, err := s.Search(t.Context(), index.Request{Query: winnow.Query{Text: "common", K: 150, Legs: []winnow.Leg{winnow.LegDense}}, Space: e.Name(), Vector: e.vector("common")})
	if err != nil || len(r.Hits) != 128 {
		t.Fatalf("%d hits of the 128 with vectors, %v", len(r.Hits), err)
	}
	e.failAt = 0
	before := e.texts.Load()
	if err := ix.Fill(t.Context(), e, index.FillOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := e.texts.Load() - before; n != 72 {
		t.Errorf("the second run embedded %d texts, want the 72 that were left", n)
	}
	if got := pin(t, ix).Coverage(e.Name()); got != 1 {
		t.Errorf("coverage is %v in the end", got)
	}
}

func TestMergesKeepVectors(t *testing.T) {
	e := &bagOfWords{dim: 64}
	ix := filled(t, many(120)[:60], e)
	put(t, ix, many(120)[60:]...)
	if err := ix.Fill(t.Context(), e, index.FillOptions{}); err != nil {
		t.Fatal(err)
	}
	ask := func() []winnow.Hit {
		r, err := pin(t, ix).Search(t.Context(), index.Request{Query: winnow.Query{Text: "river", K: 30}, Space: e.Name(), Vector: e.vector("river common"), Ranker: index.Unranked})
		if err != nil {
			t.Fatal(err)
		}
		return r.Hits
	}
	before := documents(ask())
	embedded := e.texts.Load()
	if err := ix.Merge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := pin(t, ix).Coverage(e.Name()); got != 1 {
		t.Errorf("coverage is %v after a merge", got)
	}
	if after := documents(ask()); !slices.Equal(after, before) {
		t.Errorf("a merge changes the answer:\n%v\n%v", before, after)
	}
	if err := ix.Fill(t.Context(), e, index.FillOptions{}); err != nil || e.texts.Load() != embedded {
		t.Errorf("a merge has texts embedded again (%v)", err)
	}
	if err := pin(t, ix).Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestOtherDimensionIsRefused(t *testing.T) {
	ix := filled(t, many(10), &bagOfWords{dim: 64})
	put(t, ix, passage("new", "", "text"))
	wide := &bagOfWords{dim: 128}
	if err := ix.Fill(t.Context(), wide, index.FillOptions{}); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("filling with another dimension gives %v", err)
	}
	s := pin(t, ix)
	if _, err := s.Search(t.Context(), index.Request{Query: winnow.Query{Text: "x"}, Space: wide.Name(), Vector: wide.vector("x")}); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("a query of another dimension gives %v", err)
	}
}

func TestSynonymsAndBoostsShow(t *testing.T) {
	docs := []*winnow.Document{passage("a", "", "the automobile is red"), passage("b", "", "the wagon is red")}
	docs[1].Metadata = winnow.Metadata{"kind": "note"}
	s := pin(t, filled(t, docs, nil))
	r, err := s.Search(t.Context(), index.Request{Query: winnow.Query{Text: "car"}, Synonyms: map[string][]string{"cars": {"automobile"}}})
	if err != nil || !slices.Equal(documents(r.Hits), []string{"a"}) {
		t.Errorf("a synonym finds %v, %v", documents(r.Hits), err)
	}
	boost := []index.Boost{{Where: []byte(`{"kind": "note"}`), Factor: 3}}
	r, err = s.Search(t.Context(), index.Request{Query: winnow.Query{Text: "red", Explain: true}, Boosts: boost})
	if err != nil || !slices.Equal(documents(r.Hits), []string{"b", "a"}) {
		t.Fatalf("a boost gives %v, %v", documents(r.Hits), err)
	}
	if !slices.ContainsFunc(r.Hits[0].Legs, func(l winnow.LegScore) bool { return l.Leg == "boost" && l.Score == 3 }) {
		t.Errorf("the boost does not show: %+v", r.Hits[0].Legs)
	}
}

func TestWhyNamesTheStage(t *testing.T) {
	s := pin(t, filled(t, append(many(60), story...), nil))
	for _, c := range []struct{ question, document, stage string }{
		{"Copper Valley film", "film", index.StageReturned},
		{"Copper Valley film", "nobody", index.StageNotIndexed},
		{"Copper Valley film", "cup", index.StageNotMet},
		{"common text", "d059", index.StageRanked},
	} {
		w, err := s.Why(t.Context(), index.Request{Query: winnow.Query{Text: c.question, K: 3}}, c.document)
		if err != nil {
			t.Fatal(err)
		}
		if w.Stage != c.stage || w.Sentence == "" {
			t.Errorf("%q, %s: %s (%s), want %s", c.question, c.document, w.Stage, w.Sentence, c.stage)
		}
	}
	w, err := s.Why(t.Context(), index.Request{Query: winnow.Query{Text: "film", Scope: winnow.Scope{ExcludeDocuments: []string{"film"}}}}, "film")
	if err != nil || w.Stage != index.StageFiltered {
		t.Errorf("an excluded document is %v, %v", w, err)
	}
}
