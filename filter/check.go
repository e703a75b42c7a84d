package filter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-search/winnow"
)

// maxListed bounds the known keys that an error lists; a model reads them.
const maxListed = 40

// Check returns an error if the filter names a key that is not known, because
// such a filter silently finds nothing (or, with $ne, everything). known are the
// keys that documents have.
func Check(e Expr, known []string) error {
	switch e := e.(type) {
	case And:
		return checkAll(e, known)
	case Or:
		return checkAll(e, known)
	case In:
		return checkKey(e.Key, known)
	case Range:
		return checkKey(e.Key, known)
	}
	return nil
}

func checkAll(list []Expr, known []string) error {
	for _, e := range list {
		if err := Check(e, known); err != nil {
			return err
		}
	}
	return nil
}

func checkKey(key string, known []string) error {
	if slices.Contains(known, key) {
		return nil
	}
	failure := &winnow.Error{Code: winnow.BadFilter, Message: "where names the key " + quote(key) + ", which no document has"}
	if len(known) == 0 {
		failure.Message += "; there is no metadata"
		failure.Hint = "a search without where"
		return failure
	}
	sorted := slices.Sorted(slices.Values(known))
	var listed []string
	for _, k := range sorted[:min(len(sorted), maxListed)] {
		listed = append(listed, quote(k))
	}
	failure.Message += "; known keys: " + strings.Join(listed, ", ")
	if more := len(sorted) - len(listed); more > 0 {
		failure.Message += fmt.Sprintf(" and %d more", more)
	}
	failure.Hint = "one of the known keys"
	if near := nearest(key, sorted); near != "" {
		failure.Hint = "the key " + quote(near)
	}
	return failure
}

// quote writes a name from outside for a message, cut to a readable length.
func quote(name string) string {
	const most = 64
	if runes := []rune(name); len(runes) > most {
		name = string(runes[:most]) + "…"
	}
	return strconv.Quote(name)
}

// nearest returns the candidate that was probably meant by word: the one with
// the fewest edits, case aside, if these are few for its length; else "". Of
// equals the first wins.
func nearest(word string, candidates []string) string {
	const longest = 64 // edits cost the product of the lengths
	from := []rune(strings.ToLower(word))
	if len(from) > longest {
		return ""
	}
	best, fewest := "", max(1, len(from)/3)+1
	for _, candidate := range candidates {
		to := []rune(strings.ToLower(candidate))
		if len(to) > longest {
			continue
		}
		if n := edits(from, to); n < fewest {
			best, fewest = candidate, n
		}
	}
	return best
}

// edits counts the insertions, deletions, substitutions and swaps of neighbours
// that turn a into b (optimal string alignment).
func edits(a, b []rune) int {
	cost := make([][]int, len(a)+1)
	for i := range cost {
		cost[i] = make([]int, len(b)+1)
		cost[i][0] = i
	}
	for j := range cost[0] {
		cost[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			if a[i-1] == b[j-1] {
				cost[i][j] = cost[i-1][j-1]
				continue
			}
			least := min(cost[i-1][j-1], cost[i-1][j], cost[i][j-1])
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				least = min(least, cost[i-2][j-2])
			}
			cost[i][j] = least + 1
		}
	}
	return cost[len(a)][len(b)]
}
