package local_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/corpus/local/localtest"
)

// opinion is a reranker that does what its function says.
type opinion func(ctx context.Context, hits []winnow.Hit) ([]float64, error)

func (o opinion) Name() string { return "opinion" }
func (o opinion) Rerank(ctx context.Context, _ string, hits []winnow.Hit) ([]float64, error) {
	return o(ctx, hits)
}

func fruits(t *testing.T, r winnow.Reranker) *local.Corpus {
	t.Helper()
	var docs []*winnow.Document
	for _, d := range []struct{ id, text string }{{"a", "apple apple apple"}, {"b", "apple apple pie"}, {"c", "apple pie crust"}} {
		docs = append(docs, &winnow.Document{ID: d.id, Chunks: []winnow.Chunk{{Text: d.text, Lines: [2]int{1, 1}}}})
	}
	return localtest.Open(t, docs, local.Options{Collection: "fruits", Reranker: r})
}

func search(t *testing.T, c *local.Corpus, q winnow.Query) (ids, warnings []string) {
	t.Helper()
	r, err := c.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range r.Hits {
		ids = append(ids, h.Document)
	}
	return ids, r.Warnings
}

func TestRerankerDecidesTheOrder(t *testing.T) {
	seen := 0
	c := fruits(t, opinion(func(_ context.Context, hits []winnow.Hit) ([]float64, error) {
		seen = len(hits)
		scores := make([]float64, len(hits))
		for i, h := range hits {
			scores[i] = float64(h.Document[0]) // the last letter is best
		}
		return scores, nil
	}))
	ids, warnings := search(t, c, winnow.Query{Text: "apple", K: 2})
	if !slices.Equal(ids, []string{"c", "b"}) || len(warnings) > 0 || seen != 3 {
		t.Errorf("%v, warnings %v, %d hits were shown", ids, warnings, seen)
	}
	if ids, _ := search(t, c, winnow.Query{Text: "apple", K: 2, Rerank: "off"}); !slices.Equal(ids, []string{"a", "b"}) {
		t.Errorf("switched off, the order is %v", ids)
	}
}

func TestFailingRerankerCostsAWarningOnly(t *testing.T) {
	for name, o := range map[string]opinion{
		"error": func(context.Context, []winnow.Hit) ([]float64, error) { return nil, errors.New("it is down") },
		"short": func(context.Context, []winnow.Hit) ([]float64, error) { return []float64{1}, nil },
	} {
		ids, warnings := search(t, fruits(t, o), winnow.Query{Text: "apple"})
		if !slices.Equal(ids, []string{"a", "b", "c"}) {
			t.Errorf("%s: the order is %v", name, ids)
		}
		if len(warnings) != 1 || !strings.Contains(warnings[0], "not reranked by opinion") {
			t.Errorf("%s: warnings are %q", name, warnings)
		}
	}
}

func TestCancelledRerankEndsTheSearch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := fruits(t, opinion(func(ctx context.Context, _ []winnow.Hit) ([]float64, error) {
		cancel()
		return nil, ctx.Err()
	}))
	if _, err := c.Search(ctx, winnow.Query{Text: "apple"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search gives %v", err)
	}
}
