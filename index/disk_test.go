package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

const diskSeed = 12

// disk is one that can be made full: so full that left pages remain.
type disk struct {
	dir  string
	full func(left int) error
	free func() error
}

const diskPage = 4096

// work commits one step after the other, each to a disk that has a page more
// left than the one before, so that each commit fails a little later, until one
// does not fail. What fails changes nothing and succeeds when there is room.
func (d disk) work() error {
	const steps = 60
	h := newHistory(diskSeed, steps)
	ix, err := index.Create(d.dir, index.Settings{})
	if err != nil {
		return err
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		return err
	}
	if err := h.commit(w, 1); err != nil {
		return err
	}
	failed := 0
	for step := 2; step < steps; step++ {
		if err := d.full(step - 2); err != nil {
			return err
		}
		err := h.commit(w, step)
		if err == nil {
			if failed < 3 {
				return fmt.Errorf("only %d commits failed before one had room", failed)
			}
			return d.merge(ix, w, h, step)
		}
		failed++
		if err := isDiskError(err); err != nil {
			return err
		}
		if now, err := h.verifyDir(d.dir); err != nil || now != step-1 {
			return fmt.Errorf("after the failure the index is at step %d, want %d: %w", now, step-1, err)
		}
		if err := d.free(); err != nil {
			return err
		}
		if err := w.Commit(context.Background()); err != nil {
			return fmt.Errorf("with room again: %w", err)
		}
		if now, err := h.verifyDir(d.dir); err != nil || now != step {
			return fmt.Errorf("with room again the index is at step %d, want %d: %w", now, step, err)
		}
	}
	return fmt.Errorf("no commit succeeds with %d pages", steps)
}

// merge expects of a merge what work expects of a commit.
func (d disk) merge(ix *index.Index, w *index.Writer, h history, step int) error {
	ctx := context.Background()
	w.Close() // its background merge may have met the full disk
	if err := d.free(); err != nil {
		return err
	}
	other, err := ix.Writer()
	if err != nil {
		return err
	}
	if err := h.commit(other, step+1); err != nil {
		return err
	}
	if err := other.Close(); err != nil {
		return err
	}
	if err := d.full(1); err != nil {
		return err
	}
	if err := isDiskError(ix.Merge(ctx)); err != nil {
		return err
	}
	if now, err := h.verifyDir(d.dir); err != nil || now != step+1 {
		return fmt.Errorf("after the failed merge the index is at step %d, want %d: %w", now, step+1, err)
	}
	if err := d.free(); err != nil {
		return err
	}
	if err := ix.Merge(ctx); err != nil {
		return err
	}
	if now, err := h.verifyDir(d.dir); err != nil || now != step+1 {
		return fmt.Errorf("after the merge the index is at step %d, want %d: %w", now, step+1, err)
	}
	return nil
}

// isDiskError returns an error if err is not one sentence with a hint.
func isDiskError(err error) error {
	var e *winnow.Error
	if !errors.As(err, &e) || e.Code != winnow.TooMuch || e.Hint == "" || strings.Contains(err.Error(), "\n") ||
		!errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("a full disk gives %q (%T), want one sentence and a hint", err, err)
	}
	return nil
}

// fillFiles bounds the size of each file, which any process can do to itself.
func fillFiles(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	limit := func(n uint64) error {
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: was.Max})
	}
	return disk{
		dir:  dir,
		full: func(left int) error { return limit(uint64(left) * diskPage / 2) },
		free: func() error { return limit(was.Cur) },
	}.work()
}

func TestAFileThatMayNotGrowChangesNothing(t *testing.T) {
	t.Parallel()
	start(t, "fill files", t.TempDir(), "").finish(t)
}

func TestACommitIntoADeletedIndexSaysSo(t *testing.T) {
	dir := t.TempDir()
	h := newHistory(diskSeed, 2)
	ix, err := index.Create(dir, index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.commit(w, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := h.verifyNow(ix); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	err = h.commit(w, 2)
	var e *winnow.Error
	if !errors.As(err, &e) || e.Code != winnow.NotFound || e.Hint == "" {
		t.Errorf("got %v, want a sentence and a hint", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("closing gives %v", err)
	}
	if step, err := h.verifyNow(ix); err != nil || step != 1 {
		t.Errorf("what was open is at step %d, want 1: %v", step, err)
	}
}
