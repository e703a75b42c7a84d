package cache

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
)

// cut shortens the file of a space by n bytes, as a kill during a write does.
func cut(t *testing.T, e *Embedder, n int64) {
	t.Helper()
	info, err := os.Stat(e.store.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(e.store.path, info.Size()-n); err != nil {
		t.Fatal(err)
	}
}

func TestATornRecordIsPassedOverAndTheRestGoesOn(t *testing.T) {
	f := newFake()
	whole := recordSize(f.dims, 1)
	for torn := 1; torn < whole; torn += 7 {
		dir := t.TempDir()
		e := open(t, f, dir)
		want := embed(t, e, numbered(0, 3)...)
		cut(t, e, int64(torn))

		resumed := newFake()
		e = open(t, resumed, dir)
		got := mustAsk(t, resumed, e, numbered(0, 4), numbered(2, 4))
		if !equal(got[:3], want) {
			t.Fatal("wrong vectors")
		}
		late := newFake()
		mustAsk(t, late, open(t, late, dir), numbered(0, 4), nil) // behind the torn one
	}
}

func TestAFlippedByteCostsItsRecordAndNoOther(t *testing.T) {
	dir, f := t.TempDir(), &fake{name: space, dims: 9}
	e := open(t, f, dir)
	texts := numbered(0, 4)
	embed(t, e, texts...)
	sound, err := os.ReadFile(e.store.path)
	if err != nil {
		t.Fatal(err)
	}
	whole := recordSize(9, 1)
	for i := range sound {
		damaged := bytes.Clone(sound)
		damaged[i] ^= 0x55
		var keys []key
		scan(damaged, func(_ int, record []byte) { keys = append(keys, keyIn(record)) })
		want := []key{}
		for j, text := range texts {
			if j != i/whole {
				want = append(want, keyOf(space, text))
			}
		}
		if !slices.Equal(keys, want) {
			t.Fatalf("byte %d: %d records left", i, len(keys))
		}
	}
}

func TestDamageAfterLoadingIsNotServed(t *testing.T) {
	dir, f := t.TempDir(), newFake()
	e := open(t, f, dir)
	want := embed(t, e, "a", "b")
	file, err := os.OpenFile(e.store.path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte{99}, headSize+20); err != nil {
		t.Fatal(err)
	}
	if got := mustAsk(t, f, e, []string{"a", "b"}, []string{"a"}); !equal(got, want) {
		t.Error("wrong vectors")
	}
	mustAsk(t, f, e, []string{"a", "b"}, nil)
}

func TestAFileThatIsCutOrRemovedUnderneath(t *testing.T) {
	f := newFake()
	e := open(t, f, t.TempDir())
	embed(t, e, numbered(0, 5)...)
	cut(t, e, 2*int64(recordSize(f.dims, 1)))
	mustAsk(t, f, e, numbered(0, 5), numbered(3, 5))
	if err := os.Remove(e.store.path); err != nil {
		t.Fatal(err)
	}
	mustAsk(t, f, e, numbered(0, 2), numbered(0, 2))
	mustAsk(t, f, e, numbered(0, 2), nil)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func TestTwoHandlesSeeEachOthersVectors(t *testing.T) {
	dir, f, g := t.TempDir(), newFake(), newFake()
	a, b := open(t, f, dir), open(t, g, dir)
	for i := range 5 {
		text := []string{fmt.Sprint(i)}
		mustAsk(t, f, a, text, text)
		mustAsk(t, g, b, text, nil)
	}
}

func TestRotationKeepsWhatIsInUse(t *testing.T) {
	dir, f := t.TempDir(), newFake()
	whole := int64(recordSize(f.dims, 1))
	e := open(t, f, dir)
	e.MaxBytes = 20 * whole // ten in each file
	for i := range 200 {
		embed(t, e, "in use", fmt.Sprint("passing ", i))
		var total int64
		for _, path := range []string{e.store.path, e.store.olderPath()} {
			if info, err := os.Stat(path); err == nil {
				total += info.Size()
			}
		}
		if total > e.MaxBytes {
			t.Fatalf("%d bytes on disk, bound %d", total, e.MaxBytes)
		}
	}
	if n := count(f.asked, "in use"); n != 1 {
		t.Errorf("what is in use was computed %d times", n)
	}
	mustAsk(t, f, e, []string{"passing 199", "passing 198"}, nil)
	mustAsk(t, f, e, []string{"passing 0"}, []string{"passing 0"})

	again := newFake()
	mustAsk(t, again, open(t, again, dir), []string{"in use", "passing 199"}, nil)
}

func count(texts []string, text string) (n int) {
	for _, t := range texts {
		if t == text {
			n++
		}
	}
	return n
}

func TestARotationByAnotherIsFollowed(t *testing.T) {
	dir, f, g := t.TempDir(), newFake(), newFake()
	a, b := open(t, f, dir), open(t, g, dir)
	a.MaxBytes = 20 * int64(recordSize(f.dims, 1))
	b.MaxBytes = a.MaxBytes
	mustAsk(t, g, b, []string{"early"}, []string{"early"})
	for i := range 8 { // b misses several rotations and then follows
		for j := range 6 {
			embed(t, a, "early", fmt.Sprint(i, j))
		}
		mustAsk(t, g, b, []string{"early", fmt.Sprint(i, 5)}, nil)
	}
	for i := range 60 {
		e := []*Embedder{a, b}[i%2]
		embed(t, e, fmt.Sprint("both ", i))
	}
	mustAsk(t, f, a, []string{"both 58", "both 59"}, nil)
	mustAsk(t, g, b, []string{"both 58", "both 59"}, nil)
	for _, e := range []*Embedder{a, b} {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestATextOfManyWindowsIsKeptAndAGiganticOneIsNot(t *testing.T) {
	f := newFake()
	e := open(t, f, t.TempDir())
	long := strings.Repeat("w|", 300)
	gigantic := strings.Repeat("w|", maxRecord/(2*f.dims))
	want := embed(t, e, long, gigantic)
	if len(want[0]) != 301 || len(want[1]) != maxRecord/(2*f.dims)+1 {
		t.Fatalf("%d and %d vectors", len(want[0]), len(want[1]))
	}
	if got := mustAsk(t, f, e, []string{long, gigantic}, []string{gigantic}); !equal(got, want) {
		t.Error("wrong vectors")
	}
}

// A file larger than a window of the loader, with damage longer than one in its
// middle.
func TestLoadingGoesThroughWindowsAndWideDamage(t *testing.T) {
	const dim = 30_000
	var file []byte
	var keys []key
	add := func(from, to int) {
		for i := from; i < to; i++ {
			k := keyOf(space, fmt.Sprint(i))
			keys = append(keys, k)
			file = appendRecord(file, k, []winnow.Vector{make(winnow.Vector, dim)})
		}
	}
	add(0, 200)
	file = append(file, bytes.Repeat([]byte(magic), (2*window+12_345)/len(magic))...)
	add(200, 400)
	e := open(t, &fake{name: space, dims: dim}, t.TempDir())
	if err := os.WriteFile(e.store.path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if found, _ := e.store.find(keys, dim); len(found) != len(keys) {
		t.Errorf("%d records of %d", len(found), len(keys))
	}
	if e.store.newer.end != int64(len(file)) {
		t.Errorf("ends at %d of %d", e.store.newer.end, len(file))
	}
}

const (
	childDir  = "WINNOW_TEST_CACHE_DIR"
	childName = "WINNOW_TEST_CACHE_CHILD"
)

// TestChild is not a test but the other process of those below.
func TestChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("run by other tests")
	}
	e := open(t, newFake(), dir)
	for i := 0; ; i++ {
		embed(t, e, fmt.Sprintf("%s %d", os.Getenv(childName), i), fmt.Sprintf("shared %d", i))
		fmt.Printf("done %d\n", i)
	}
}

// Several processes append to the same space and are killed in the middle of
// it: all that any of them had finished is there, and nothing is wrong.
func TestKilledProcessesLoseNothingTheyFinished(t *testing.T) {
	dir := t.TempDir()
	const children, each = 3, 40
	var commands []*exec.Cmd
	var outputs []*bufio.Scanner
	for n := range children {
		cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
		cmd.Env = append(os.Environ(), childDir+"="+dir, childName+"=child "+strconv.Itoa(n))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		commands, outputs = append(commands, cmd), append(outputs, bufio.NewScanner(out))
	}
	var texts []string
	for n, out := range outputs {
		last := -1
		for last < each+10*n && out.Scan() {
			fmt.Sscanf(out.Text(), "done %d", &last)
		}
		commands[n].Process.Kill()
		for out.Scan() { // what it had said before it died
			fmt.Sscanf(out.Text(), "done %d", &last)
		}
		commands[n].Wait()
		if last < each {
			t.Fatalf("child %d did %d", n, last)
		}
		for i := range last + 1 {
			texts = append(texts, fmt.Sprintf("child %d %d", n, i), fmt.Sprintf("shared %d", i))
		}
	}
	f := newFake()
	e := open(t, f, dir)
	got := mustAsk(t, f, e, texts, nil)
	if want := embed(t, open(t, newFake(), t.TempDir()), texts...); !equal(got, want) {
		t.Error("wrong vectors")
	}
}
