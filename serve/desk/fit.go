package desk

import (
	"fmt"

	"github.com/winnow-search/winnow/token"
	"github.com/winnow-search/winnow/wire"
)

// fit returns how many texts, from the first, have no more than max tokens
// together; 0 means no bound. A first text that is too long alone is cut, because
// something beats nothing.
func fit(max, n int, text func(i int) *string) int {
	if max == 0 {
		return n
	}
	for i, sum := 0, 0; i < n; i++ {
		t := text(i)
		if sum += token.Count(*t); sum <= max {
			continue
		}
		if i == 0 {
			*t = token.Cut(*t, max)
			return 1
		}
		return i
	}
	return n
}

func leftOut(warnings []string, n, max int) []string {
	switch n {
	case 0:
		return warnings
	case 1:
		return append(warnings, fmt.Sprintf("1 passage left out by max_tokens %d", max))
	}
	return append(warnings, fmt.Sprintf("%d passages left out by max_tokens %d", n, max))
}

func fitRanking(a *wire.Ask, max int) {
	n := fit(max, len(a.Ranking), func(i int) *string { return &a.Ranking[i].Text })
	a.Warnings = leftOut(a.Warnings, len(a.Ranking)-n, max)
	a.Ranking = a.Ranking[:n]
}

func checkTokens(max int) error {
	if max < 0 || max > maxTexts {
		return bad("max_tokens: 8000", "max_tokens wants a number from 1 to %d", maxTexts)
	}
	return nil
}
