// Package rerank holds the built-in rankers: small models over cheap features,
// one for each vector space, and one for searches without vectors.
//
// They were trained by `winnow train rerank` on the development sets that
// docs/benchmarks.md names, and order some hundred candidates in a fraction of a
// millisecond, where a cross-encoder takes seconds. What was traded away is
// reading: a ranker sees how texts relate to the question and to each other, and
// no word of them.
package rerank

import (
	"embed"
	"errors"
	"io/fs"
	"strings"

	"github.com/winnow-search/winnow/rerank/boost"
)

//go:embed weights/*.boost
var weights embed.FS

// File is the name of the weights for a space; "" is the search without
// vectors.
func File(space string) string {
	if space == "" {
		space = "lexical"
	}
	return strings.ReplaceAll(space, "/", "-") + ".boost"
}

// Builtin returns the ranker for a space, which must rank by the given
// features. A space that has none of its own, a remote model's, is ranked by
// fusion: nil.
func Builtin(space string, features []string) (*boost.Model, error) {
	data, err := weights.ReadFile("weights/" + File(space))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return boost.Decode(data, features)
}
