package corpus

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/winnow-search/winnow"
)

const (
	// RerankTop is how many hits a remote reranker is shown.
	RerankTop = 50
	// rerankTime is how long it may take. A search that waits longer is worse
	// than one in the order it has.
	rerankTime = 10 * time.Second
)

// Rerank puts the best hits into the reranker's order. If it fails or is late,
// they stay as they are, with a warning.
func Rerank(ctx context.Context, by winnow.Reranker, query string, r *winnow.Results) error {
	best := r.Hits[:min(len(r.Hits), RerankTop)]
	if len(best) == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, rerankTime)
	defer cancel()
	scores, err := by.Rerank(limited, query, best)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && len(scores) != len(best) {
		err = fmt.Errorf("it gave %d scores for %d passages", len(scores), len(best))
	}
	if err != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("not reranked by %s: %v", by.Name(), err))
		return nil
	}
	order := make([]int, len(best))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	sorted := make([]winnow.Hit, len(best))
	for i, j := range order {
		sorted[i] = best[j]
		sorted[i].Score = scores[j]
	}
	copy(best, sorted)
	return nil
}
