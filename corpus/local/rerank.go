package local

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/winnow-search/winnow"
)

const (
	// rerankTop is how many hits a remote reranker is shown.
	rerankTop = 50
	// rerankTime is how long it may take. A search that waits longer is worse
	// than one in the order it has.
	rerankTime = 10 * time.Second
)

// rerank puts the best hits into the reranker's order. If it fails or is late,
// they stay as they are, with a warning.
func (c *Corpus) rerank(ctx context.Context, query string, r *winnow.Results) error {
	best := r.Hits[:min(len(r.Hits), rerankTop)]
	if len(best) == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, rerankTime)
	defer cancel()
	scores, err := c.options.Reranker.Rerank(limited, query, best)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && len(scores) != len(best) {
		err = fmt.Errorf("it gave %d scores for %d passages", len(scores), len(best))
	}
	if err != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("not reranked by %s: %v", c.options.Reranker.Name(), err))
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
