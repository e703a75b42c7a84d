package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

const readSeed, readSteps = 13, 30

// watch verifies one snapshot after the other until the last step is seen, and
// says how many different steps it met.
func watch(dir string) error {
	h := newHistory(readSeed, readSteps)
	ix, err := index.Open(dir)
	if err != nil {
		return err
	}
	defer ix.Close()
	fmt.Println("watching")
	n, err := watchUntilLast(h, ix)
	fmt.Println(n)
	return err
}

func watchUntilLast(h history, ix *index.Index) (distinct int, err error) {
	seen := uint64(0)
	for last := -1; last < readSteps; {
		snap, err := ix.Snapshot()
		if err != nil {
			return 0, err
		}
		if seen == snap.Info().Generation {
			snap.Close()
			time.Sleep(time.Millisecond) // leaves the processor to the writer
			continue
		}
		seen = snap.Info().Generation
		step, err := h.verify(snap)
		snap.Close()
		if err != nil {
			return 0, err
		}
		if step < last {
			return 0, fmt.Errorf("step %d came after step %d", step, last)
		}
		if step > last {
			distinct++
		}
		last = step
	}
	return distinct, nil
}

// TestReadersSeeWholeCommits reads from several goroutines, which share an index
// or have their own, and from another process, while a writer commits and
// merges.
func TestReadersSeeWholeCommits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHistory(readSeed, readSteps)
	ix, err := index.Create(dir, index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	other := start(t, "watch", dir, "")
	other.line(t)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			mine := ix
			if i%2 == 0 {
				var err error
				if mine, err = index.Open(dir); err != nil {
					t.Error(err)
					return
				}
				defer mine.Close()
			}
			if _, err := watchUntilLast(h, mine); err != nil {
				t.Error(err)
			}
		})
	}
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for step := 1; step <= readSteps; step++ {
		if err := h.commit(w, step); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if n, err := strconv.Atoi(other.line(t)); err != nil || n < 2 {
		t.Errorf("the other process met %d steps (%v), want to see it change", n, err)
	}
	other.finish(t)
}

func TestASnapshotNeverChanges(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "index")
	h := newHistory(readSeed, 20)
	ix, err := index.Create(dir, index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	var snaps []*index.Snapshot
	check := func(when string) {
		t.Helper()
		for want, snap := range snaps {
			if step, err := h.verify(snap); err != nil || step != want {
				t.Fatalf("%s: the snapshot of step %d is at step %d: %v", when, want, step, err)
			}
		}
	}
	for step := 0; step <= 20; step++ {
		if step > 0 {
			if err := h.commit(w, step); err != nil {
				t.Fatal(err)
			}
		}
		snap, err := ix.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		snaps = append(snaps, snap)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	check("after all commits")
	if err := ix.Merge(context.Background()); err != nil {
		t.Fatal(err)
	}
	check("after a merge")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	check("with the directory deleted")
	ix.Close()
	check("with the index closed")
	for _, snap := range snaps {
		snap.Close()
	}
}

// TestAnIndexMadeAnewIsSeen replaces the directory by another index whose
// generations and files have the same names.
func TestAnIndexMadeAnewIsSeen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	ix, err := index.Create(dir, index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	first, second := newHistory(1, 1), newHistory(2, 1)
	commitStep(t, dir, first, 1)
	if _, err := first.verifyNow(ix); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	again, err := index.Create(dir, index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	commitStep(t, dir, second, 1)
	if _, err := second.verifyNow(ix); err != nil {
		t.Error(err)
	}
}

// addDocuments commits documents of its own in several batches, and one that all
// share.
func addDocuments(dir string) error {
	ctx := context.Background()
	ix, err := index.Create(dir, index.Settings{})
	if err != nil {
		return err
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		return err
	}
	who := os.Getenv(argVariable)
	for batch := range addBatches {
		for _, id := range []string{fmt.Sprintf("%s/%d", who, batch), "shared"} {
			doc := &winnow.Document{ID: id, Chunks: []winnow.Chunk{{Text: who + " everywhere"}}}
			if err := w.Put(ctx, doc); err != nil {
				return err
			}
		}
		if err := w.Commit(ctx); err != nil {
			return err
		}
	}
	return w.Close()
}

const addBatches = 12

// TestWritersOfManyProcessesLoseNothing also has them make the index at the same
// moment.
func TestWritersOfManyProcessesLoseNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "index")
	var all []*process
	for i := range 3 {
		all = append(all, start(t, "add", dir, fmt.Sprint(i)))
	}
	for _, p := range all {
		p.finish(t)
	}
	ix, err := index.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	snap, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	want := 3*addBatches + 1
	found, err := snap.Search(ctx, index.Request{Query: winnow.Query{Text: "everywhere", K: 2 * want, Legs: []winnow.Leg{winnow.LegBM25}}})
	if err != nil || len(found.Hits) != want || snap.Info().Documents != want {
		t.Errorf("%d documents, %d found, want %d: %v", snap.Info().Documents, len(found.Hits), want, err)
	}
}

func TestOneIndexIsMadeByMany(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for range 2 {
		dir := filepath.Join(t.TempDir(), "index")
		var made atomic.Int32
		var wg sync.WaitGroup
		for i := range 24 {
			wg.Go(func() {
				ix, err := index.Create(dir, index.Settings{})
				if err != nil {
					t.Error(err)
					return
				}
				defer ix.Close()
				w, err := ix.Writer()
				if err != nil {
					t.Error(err)
					return
				}
				doc := &winnow.Document{ID: fmt.Sprint(i), Chunks: []winnow.Chunk{{Text: "text"}}}
				if err := errors.Join(w.Put(ctx, doc), w.Commit(ctx), w.Close()); err != nil {
					t.Error(err)
				}
				made.Add(1)
			})
		}
		wg.Wait()
		ix, err := index.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		snap, err := ix.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if got := snap.Info().Documents; got != int(made.Load()) {
			t.Fatalf("%d documents of %d are there", got, made.Load())
		}
		snap.Close()
		ix.Close()
	}
}

// holdLock holds the write lock until the parent is gone.
func holdLock(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	fmt.Fprintf(f, "pid %d\n", os.Getpid())
	fmt.Println("held")
	<-parentGone()
	return nil
}

func TestALockHeldByAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	h := newHistory(readSeed, 2)
	ix, err := index.Create(dir, index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	commitStep(t, dir, h, 1)
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.write(w, 2); err != nil {
		t.Fatal(err)
	}
	holder := start(t, "hold", dir, "")
	holder.line(t)

	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	err = w.Commit(ctx)
	var e *winnow.Error
	if !errors.As(err, &e) || e.Code != winnow.Locked || e.Hint == "" || !strings.Contains(e.Message, fmt.Sprintf("pid %d", holder.Process.Pid)) {
		t.Errorf("got %v, want an error that names process %d", err, holder.Process.Pid)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v does not say that the caller's time was up", err)
	}
	if step, err := h.verifyNow(ix); err != nil || step != 1 {
		t.Errorf("a reader under the lock sees step %d, want 1: %v", step, err)
	}

	holder.finish(t)
	if err := w.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if step, err := h.verifyNow(ix); err != nil || step != 2 {
		t.Errorf("the index is at step %d, want 2: %v", step, err)
	}
}
