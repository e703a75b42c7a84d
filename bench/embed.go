package main

import (
	"context"
	"fmt"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/bench/corpus"
	"github.com/winnow-search/winnow/embed/minilm"
	"github.com/winnow-search/winnow/embed/static"
)

// embed measures how fast texts get vectors: passages of a hundred words on all
// cores, and a question on one.
func embed(ctx context.Context, quick bool, r *report) error {
	span := 10 * time.Second
	if quick {
		span = 3 * time.Second
	}
	texts, err := corpus.Open(10_000)
	if err != nil {
		return err
	}
	var passages []string
	for p, err := range texts.Passages(10_000) {
		if err != nil {
			return err
		}
		passages = append(passages, p.Title+". "+p.Text)
	}
	questions, err := texts.Questions(10_000, 100)
	if err != nil {
		return err
	}
	rows := []string{"\tpassages/s\tquestion p50 ms"}
	figures := func(name string, e winnow.Embedder) (perSecond, ms float64, err error) {
		progress("%s", name)
		if _, err := e.Embed(ctx, questions[:1]); err != nil { // loads the weights
			return 0, 0, err
		}
		done, start := 0, time.Now()
		for time.Since(start) < span {
			at := done % (len(passages) - 64)
			if _, err := e.Embed(ctx, passages[at:at+64]); err != nil {
				return 0, 0, err
			}
			done += 64
		}
		perSecond = float64(done) / time.Since(start).Seconds()
		var times []float64
		for _, q := range questions {
			t, err := timed(func() error {
				_, err := e.Embed(ctx, []string{q})
				return err
			})
			if err != nil {
				return 0, 0, err
			}
			times = append(times, t)
		}
		ms = median(times)
		rows = append(rows, fmt.Sprintf("%s\t%.0f\t%.2f", name, perSecond, ms))
		return perSecond, ms, nil
	}
	for _, kernel := range []string{"", "avx2", "portable"} {
		m, err := minilm.New(minilm.Options{Kernel: kernel})
		if err != nil {
			continue // not on this processor
		}
		name, suffix := "MiniLM, "+kernel, "_"+kernel
		if kernel == "" {
			name, suffix = "MiniLM, best kernel", ""
		}
		perSecond, ms, err := figures(name, m)
		if err != nil {
			return err
		}
		r.figure("minilm_chunks_per_s"+suffix, perSecond)
		r.figure("minilm_query_ms"+suffix, ms)
	}
	perSecond, _, err := figures("static tier", static.New())
	if err != nil {
		return err
	}
	r.figure("static_chunks_per_s", perSecond)
	r.table("Embedding passages of about 100 words, 64 at a time on all cores, and single questions", rows...)
	return nil
}
