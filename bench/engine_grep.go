package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/bench/corpus"
	"github.com/winnow-search/winnow/index"
)

// grep compares selective patterns with a scan of the texts in memory. The scan
// gets its expression compiled and stops at the first match in a chunk; ours
// compiles, plans, reads and decompresses, and returns the lines.
func (e *engineRun) grep(ctx context.Context) error {
	progress("grep")
	snap, closeSnap, err := openWinnow(e.built)
	if err != nil {
		return err
	}
	defer closeSnap()
	rows := []string{"pattern\tchunks\twinnow ms\tscan ms\tratio"}
	var ratios []float64
	for _, pattern := range patterns(e.size.compared, e.passages) {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return err
		}
		var ours, scans []float64
		var found, scanned int
		for range e.size.rounds {
			ms, err := timed(func() error {
				scanned = 0
				for i := range e.passages {
					if re.MatchString(e.passages[i].Text) {
						scanned++
					}
				}
				return ctx.Err()
			})
			if err != nil {
				return err
			}
			scans = append(scans, ms)
			for range 10 {
				ms, err = timed(func() (err error) {
					found, err = grepChunks(ctx, snap, pattern)
					return err
				})
				if err != nil {
					return err
				}
				ours = append(ours, ms)
			}
		}
		if found != scanned {
			return fmt.Errorf("grep finds %q in %d chunks, the scan in %d", pattern, found, scanned)
		}
		ratio := median(scans) / median(ours)
		ratios = append(ratios, ratio)
		rows = append(rows, fmt.Sprintf("%s\t%d\t%.3f\t%.1f\t%.0f", pattern, found, median(ours), median(scans), ratio))
	}
	e.table(fmt.Sprintf("Grep, %d passages, beside a scan in memory with regexp", e.size.compared), rows...)
	e.figure("grep_vs_scan", median(ratios))
	return nil
}

func grepChunks(ctx context.Context, snap *index.Snapshot, pattern string) (int, error) {
	res, err := snap.Grep(ctx, winnow.GrepQuery{Pattern: pattern})
	if err != nil {
		return 0, err
	}
	chunks := map[string]bool{}
	for _, m := range res.Matches {
		chunks[m.Chunk.ID] = true
	}
	return len(chunks), nil
}

// patterns are those a person or an agent greps for: a name, a name in any case,
// a phrase, and expressions around a name.
func patterns(n int, passages []corpus.Passage) []string {
	rare := corpus.Rare(n)
	words := strings.Fields(passages[n/3].Text)
	phrase := strings.Trim(strings.Join(words[20:23], " "), ".,")
	// What follows the name in one of its passages.
	next := "[a-z]"
	for i := range passages {
		if _, after, ok := strings.Cut(passages[i].Text, rare+" "); ok {
			next, _, _ = strings.Cut(after, " ")
			break
		}
	}
	return []string{
		rare,
		"(?i)" + strings.ToLower(rare),
		regexp.QuoteMeta(phrase),
		rare[:6] + `[a-z]+ (` + regexp.QuoteMeta(strings.Trim(next, ".,")) + `|of|in) `,
		`[A-Z][a-z]+,? ` + rare[:6] + `\w+`,
	}
}
