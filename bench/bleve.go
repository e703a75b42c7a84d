package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/winnow-search/winnow/bench/corpus"
)

// bleve is set up as favourably as its documentation allows: one field that holds
// title and text (a query then has one searcher per term), stored, since winnow
// stores it too, without term vectors, doc values and the composite field, none
// of which a search for ids and scores uses.
func bleveMapping() mapping.IndexMapping {
	text := bleve.NewTextFieldMapping()
	text.Analyzer = en.AnalyzerName
	text.Store = true
	text.IncludeTermVectors, text.IncludeInAll, text.DocValues = false, false, false
	m := bleve.NewIndexMapping()
	m.ScoringModel = index.BM25Scoring
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	m.DefaultMapping.AddFieldMappingsAt("text", text)
	return m
}

// bleveBatch was the fastest of 1,000, 2,500, 5,000 and 10,000.
const bleveBatch = 5000

// buildBleve indexes the passages in dir. bleve analyses a batch on all cores,
// and its unsafe batches do not wait for the disk one by one; waiting until the
// last is persisted makes all of them durable.
func buildBleve(ctx context.Context, dir string, passages []corpus.Passage) (err error) {
	ix, err := bleve.NewUsing(filepath.Join(dir, "bleve"), bleveMapping(), scorch.Name, scorch.Name,
		map[string]any{"unsafe_batch": true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	persisted := make(chan error, 1)
	for some := range slices.Chunk(passages, bleveBatch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := ix.NewBatch()
		for _, p := range some {
			if err := batch.Index(p.ID, map[string]any{"text": p.Title + "\n" + p.Text}); err != nil {
				return err
			}
		}
		if &some[len(some)-1] == &passages[len(passages)-1] {
			batch.SetPersistedCallback(func(err error) { persisted <- err })
		}
		if err := ix.Batch(batch); err != nil {
			return err
		}
	}
	select {
	case err := <-persisted:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// openBleve opens an index for searching, merged into one segment: the state in
// which bleve answers fastest.
func openBleve(ctx context.Context, dir string) (bleve.Index, error) {
	ix, err := bleve.Open(filepath.Join(dir, "bleve"))
	if err != nil {
		return nil, err
	}
	inner, err := ix.Advanced()
	if err != nil {
		return nil, err
	}
	return ix, inner.(*scorch.Scorch).ForceMerge(ctx, &mergeplan.SingleSegmentMergePlanOptions)
}

// searchBleve returns the ids of the k best passages; the scores are in the same
// answer.
func searchBleve(ix bleve.Index, question string, k int) ([]string, error) {
	q := bleve.NewMatchQuery(question)
	q.SetField("text")
	res, err := ix.Search(bleve.NewSearchRequestOptions(q, k, 0, false))
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(res.Hits))
	for i, h := range res.Hits {
		ids[i] = h.ID
	}
	return ids, nil
}
