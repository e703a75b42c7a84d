// Command bench compares winnow with its peers, each benchmark in one run on one
// corpus, and prints ratios: times differ from machine to machine and from hour
// to hour, ratios much less.
//
// It is a module of its own so that the peers stay out of winnow's go.mod.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// benchmark is one NAME of bench/run, in a file of that name.
type benchmark struct {
	name, about string
	run         func(ctx context.Context, quick bool, r *report) error
	// steps are parts that need a process of their own, to measure what a fresh
	// one costs; see [runStep].
	steps map[string]step
}

func benchmarks() []benchmark {
	return []benchmark{
		{"engine", "BM25, building, grep and opening, beside bleve and a scan, and how they grow",
			engine, map[string]step{"build": buildStep, "open": openStep, "search": searchStep}},
		{"hybrid", "words, vectors, links and the ranker under load, beside bleve with words alone", hybrid, nil},
		{"builtin", "a question with the built-in policy beside one query, and how both grow", builtin, nil},
		{"agent", "what a turn of the loop costs, and a thousand runs at once", loop, nil},
		{"serve", "two hundred clients before a server", serving, nil},
		{"chroma", "a real Chroma server, searched through winnow and by calls of its own", chromaSearch, nil},
		{"embed", "texts to vectors, with every kernel of this processor", embed, nil},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var names, list []string
	quick := false
	for _, a := range args {
		if a == "--quick" {
			quick = true
		} else {
			names = append(names, a)
		}
	}
	for _, b := range benchmarks() {
		list = append(list, fmt.Sprintf("  %-8s %s", b.name, b.about))
		if len(names) == 1 && names[0] == b.name {
			r := newReport(os.Stdout)
			start := time.Now()
			if err := b.run(ctx, quick, r); err != nil {
				return fmt.Errorf("%s: %w", b.name, err)
			}
			r.finish(time.Since(start))
			return nil
		}
		if len(names) > 1 && names[0] == b.name+stepMark {
			return b.steps[names[1]].answer(ctx, names[2:])
		}
	}
	return fmt.Errorf("usage: bench/run NAME [--quick], where NAME is one of\n%s", strings.Join(list, "\n"))
}
