package index_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnow-search/winnow/index"
)

const crashSeed, crashSteps = 11, 400

// commitForEver goes on with the history from where the directory is, and says
// when a commit is done. Now and then it merges all that is there.
func commitForEver(dir string) error {
	h := newHistory(crashSeed, crashSteps)
	ix, err := index.Create(dir, index.Settings{})
	if err != nil {
		return err
	}
	step, err := h.verifyNow(ix)
	if err != nil {
		return err
	}
	w, err := ix.Writer()
	if err != nil {
		return err
	}
	gone := parentGone()
	fmt.Println(step)
	for step++; ; step++ {
		select {
		case <-gone:
			return w.Close()
		default:
		}
		if err := h.commit(w, step); err != nil {
			return err
		}
		fmt.Println(step)
		if step%7 == 0 {
			if err := ix.Merge(context.Background()); err != nil {
				return err
			}
		}
	}
}

// TestAKilledProcessLeavesAWholeGeneration kills an indexing process at many
// moments. Each time the directory holds a whole state of the history: all that
// the process said it had committed, and perhaps what it was just committing.
// Then the next process goes on.
func TestAKilledProcessLeavesAWholeGeneration(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "index")
	h := newHistory(crashSeed, crashSteps)
	r := rand.New(rand.NewPCG(crashSeed, 0))
	last := 0
	for kill := range 45 {
		p := start(t, "commit", dir, "")
		if kill > 0 { // the first ones may die while they create the index
			p.line(t)
		}
		timer := time.AfterFunc(time.Duration(r.IntN(90_000))*time.Microsecond, func() { p.Process.Kill() })
		done := last
		for p.out.Scan() {
			step, err := strconv.Atoi(p.out.Text())
			if err != nil {
				t.Fatal(err)
			}
			done = step
		}
		timer.Stop()
		if err := p.Wait(); err == nil || err.Error() != "signal: killed" {
			t.Fatalf("kill %d: the process ended by itself: %v", kill, err)
		}
		now, err := h.verifyDir(dir)
		if err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		if now != done && now != done+1 {
			t.Fatalf("kill %d: the directory is at step %d, the process was at %d", kill, now, done)
		}
		last = now
	}
	p := start(t, "commit", dir, "")
	for range 10 {
		p.line(t)
	}
	p.finish(t)
	now, err := h.verifyDir(dir)
	if err != nil || now < last+9 {
		t.Fatalf("the last process left step %d after %d: %v", now, last, err)
	}
	sweepsDebris(t, dir, h, now)
}

// sweepsDebris expects that a commit removes what the dead left, once it is old.
func sweepsDebris(t *testing.T, dir string, h history, step int) {
	t.Helper()
	old := time.Now().Add(-2 * time.Hour)
	debris := 0
	for _, name := range unnamed(t, dir) {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
		debris++
	}
	if debris == 0 {
		t.Error("45 kills left nothing behind: were they during the work?")
	}
	commitStep(t, dir, h, step+1)
	if left := unnamed(t, dir); len(left) > 0 {
		t.Errorf("a commit leaves %v lying about", left)
	}
}

// unnamed are the files that the manifest does not name.
func unnamed(t *testing.T, dir string) (names []string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "manifest.json" && e.Name() != "lock" && !strings.Contains(string(b), strconv.Quote(e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names
}

func commitStep(t *testing.T, dir string, h history, step int) {
	t.Helper()
	ix, err := index.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.commit(w, step); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if now, err := h.verifyNow(ix); err != nil || now != step {
		t.Fatalf("the index is at step %d, want %d: %v", now, step, err)
	}
}

// TestACommitMindsNoDebris puts files in the way of the next commits, as crashes
// leave them: under the names that come next, and half written.
func TestACommitMindsNoDebris(t *testing.T) {
	dir := t.TempDir()
	h := newHistory(crashSeed, 12)
	ix, err := index.Create(dir, index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	ix.Close()
	for step := 1; step <= 12; step++ {
		var m struct {
			Next int `json:"next_file"`
		}
		b, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewDecoder(bytes.NewReader(b)).Decode(&m); err != nil {
			t.Fatal(err)
		}
		for n := m.Next + 1; n < m.Next+12; n++ {
			for _, kind := range []string{"segment", "dead", "blob"} {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%06d", kind, n)), []byte("half"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		commitStep(t, dir, h, step)
	}
	if left := unnamed(t, dir); len(left) > 0 {
		t.Errorf("commits leave %v lying about", left)
	}
}

// TestTheFilesOfALivingWriterAreKept however old they are.
func TestTheFilesOfALivingWriterAreKept(t *testing.T) {
	dir := t.TempDir()
	h := newHistory(crashSeed, 2)
	ix, err := index.Create(dir, index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	ix.Close()
	kept := []string{
		fmt.Sprintf("pending-%d-1-0", os.Getpid()),
		fmt.Sprintf("pending-%d-1-0", 1), // not ours to signal, if we are not root
		"pending-999999999-1-0",          // dead, but perhaps only in this container
		"manifest.json.tmp-1",
		"not-ours",
	}
	for _, name := range kept {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range kept[:2] {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	commitStep(t, dir, h, 1)
	slices.Sort(kept)
	if left := unnamed(t, dir); !slices.Equal(left, kept) {
		t.Errorf("a commit keeps %v, want %v", left, kept)
	}
}
