package ingest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
)

// settle makes all files look as if they had not changed for long, which a test
// can't wait for.
func (c *collection) settle() {
	for i := range c.table.entries {
		c.table.entries[i].racy = false
	}
}

func TestSyncFollowsAFolder(t *testing.T) {
	dir := t.TempDir()
	c := newCollection(t, dir)
	write(t, dir, map[string]string{"b.md": "# B\n", "a/x.txt": "x", "a/y.go": "package y\n"})
	c.expect("put a/x.txt", "put a/y.go", "put b.md", "commit")
	c.settle()
	c.expect()

	write(t, dir, map[string]string{"b.md": "# Changed\n", "c.md": "new"})
	if err := os.Remove(filepath.Join(dir, "a/x.txt")); err != nil {
		t.Fatal(err)
	}
	c.expect("put b.md", "put c.md", "delete a/x.txt", "commit")
	c.settle()
	c.expect()
	if got := slices.Sorted(maps.Keys(c.documents)); !slices.Equal(got, []string{"a/y.go", "b.md", "c.md"}) {
		t.Fatalf("documents %q", got)
	}
	r := c.table.Report()
	if r.Files != 3 || r.Documents != 3 || r.Chunks != 3 || r.Bytes != int64(len("# Changed\n")+len("new")+len("package y\n")) {
		t.Fatalf("report %+v", r)
	}
}

func TestAnEmptyFolderIsAnEmptyCollection(t *testing.T) {
	c := newCollection(t, t.TempDir())
	c.expect("commit")
	c.expect()
	if r := c.table.Report(); r.Documents != 0 {
		t.Fatalf("report %+v", r)
	}
}

// A file that is touched is hashed, and only the table is written.
func TestATouchedFileIsNotPutAgain(t *testing.T) {
	dir := t.TempDir()
	c := newCollection(t, dir)
	write(t, dir, map[string]string{"a.md": "same"})
	c.sync()
	c.settle()
	if err := os.Chtimes(filepath.Join(dir, "a.md"), time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	c.expect("commit")
}

// A file may change twice within one tick of the file system's clock; a sync
// between the two must not take the second for the first.
func TestAChangeInTheSameTickIsSeen(t *testing.T) {
	dir := t.TempDir()
	c := newCollection(t, dir)
	write(t, dir, map[string]string{"a.md": "one"})
	c.sync()
	write(t, dir, map[string]string{"a.md": "two"})
	// The clock did not tick: the attributes are those of the first.
	roots, err := openRoots(c.opts.Roots)
	if err != nil {
		t.Fatal(err)
	}
	defer closeRoots(roots)
	now, err := walk(t.Context(), roots, 0)
	if err != nil {
		t.Fatal(err)
	}
	c.table.entries[0].stat = now.files[0].stat
	c.expect("put a.md", "commit")
}

func TestSettingsThatChangeChunksReadEverythingAgain(t *testing.T) {
	dir := t.TempDir()
	c := newCollection(t, dir)
	write(t, dir, map[string]string{"a.md": strings.Repeat("line\n", 100), "b.md": "short"})
	c.sync()
	c.settle()
	c.opts.MaxText = 100
	c.expect("put a.md", "commit")
	want := []Note{{"a.md", "only the first 100 bytes of text are indexed"}}
	if r := c.table.Report(); !reflect.DeepEqual(r.Warnings, want) {
		t.Fatalf("warnings %+v", r.Warnings)
	}
}

// A sync under new settings that is interrupted does not forget what it has not
// read yet.
func TestNewSettingsSurviveAnInterruption(t *testing.T) {
	dir := t.TempDir()
	c := newCollection(t, dir)
	for i := range 20 {
		write(t, dir, map[string]string{fmt.Sprintf("%02d.md", i): strings.Repeat("line\n", 100)})
	}
	c.sync()
	c.settle()
	c.opts.MaxText, c.opts.commitEvery = 50, 100
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := Sync(ctx, c.opts, c.table, &stopAtCommit{c.memory, cancel}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	c.table = &Table{}
	if err := c.table.UnmarshalBinary(c.memory.table); err != nil {
		t.Fatal(err)
	}
	c.sync()
	for id, text := range c.texts() {
		if len(text) != 50 {
			t.Fatalf("%s has %d bytes", id, len(text))
		}
	}
}

func TestCorporaFollowTheirLines(t *testing.T) {
	dir := t.TempDir()
	corpus := filepath.Join(dir, "corpus.jsonl")
	c := newCollection(t, corpus)
	line := func(id, text string) string { return fmt.Sprintf("{\"id\": %q, \"text\": %q}\n", id, text) }
	write(t, dir, map[string]string{"corpus.jsonl": line("a", "1") + line("b", "2") + line("c", "3")})
	c.expect("put a", "put b", "put c", "commit")
	write(t, dir, map[string]string{"corpus.jsonl": line("d", "4") + line("c", "3") + line("b", "changed")})
	c.expect("put d", "put b", "delete a", "commit")
}

// An id belongs to one document; the others wait until it comes free.
func TestAnIdHasOneDocument(t *testing.T) {
	dir := t.TempDir()
	c := newCollection(t, dir)
	line := func(id, text string) string { return fmt.Sprintf("{\"id\": %q, \"text\": %q}\n", id, text) }
	write(t, dir, map[string]string{"1.jsonl": line("a", "first") + line("a", "again"), "2.jsonl": line("a", "second") + line("b", "b"), "3.md": "x"})
	c.expect("put a", "put b", "put 3.md", "commit")
	if r := c.table.Report(); len(r.Warnings) != 2 || !strings.Contains(r.Warnings[1].Reason, `"a"`) {
		t.Fatalf("warnings %+v", r.Warnings)
	}
	write(t, dir, map[string]string{"1.jsonl": line("z", "other")})
	c.expect("put z", "put a", "commit")
	if got := c.texts()["a"]; got != "second" {
		t.Fatalf("a is %q", got)
	}
	// Moved to a file that is read before the one it leaves.
	write(t, dir, map[string]string{"1.jsonl": line("z", "other") + line("b", "moved"), "2.jsonl": line("a", "second")})
	c.expect("put b", "commit")
	if got := c.texts()["b"]; got != "moved" || len(c.documents) != 4 {
		t.Fatalf("documents %v", c.texts())
	}
}

// One worker or many, whole files or blocks: the sink is told the same.
func TestStreamsAreReadInBlocks(t *testing.T) {
	dir := t.TempDir()
	var corpus, box strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&corpus, "{\"id\": \"p%d\", \"text\": %q}\n", i, words(20+i%30))
	}
	corpus.WriteString("bad line\n")
	for i := range 3000 {
		fmt.Fprintf(&box, "From a@b.c Tue Mar  4 10:11:12 2003\nFrom: a@b.c\nMessage-ID: <%d@x>\n\n%s\n\n", i, words(60))
	}
	if corpus.Len() < streamFrom || box.Len() < streamFrom {
		t.Fatal("the files are too small to be streams")
	}
	write(t, dir, map[string]string{"c.jsonl": corpus.String(), "m.mbox": box.String()})
	c := newCollection(t, dir)
	log := c.sync()
	if len(log) != 12001 || log[0] != "put p0" || log[8999] != "put p8999" || log[9000] != "put m.mbox#0@x" || log[11999] != "put m.mbox#2999@x" {
		t.Fatalf("the sink was told %d things", len(log))
	}
	if r := c.table.Report(); len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0].Reason, "line 9001 is left out") {
		t.Fatalf("warnings %+v", r.Warnings)
	}
	c.settle()
	c.expect()
	if err := os.Chtimes(filepath.Join(dir, "c.jsonl"), time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	c.expect("commit")
	write(t, dir, map[string]string{"c.jsonl": strings.Replace(corpus.String(), `"p77"`, `"q77"`, 1)})
	c.expect("put q77", "delete p77", "commit")
}

func TestSeveralRoots(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"x/docs/a.md": "[b](b.md)", "y/docs/a.md": "y", "z/notes/n.md": "n", "single.md": "s", "c.jsonl": `{"id":"p","text":"t"}`})
	join := func(s string) string { return filepath.Join(dir, s) }
	c := newCollection(t, join("x/docs"), join("y/docs"), join("z/notes"), join("single.md"), join("c.jsonl"))
	c.expect("put p", "put notes/n.md", "put single.md", "put x/docs/a.md", "put y/docs/a.md", "commit")
	if links := c.documents["x/docs/a.md"].Links; len(links) != 1 || links[0].Target != "x/docs/b.md" {
		t.Fatalf("links %+v", links)
	}
}

func TestARootThatIsNoneIsAnError(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.md": "a"})
	c := newCollection(t, dir)
	c.sync()
	for _, roots := range [][]string{{filepath.Join(dir, "none")}, {dir, filepath.Join(dir, "none")}, {os.DevNull}} {
		_, err := Sync(t.Context(), Options{Roots: roots}, c.table, c.memory)
		if code := winnow.CodeOf(err); code != winnow.NotFound && code != winnow.BadInput {
			t.Errorf("%q: error %v", roots, err)
		}
	}
	if log := c.takeLog(); len(log) > 0 {
		t.Fatalf("the sink was told %q", log)
	}
}

func TestTooManyFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": "a", "b": "b", "c": "c"})
	_, err := Sync(t.Context(), Options{Roots: []string{dir}, MaxFiles: 2}, nil, newMemory())
	if winnow.CodeOf(err) != winnow.TooMuch {
		t.Fatalf("error %v", err)
	}
}

// What can't be read keeps what is known of it, and is tried again.
func TestUnreadableFilesKeepTheirDocuments(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("everything is readable for root")
	}
	dir := t.TempDir()
	c := newCollection(t, dir)
	write(t, dir, map[string]string{"a.md": "a", "closed/b.md": "b", "new.md": "n"})
	c.sync()
	chmod := func(name string, mode os.FileMode) {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	chmod("a.md", 0)
	chmod("closed", 0)
	c.expect("commit")
	if r := c.table.Report(); len(r.Failed) != 2 || r.Failed[0] != (Note{"a.md", "permission denied"}) || r.Failed[1] != (Note{"closed/", "permission denied"}) {
		t.Fatalf("failed %+v", r.Failed)
	}
	if len(c.documents) != 3 {
		t.Fatalf("documents %v", c.texts())
	}
	chmod("closed", 0o755)
	chmod("a.md", 0o644)
	c.expect("commit")
	if r := c.table.Report(); len(r.Failed) != 0 || r.Documents != 3 {
		t.Fatalf("report %+v", r)
	}
}

// A file that is removed while a sync runs is what it was until the next.
func TestAFileThatVanishesIsGoneNextTime(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("%02d.md", i)] = "text"
	}
	write(t, dir, files)
	c := newCollection(t, dir)
	c.sync()
	for name := range files {
		files[name] = "changed"
	}
	write(t, dir, files)
	vanishing := &removeAtPut{memory: c.memory, file: filepath.Join(dir, "99.md")}
	r, err := Sync(t.Context(), c.opts, c.table, vanishing)
	if err != nil {
		t.Fatal(err)
	}
	if failed := r.Table.Report().Failed; !slices.Equal(failed, []Note{{"99.md", "no such file or directory"}}) || c.texts()["99.md"] != "text" {
		t.Fatalf("failed %+v", failed)
	}
	c.takeLog()
	c.table = r.Table
	c.settle()
	c.expect("delete 99.md", "commit")
}

// removeAtPut removes a file when the first document is put.
type removeAtPut struct {
	*memory
	file string
}

func (r *removeAtPut) Put(ctx context.Context, d *winnow.Document) error {
	if r.file != "" {
		if err := os.Remove(r.file); err != nil {
			return err
		}
		r.file = ""
	}
	return r.memory.Put(ctx, d)
}

// A sync that is interrupted goes on from the last commit and ends where it
// would have ended.
func TestAnInterruptedSyncGoesOn(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("%02d.md", i)] = words(30 + i)
	}
	files["c.jsonl"] = `{"id":"p","text":"t"}` + "\n" + `{"id":"q","text":"t"}`
	write(t, dir, files)
	before := newCollection(t, dir)
	before.sync()
	for i := range 10 {
		delete(files, fmt.Sprintf("%02d.md", i))
		if err := os.Remove(filepath.Join(dir, fmt.Sprintf("%02d.md", i))); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, map[string]string{"15.md": "changed", "new.md": "new", "c.jsonl": `{"id":"q","text":"u"}`})
	want := newCollection(t, dir)
	want.sync()

	for stop := 1; ; stop++ {
		c := newCollection(t, dir)
		c.documents = maps.Clone(before.documents)
		c.table = &Table{}
		if err := c.table.UnmarshalBinary(before.memory.table); err != nil {
			t.Fatal(err)
		}
		c.failAfter = stop
		_, err := Sync(t.Context(), c.opts, c.table, c.memory)
		if err == nil {
			break
		}
		if !errors.Is(err, errSink) {
			t.Fatal(err)
		}
		// What was put since the last commit is lost with the process.
		c.failAfter = 0
		if c.committed != nil {
			c.documents = maps.Clone(c.committed)
			if err := c.table.UnmarshalBinary(c.memory.table); err != nil {
				t.Fatal(err)
			}
		} else {
			c.documents = maps.Clone(before.documents)
		}
		c.sync()
		if !maps.Equal(c.texts(), want.texts()) {
			t.Fatalf("after a stop at call %d: %v", stop, c.texts())
		}
	}
}

// Between commits of one sync the table says what is there, so that nothing is
// put twice and nothing is forgotten.
func TestCommitsOnTheWay(t *testing.T) {
	dir := t.TempDir()
	line := func(i int, text string) string { return fmt.Sprintf("{\"id\": \"p%d\", \"text\": %q}\n", i, text) }
	var corpus strings.Builder
	for i := range 5000 {
		corpus.WriteString(line(i, words(50+i%20)))
	}
	write(t, dir, map[string]string{"c.jsonl": corpus.String()})
	c := newCollection(t, dir)
	c.opts.commitEvery = 500_000
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stop := &stopAtCommit{memory: c.memory, cancel: cancel}
	if _, err := Sync(ctx, c.opts, nil, stop); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	put := len(c.committed)
	if put == 0 || put >= 5000 {
		t.Fatalf("%d documents committed", put)
	}
	c.documents, c.table = maps.Clone(c.committed), &Table{}
	if err := c.table.UnmarshalBinary(c.memory.table); err != nil {
		t.Fatal(err)
	}
	c.takeLog()
	c.opts.Progress = func(p Progress) {
		if p.Bytes > p.TotalBytes || p.Files > p.TotalFiles {
			t.Errorf("progress %+v", p)
		}
	}
	again := 0
	for _, entry := range c.sync() {
		if strings.HasPrefix(entry, "put") {
			again++
		}
	}
	if put+again != 5000 || len(c.documents) != 5000 {
		t.Fatalf("%d documents put before and %d after", put, again)
	}
}

type stopAtCommit struct {
	*memory
	cancel context.CancelFunc
}

func (s *stopAtCommit) Commit(ctx context.Context, t *Table) error {
	defer s.cancel()
	return s.memory.Commit(ctx, t)
}

func TestCancellationEndsASync(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.md": "a"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Sync(ctx, Options{Roots: []string{dir}}, nil, newMemory()); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
}
