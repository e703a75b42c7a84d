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
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io/fs"
	"slices"
	"sort"
	"strings"

	"github.com/winnow-search/winnow/rerank/boost"
)

//go:embed weights/*
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

// SeenFile is the name of the list of questions that the rankers were trained on.
const SeenFile = "questions.seen"

// Mark is what a question is known by in that list.
func Mark(question string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(question))
	return h.Sum64()
}

// EncodeSeen is the list of these questions.
func EncodeSeen(questions []string) []byte {
	var marks []uint64
	for _, q := range questions {
		marks = append(marks, Mark(q))
	}
	slices.Sort(marks)
	var out []byte
	for _, m := range slices.Compact(marks) {
		out = binary.LittleEndian.AppendUint64(out, m)
	}
	return out
}

// Seen reports whether the built-in rankers were trained on a question. What they
// make of it then is no measure, and nothing to learn from.
func Seen(question string) bool {
	data, err := weights.ReadFile("weights/" + SeenFile)
	if err != nil {
		return false
	}
	mark := Mark(question)
	i := sort.Search(len(data)/8, func(i int) bool { return binary.LittleEndian.Uint64(data[8*i:]) >= mark })
	return 8*i < len(data) && binary.LittleEndian.Uint64(data[8*i:]) == mark
}
