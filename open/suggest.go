package open

import (
	"maps"
	"slices"
	"strings"
)

// suggest says which of the known words was probably meant, or what there is.
func suggest[V any](word string, known map[string]V) string {
	words := slices.Sorted(maps.Keys(known))
	if len(words) == 0 {
		return ""
	}
	best := slices.MinFunc(words, func(a, b string) int { return distance(word, a) - distance(word, b) })
	if distance(word, best) <= max(1, len(word)/3) {
		return best
	}
	if len(words) > 12 {
		words = append(words[:12], "…")
	}
	return "one of " + strings.Join(words, ", ")
}

// distance is Levenshtein's, over bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
