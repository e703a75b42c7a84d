package open

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

// place makes a home and a folder with one file, and returns both.
func place(t *testing.T) (Home, string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "notes")
	write(t, filepath.Join(dir, "a.md"), "# Apples\n\nApples are red.\n")
	return NewHome(filepath.Join(root, "home")), dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func indexed(t *testing.T, h Home, dir string) *Collection {
	t.Helper()
	c, err := h.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Update(t.Context(), UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// found is the number of hits for a text in a corpus.
func found(t *testing.T, c winnow.Corpus, text string) int {
	t.Helper()
	r, err := c.Search(t.Context(), winnow.Query{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return len(r.Hits)
}

func options(dir string) Options { return Options{Dir: dir, Config: &Config{}} }

func TestTwoWaysToAFolderAreOneCollection(t *testing.T) {
	h, dir := place(t)
	link := filepath.Join(filepath.Dir(dir), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	indexed(t, h, dir)
	for _, way := range []string{link, dir + "/../notes/."} {
		if c, err := h.Folder(way); err != nil || !c.Exists() || c.Name != dir {
			t.Errorf("%s is %+v (%v)", way, c, err)
		}
	}
	other := filepath.Join(filepath.Dir(dir), "x", "notes")
	write(t, filepath.Join(other, "b.md"), "# Bananas\n")
	if c, err := h.Folder(other); err != nil || c.Exists() {
		t.Errorf("another folder of the same name is %+v (%v)", c, err)
	}
}

func TestARebuildServesTheOldIndexUntilItIsDone(t *testing.T) {
	h, dir := place(t)
	c := indexed(t, h, dir)
	old := c.record.Index
	before, _, err := c.Corpus(&Models{})
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	meanwhile := 0
	_, err = c.Update(t.Context(), UpdateOptions{Rebuild: true, Language: "none", Progress: func(int, int) {
		o, err := h.Open(t.Context(), Where{Collections: []string{dir}}, options(dir))
		if err != nil {
			t.Error(err)
			return
		}
		defer o.Close()
		meanwhile += found(t, o, "apples")
	}})
	if err != nil {
		t.Fatal(err)
	}
	if meanwhile == 0 {
		t.Error("nothing could be searched while the index was rebuilt")
	}
	if found(t, before, "apples") != 1 {
		t.Error("a corpus that was open does not find what it found")
	}
	if info, err := c.Info(); err != nil || info.Language != "none" || c.record.Index == old {
		t.Errorf("after the rebuild: %+v (%v)", info, err)
	}
	if _, err := os.Stat(filepath.Join(c.dir, old)); !os.IsNotExist(err) {
		t.Error("the old index is still there")
	}
}

func TestAReaderFindsTheIndexThatReplacedItsOwn(t *testing.T) {
	h, dir := place(t)
	indexed(t, h, dir)
	reader, err := h.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	writer, err := h.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Update(t.Context(), UpdateOptions{Rebuild: true}); err != nil {
		t.Fatal(err)
	}
	corpus, _, err := reader.Corpus(&Models{})
	if err != nil {
		t.Fatal(err)
	}
	defer corpus.Close()
	if found(t, corpus, "apples") != 1 {
		t.Error("it does not find the apples")
	}
}

func TestARebuildThatFailsChangesNothing(t *testing.T) {
	h, dir := place(t)
	c := indexed(t, h, dir)
	old := c.record.Index
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := c.Update(ctx, UpdateOptions{Rebuild: true, Progress: func(int, int) { cancel() }}); err == nil {
		t.Fatal("a rebuild that was cancelled succeeds")
	}
	again, err := h.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again.record.Index != old {
		t.Error("another index serves")
	}
	if left, _ := filepath.Glob(filepath.Join(c.dir, indexPrefix+"*")); len(left) != 1 {
		t.Errorf("these are left: %v", left)
	}
}

func TestAForeignLockLeavesTheCurrentGeneration(t *testing.T) {
	h, dir := place(t)
	c := indexed(t, h, dir)
	unlock, err := lock(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	write(t, filepath.Join(dir, "b.md"), "# Bananas\n")
	o, err := h.Open(t.Context(), Where{In: []string{dir}}, options(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if found(t, o, "apples") != 1 || found(t, o, "bananas") != 0 {
		t.Error("it is not the generation from before that is searched")
	}
	if len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0], "another process (pid ") {
		t.Errorf("the warnings are %q", o.Warnings)
	}
	if _, err := c.Update(t.Context(), UpdateOptions{}); winnow.CodeOf(err) != winnow.Locked {
		t.Errorf("an update gives %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Update(t.Context(), UpdateOptions{}); err != nil {
		t.Errorf("where nothing has changed the lock matters: %v", err)
	}
	if err := c.Remove(); winnow.CodeOf(err) != winnow.Locked {
		t.Errorf("removing gives %v", err)
	}
}

func TestAFirstIndexByAnotherProcessIsWaitedFor(t *testing.T) {
	h, dir := place(t)
	c, err := h.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := h.Open(t.Context(), Where{In: []string{dir}}, options(dir)); winnow.CodeOf(err) != winnow.Locked {
		t.Errorf("with nothing to search yet it gives %v", err)
	}
}

func TestACollectionThatIsRemovedStaysReadableWhereItIsOpen(t *testing.T) {
	h, dir := place(t)
	c := indexed(t, h, dir)
	corpus, _, err := c.Corpus(&Models{})
	if err != nil {
		t.Fatal(err)
	}
	defer corpus.Close()
	if err := c.Remove(); err != nil {
		t.Fatal(err)
	}
	if found(t, corpus, "apples") != 1 {
		t.Error("it does not find the apples")
	}
	all, err := h.Collections()
	if err != nil || len(all) != 0 {
		t.Errorf("the list has %v (%v)", all, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(c.dir)); len(left) != 0 {
		t.Errorf("these are left: %v", left)
	}
	if _, err := h.Find(dir); winnow.CodeOf(err) != winnow.NotFound {
		t.Errorf("finding it gives %v", err)
	}
}

func TestAnOlderVersionIsSearchedAndSaysWhatARebuildGains(t *testing.T) {
	h, dir := place(t)
	c := indexed(t, h, dir)
	c.record.Made.Chunker--
	if err := c.save(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "b.md"), "# Bananas\n")
	o, err := h.Open(t.Context(), Where{In: []string{dir}}, options(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if found(t, o, "apples") != 1 {
		t.Error("it is not searched")
	}
	if len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0], "gains passages that are cut better") {
		t.Errorf("the warnings are %q", o.Warnings)
	}
	if _, err := c.Update(t.Context(), UpdateOptions{}); err == nil {
		t.Error("two versions are mixed in one index")
	}
	if work, err := c.Pending(t.Context()); err != nil || len(work) != 2 {
		t.Errorf("pending is %q (%v)", work, err)
	}
	if _, err := c.Update(t.Context(), UpdateOptions{Rebuild: true}); err != nil {
		t.Fatal(err)
	}
	if c.Outdated() {
		t.Error("it is out of date after a rebuild")
	}
}

func TestARecordFromAFutureVersionIsRefused(t *testing.T) {
	h, dir := place(t)
	c := indexed(t, h, dir)
	path := filepath.Join(c.dir, recordName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Replace(string(data), `"version": 1`, `"version": 2`, 1))
	if _, err := h.Folder(dir); winnow.CodeOf(err) != winnow.TooNew {
		t.Errorf("it gives %v", err)
	}
	all, err := h.Collections()
	if err != nil || len(all) != 1 || winnow.CodeOf(all[0].Err) != winnow.TooNew {
		t.Errorf("the list has %+v (%v)", all, err)
	}
	write(t, path, "{")
	if _, err := h.Folder(dir); winnow.CodeOf(err) != winnow.Corrupt {
		t.Errorf("a damaged record gives %v", err)
	}
}

func TestADamagedTableKeepsTheIndexSearchable(t *testing.T) {
	h, dir := place(t)
	c := indexed(t, h, dir)
	tables, err := filepath.Glob(filepath.Join(c.dir, indexPrefix+"*", "blob-*"))
	if err != nil || len(tables) != 1 {
		t.Fatalf("tables: %v (%v)", tables, err)
	}
	data, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	data[bytes.Index(data, []byte("a.md"))] ^= 1
	write(t, tables[0], string(data))
	if _, err := c.Update(t.Context(), UpdateOptions{}); winnow.CodeOf(err) != winnow.Corrupt {
		t.Errorf("an update gives %v", err)
	}
	o, err := h.Open(t.Context(), Where{In: []string{dir}}, options(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if found(t, o, "apples") != 1 || len(o.Warnings) != 1 {
		t.Errorf("it is not searched with a warning: %q", o.Warnings)
	}
	if _, err := c.Update(t.Context(), UpdateOptions{Rebuild: true}); err != nil {
		t.Errorf("a rebuild gives %v", err)
	}
}

func TestATreeThatIsTooLargeIsRefusedAndLeavesNothing(t *testing.T) {
	h, dir := place(t)
	write(t, filepath.Join(dir, "b.md"), "# Bananas\n")
	c, err := h.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Update(t.Context(), UpdateOptions{MaxFiles: 1}); winnow.CodeOf(err) != winnow.TooMuch {
		t.Errorf("it gives %v", err)
	}
	if all, err := h.Collections(); err != nil || len(all) != 0 {
		t.Errorf("the list has %v (%v)", all, err)
	}
}

func TestFilesAreCalledAsTheyCanBeOpenedFromHere(t *testing.T) {
	h, dir := place(t)
	parent := filepath.Dir(dir)
	write(t, filepath.Join(parent, "x", "notes", "b.md"), "# Bananas\n")
	write(t, filepath.Join(parent, "corpus.jsonl"), `{"id": "c", "title": "Cherries", "text": "Cherries are small."}`+"\n")
	c, err := h.Named("fruit")
	if err != nil {
		t.Fatal(err)
	}
	roots := []string{dir, filepath.Join(parent, "x", "notes"), filepath.Join(parent, "corpus.jsonl")}
	if _, err := c.Update(t.Context(), UpdateOptions{Roots: roots}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ from, text, want string }{
		{parent, "apples", "notes/a.md"},
		{dir, "apples", "a.md"},
		{filepath.Join(parent, "x"), "apples", filepath.Join(dir, "a.md")},
		{parent, "bananas", "x/notes/b.md"},
		{filepath.Join(parent, "x"), "bananas", "notes/b.md"},
		{parent, "cherries", "c"},
	} {
		o, err := h.Open(t.Context(), Where{Collections: []string{"fruit"}}, options(test.from))
		if err != nil {
			t.Fatal(err)
		}
		r, err := o.Search(t.Context(), winnow.Query{Text: test.text})
		if err != nil || len(r.Hits) == 0 {
			t.Fatalf("%s: %d hits (%v)", test.text, len(r.Hits), err)
		}
		got := o.File(&r.Hits[0].Chunk)
		if got != test.want {
			t.Errorf("%s from %s is %s, want %s", test.text, test.from, got, test.want)
		}
		if d, err := o.Read(t.Context(), winnow.ReadQuery{ID: got}); err != nil || !strings.Contains(strings.ToLower(d.Text()), test.text) {
			t.Errorf("reading %s from %s gives %v (%v)", got, test.from, d, err)
		}
		o.Close()
	}
}

func TestNamesOfCollections(t *testing.T) {
	h, _ := place(t)
	for name, valid := range map[string]bool{"notes": true, "My.Notes-2_x": true, "": false, ".hidden": false, "a/b": false, "..": false, "a b": false, strings.Repeat("a", 65): false} {
		if _, err := h.Named(name); (err == nil) != valid {
			t.Errorf("%q gives %v", name, err)
		}
	}
}
