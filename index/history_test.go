package index_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

// history is a fixed sequence of commits, the same in every process: what an
// index holds after each of them is known, so that a snapshot can be told to be
// one of these states or none.
type history struct {
	seed uint64
	// states are, after 0, 1, … commits, the documents with the step that wrote
	// each.
	states []map[string]int
}

func newHistory(seed uint64, steps int) history {
	h := history{seed: seed, states: []map[string]int{{}}}
	for step := 1; step <= steps; step++ {
		r := rand.New(rand.NewPCG(seed, uint64(step)))
		next := maps.Clone(h.states[step-1])
		for range 8 {
			id := fmt.Sprintf("d%02d", r.IntN(30))
			if delete(next, id); r.IntN(4) > 0 {
				next[id] = step
			}
		}
		next["clock"] = step
		h.states = append(h.states, next)
	}
	return h
}

// document says on its first line which step it is of. Each of its chunks has
// the word "everywhere".
func (h history) document(id string, step int) *winnow.Document {
	r := rand.New(rand.NewPCG(h.seed<<32|uint64(step), uint64(id[1])<<8|uint64(id[2])))
	d := &winnow.Document{ID: id, Title: fmt.Sprintf("%s of %d", id, step), Metadata: winnow.Metadata{"step": int64(step)}}
	start, line := 0, 1
	for n := range 1 + r.IntN(3) {
		var b strings.Builder
		if n == 0 {
			fmt.Fprintln(&b, step)
		}
		b.WriteString("everywhere")
		for range 5 + r.IntN(40) {
			b.WriteString(" " + words[r.IntN(len(words))])
		}
		text := b.String() + "\n"
		lines := strings.Count(text, "\n")
		d.Chunks = append(d.Chunks, winnow.Chunk{Ordinal: n, Text: text, Start: start, Lines: [2]int{line, line + lines - 1}})
		start, line = start+len(text), line+lines
	}
	return d
}

const stepBlob = "step"

// commit makes the step that leads from the state before it.
func (h history) commit(w *index.Writer, step int) error {
	if err := h.write(w, step); err != nil {
		return err
	}
	return w.Commit(context.Background())
}

func (h history) write(w *index.Writer, step int) error {
	ctx := context.Background()
	before, after := h.states[step-1], h.states[step]
	for _, id := range slices.Sorted(maps.Keys(before)) {
		if after[id] == 0 {
			if err := w.Delete(ctx, id); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(after)) {
		if after[id] != before[id] {
			if err := w.Put(ctx, h.document(id, after[id])); err != nil {
				return err
			}
		}
	}
	w.SetBlob(stepBlob, fmt.Append(nil, step))
	return nil
}

// verify returns the step whose state a snapshot holds, exactly and intact.
func (h history) verify(snap *index.Snapshot) (step int, err error) {
	ctx := context.Background()
	if err := snap.Check(ctx); err != nil {
		return 0, err
	}
	clock, err := snap.Read(ctx, winnow.ReadQuery{ID: "clock"})
	if err == nil {
		first, _, _ := strings.Cut(clock.Text(), "\n")
		step, err = strconv.Atoi(first)
	} else if winnow.CodeOf(err) == winnow.NotFound {
		err = nil
	}
	if err != nil || step >= len(h.states) {
		return 0, fmt.Errorf("the clock says step %d: %w", step, err)
	}
	want := h.states[step]
	if got := snap.Info().Documents; got != len(want) {
		return 0, fmt.Errorf("step %d has %d documents, want %d", step, got, len(want))
	}
	if blob, err := snap.Blob(stepBlob); err != nil || step > 0 && string(blob) != fmt.Sprint(step) {
		return 0, fmt.Errorf("the blob of step %d is %q: %w", step, blob, err)
	}
	chunks := 0
	for id, written := range want {
		d := h.document(id, written)
		got, err := snap.Read(ctx, winnow.ReadQuery{ID: id})
		if err != nil {
			return 0, fmt.Errorf("reading %s of step %d: %w", id, step, err)
		}
		if got.Text() != d.Text() || got.Title != d.Title || got.Metadata["step"] != d.Metadata["step"] {
			return 0, fmt.Errorf("%s of step %d is %q, want %q", id, step, got.Title, d.Title)
		}
		chunks += len(d.Chunks)
	}
	found, err := snap.Top(context.Background(), index.Request{Query: winnow.Query{Text: "everywhere", K: chunks + 1, Scope: winnow.Scope{}}})
	if err != nil || len(found) != chunks {
		return 0, fmt.Errorf("search finds %d of %d chunks of step %d: %w", len(found), chunks, step, err)
	}
	lines, err := snap.Grep(ctx, winnow.GrepQuery{Pattern: "everywhere"})
	if err != nil || len(lines.Matches) != chunks {
		return 0, fmt.Errorf("grep finds %d of %d chunks of step %d: %w", len(lines.Matches), chunks, step, err)
	}
	return step, nil
}

// verifyDir verifies what a fresh look at a directory shows; no index is step 0.
func (h history) verifyDir(dir string) (int, error) {
	ix, err := index.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer ix.Close()
	return h.verifyNow(ix)
}

func (h history) verifyNow(ix *index.Index) (int, error) {
	snap, err := ix.Snapshot()
	if err != nil {
		return 0, err
	}
	defer snap.Close()
	return h.verify(snap)
}

func createEmpty(t *testing.T, dir string) *index.Index {
	t.Helper()
	ix, err := index.Create(dir, index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	return ix
}
