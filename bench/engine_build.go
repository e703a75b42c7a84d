package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/winnow-search/winnow/bench/corpus"
)

// build indexes the same passages with both, in turns. Ours includes the
// trigrams that grep needs, which bleve has nothing to set against, and both
// times end when everything is durable. The merges that winnow leaves to the
// background are waited for; those of bleve are not.
func (e *engineRun) build(ctx context.Context) error {
	raw := 0
	for p, err := range e.corpus.Passages(e.size.compared) {
		if err != nil {
			return err
		}
		e.passages = append(e.passages, p)
		raw += len(p.Title) + len(p.Text)
	}
	var ours, theirs, ratios []float64
	for i := range e.size.builds {
		progress("build %d of %d", i+1, e.size.builds)
		if e.built != "" {
			os.RemoveAll(e.built)
		}
		e.built = filepath.Join(e.dir, fmt.Sprintf("compared-%d", i))
		runtime.GC()
		a, err := timed(func() error {
			return putAll(ctx, e.built, func(put func(corpus.Passage) error) error {
				for _, p := range e.passages {
					if err := put(p); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if err != nil {
			return err
		}
		runtime.GC()
		b, err := timed(func() error { return buildBleve(ctx, e.built, e.passages) })
		if err != nil {
			return err
		}
		ours, theirs, ratios = append(ours, a), append(theirs, b), append(ratios, b/a)
	}
	winnowBytes, err := diskBytes(filepath.Join(e.built, "winnow"))
	if err != nil {
		return err
	}
	bleveBytes, err := diskBytes(filepath.Join(e.built, "bleve"))
	if err != nil {
		return err
	}
	perText := func(bytes int64) float64 { return float64(bytes) / float64(raw) }
	e.table(fmt.Sprintf("Build, %d passages, %d MB of text, text stored", e.size.compared, raw>>20),
		"\tseconds\tMB on disk\tper byte of text",
		fmt.Sprintf("winnow, with trigrams\t%.1f\t%d\t%.2f", median(ours)/1e3, winnowBytes>>20, perText(winnowBytes)),
		fmt.Sprintf("bleve\t%.1f\t%d\t%.2f", median(theirs)/1e3, bleveBytes>>20, perText(bleveBytes)))
	e.figure("index_vs_bleve", median(ratios))
	e.figure("disk_vs_text", perText(winnowBytes))
	return nil
}
