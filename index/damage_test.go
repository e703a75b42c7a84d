package index_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index"
)

// damageable makes an index of two segments with tombstones and a blob, whose
// files have several pages.
func damageable(t *testing.T) (dir string) {
	t.Helper()
	ctx := context.Background()
	dir = t.TempDir()
	ix, err := index.Create(dir, index.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(14, 1))
	for _, last := range []int{120, 10} {
		for i := range last {
			if err := w.Put(ctx, randomDocument(r, fmt.Sprintf("d%d", i))); err != nil {
				t.Fatal(err)
			}
		}
		w.SetBlob("files", []byte(strings.Repeat("a table of files\n", 2000)))
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// answers asks an index a little of everything. What comes back is the same for
// the same content.
func answers(dir string) (all string, err error) {
	ctx := context.Background()
	ix, err := index.Open(dir)
	if err != nil {
		return "", err
	}
	defer ix.Close()
	snap, err := ix.Snapshot()
	if err != nil {
		return "", err
	}
	defer snap.Close()
	var out []any
	ask := func(answer any, failed error) {
		err = errors.Join(err, failed)
		out = append(out, answer)
	}
	for _, text := range []string{"castle", "rare3 queen", "river mountain valley stone rare7"} {
		ask(snap.Search(ctx, index.Request{Query: winnow.Query{Text: text, K: 50, Legs: []winnow.Leg{winnow.LegBM25}, Explain: true}}))
	}
	ask(snap.Search(ctx, index.Request{Query: winnow.Query{Text: "castle", Scope: winnow.Scope{Where: json.RawMessage(`{"kind": "memo"}`), Path: "d1*"}}}))
	ask(snap.Grep(ctx, winnow.GrepQuery{Pattern: "harvest|rare1[0-9]"}))
	for i := 0; i < 120; i += 3 {
		ask(snap.Read(ctx, winnow.ReadQuery{ID: fmt.Sprintf("d%d", i)}))
	}
	ask(snap.Describe(ctx))
	ask(snap.Blob("files"))
	ask(snap.Info(), nil)
	b, failed := json.Marshal(out)
	return string(b), errors.Join(err, failed)
}

// allCorrupt reports whether an error, or each of several joined, is typed.
func allCorrupt(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			if !allCorrupt(e) {
				return false
			}
		}
		return true
	}
	return winnow.CodeOf(err) == winnow.Corrupt
}

// TestAFlippedByteIsNeverServed flips bytes in every file of an index. The
// answers are then the same as before, because the byte does not matter to them,
// or errors that say what is damaged.
func TestAFlippedByteIsNeverServed(t *testing.T) {
	t.Parallel()
	dir := damageable(t)
	want, err := answers(dir)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(14, 2))
	for _, e := range entries {
		if e.Name() == "lock" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		detected := 0
		step := max(1, len(whole)/100)
		for at := r.IntN(step); at < len(whole); at += 1 + r.IntN(2*step) {
			flip(t, path, at, whole[at]^1<<r.IntN(8))
			got, err := answers(dir)
			switch code := winnow.CodeOf(err); {
			case err == nil && got != want:
				t.Errorf("byte %d of %s: served damaged", at, e.Name())
			case err != nil && !allCorrupt(err) && code != winnow.TooNew:
				t.Errorf("byte %d of %s: got %v, want a corrupt error", at, e.Name(), err)
			case err != nil:
				detected++
			}
			flip(t, path, at, whole[at])
		}
		if detected == 0 {
			t.Errorf("no damage of %s was noticed", e.Name())
		}
	}
	if got, err := answers(dir); err != nil || got != want {
		t.Errorf("repaired, the index is not what it was: %v", err)
	}
}

func flip(t *testing.T, path string, at int, b byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte{b}, int64(at)); err != nil {
		t.Fatal(err)
	}
}

func TestATruncatedOrMissingFileIsCorrupt(t *testing.T) {
	dir := damageable(t)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() == "lock" {
			continue
		}
		for _, n := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
			if err := os.Truncate(path, int64(n)); err != nil {
				t.Fatal(err)
			}
			if _, err := answers(dir); !allCorrupt(err) {
				t.Errorf("%d bytes of %s: got %v, want a corrupt error", n, e.Name(), err)
			}
			if err := os.WriteFile(path, whole, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if e.Name() == "manifest.json" { // without it there is no index
			continue
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := answers(dir); !allCorrupt(err) || !strings.Contains(err.Error(), e.Name()) {
			t.Errorf("without %s: got %v, want a corrupt error", e.Name(), err)
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCheckFindsDamageThatNoAnswerTouches verifies pages that are not read.
func TestCheckFindsDamageThatNoAnswerTouches(t *testing.T) {
	dir := damageable(t)
	check := func() error {
		ix, err := index.Open(dir)
		if err != nil {
			return err
		}
		defer ix.Close()
		snap, err := ix.Snapshot()
		if err != nil {
			return err
		}
		defer snap.Close()
		return snap.Check(context.Background())
	}
	if err := check(); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"segment-*", "blob-*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		whole, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		for at := 100; at < len(whole)-1000; at += len(whole) / 10 {
			flip(t, names[0], at, ^whole[at])
			if err := check(); winnow.CodeOf(err) != winnow.Corrupt {
				t.Errorf("byte %d of %s: got %v, want a corrupt error", at, names[0], err)
			}
			flip(t, names[0], at, whole[at])
		}
	}
}

func TestAFutureFormatIsRefusedByName(t *testing.T) {
	dir := damageable(t)
	path := filepath.Join(dir, "manifest.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	future := strings.Replace(string(b), fmt.Sprintf(`"format": %d`, index.Format), `"format": 42`, 1)
	if err := os.WriteFile(path, []byte(future), 0o644); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"Open":   func() error { _, err := index.Open(dir); return err }(),
		"Create": func() error { _, err := index.Create(dir, index.Settings{}); return err }(),
	} {
		var e *winnow.Error
		if !errors.As(err, &e) || e.Code != winnow.TooNew || e.Hint == "" || !strings.Contains(e.Message, "format 42") {
			t.Errorf("%s gave %v, want a refusal that names format 42", what, err)
		}
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != future {
		t.Error("the refused index was changed")
	}
}
