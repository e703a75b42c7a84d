package local_test

import (
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/corpus"
	"github.com/winnow-search/winnow/corpus/corpustest"
	"github.com/winnow-search/winnow/corpus/local"
	"github.com/winnow-search/winnow/corpus/local/localtest"
	"github.com/winnow-search/winnow/embed/static"
	"github.com/winnow-search/winnow/index"
)

// filled is a corpus over documents, with words, vectors and links.
func filled(t *testing.T, docs []*winnow.Document, name string, ranker index.Ranker) winnow.Corpus {
	t.Helper()
	tiers := []local.Tier{{Embedder: static.New(), Ranker: ranker}}
	return localtest.Open(t, docs, local.Options{Collection: name, Tiers: tiers, Ranker: ranker})
}

func TestLocalKeepsThePromisesOfACorpus(t *testing.T) {
	for name, ranker := range map[string]index.Ranker{"fused": nil, "ranked": index.Unranked} {
		t.Run(name, func(t *testing.T) {
			corpustest.Run(t, func(t *testing.T, docs []*winnow.Document) winnow.Corpus { return filled(t, docs, "library", ranker) })
		})
	}
}

func TestJoinedKeepsThePromisesOfACorpus(t *testing.T) {
	corpustest.Run(t, func(t *testing.T, docs []*winnow.Document) winnow.Corpus {
		half := len(docs) / 2
		return corpus.Join(corpus.Member{Name: "left", Corpus: filled(t, docs[:half], "left", nil)},
			corpus.Member{Name: "right", Corpus: filled(t, docs[half:], "right", nil)})
	})
}
