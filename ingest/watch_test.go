package ingest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watched runs Watch and returns a channel on which its calls arrive.
func watched(t *testing.T, roots ...string) <-chan struct{} {
	ctx, cancel := context.WithCancel(t.Context())
	calls := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- Watch(ctx, Options{Roots: roots}, func(ctx context.Context) error {
			select {
			case calls <- struct{}{}:
			case <-ctx.Done():
			}
			return nil
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch ends with %v", err)
		}
	})
	return calls
}

// called waits for a call; the limit only keeps a failing test from hanging.
func called(t *testing.T, calls <-chan struct{}, after string) {
	t.Helper()
	select {
	case <-calls:
	case <-time.After(30 * time.Second):
		t.Fatalf("no call after %s", after)
	}
}

func TestWatchCallsAfterChanges(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.md": "a", ".gitignore": "*.tmp\n"})
	calls := watched(t, dir)
	called(t, calls, "the start")
	write(t, dir, map[string]string{"b.md": "b"})
	called(t, calls, "a new file")
	write(t, dir, map[string]string{"sub/deep/": ""})
	called(t, calls, "a new folder")
	write(t, dir, map[string]string{"sub/deep/c.md": "c"})
	called(t, calls, "a file in a new folder")
	if err := os.Remove(filepath.Join(dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	called(t, calls, "a removal")
}

func TestWatchASingleFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.md": "a"})
	calls := watched(t, filepath.Join(dir, "a.md"))
	called(t, calls, "the start")
	write(t, dir, map[string]string{"a.md": "b"})
	called(t, calls, "a change")
}

// What a sync leaves out by name does not wake anybody.
func TestOnlyWhatCountsIsWatched(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{".gitignore": "*.tmp\nout/\n", "sub/a.md": "a", "out/x": "x"})
	roots, err := openRoots([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer closeRoots(roots)
	notifier, err := fsnotify.NewWatcher()
	if err != nil {
		t.Skip(err)
	}
	defer notifier.Close()
	w := &watch{roots: roots, notifier: notifier}
	if err := w.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(w.folders) != 2 {
		t.Errorf("watched are %v", w.folders)
	}
	for name, want := range map[string]bool{
		"b.md": true, "sub/b.md": true, "sub": true, ".gitignore": true, "sub/.winnowignore": true,
		"x.tmp": false, "sub/x.tmp": false, ".hidden": false, "sub/go.sum": false,
	} {
		event := fsnotify.Event{Name: filepath.Join(roots[0].Name(), name), Op: fsnotify.Write}
		if got := w.counts(event); got != want {
			t.Errorf("%s counts: %v", name, got)
		}
	}
	if w.counts(fsnotify.Event{Name: filepath.Join(roots[0].Name(), "a.md"), Op: fsnotify.Chmod}) {
		t.Error("a change of mode counts")
	}
}

// Where nothing can be watched, time passes between calls in proportion to what
// a call costs.
func TestPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("enough")
		var at []time.Duration
		start := time.Now()
		err := poll(t.Context(), func(context.Context) error {
			at = append(at, time.Since(start))
			if len(at) == 3 {
				return stop
			}
			time.Sleep(time.Second) // the cost, in the test's own time
			return nil
		})
		if err != stop || at[1] != 21*time.Second || at[2] != 42*time.Second {
			t.Fatalf("calls at %v, error %v", at, err)
		}
	})
}
