package segment_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/index/segment"
)

// build writes a file and opens it.
func build(t testing.TB, fill func(w *segment.Writer)) *segment.File {
	t.Helper()
	f, err := segment.Open(write(t, fill))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func write(t testing.TB, fill func(w *segment.Writer)) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "segment-000001")
	w, err := segment.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	fill(w)
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return path
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// sample has sections that share a page, fill several, and are empty.
func sample(r *rand.Rand) map[string][]byte {
	return map[string][]byte{
		"small": []byte("a few bytes"), "empty": {}, "large": randomBytes(r, 70_000), "odd": randomBytes(r, 16<<10+1),
	}
}

var sampleNames = []string{"small", "empty", "large", "odd"}

func writeSections(w *segment.Writer, sections map[string][]byte) {
	for _, name := range sampleNames {
		w.Begin(name)
		w.Write(sections[name])
	}
}

func TestSectionsComeBackAsWritten(t *testing.T) {
	want := sample(rand.New(rand.NewPCG(1, 1)))
	f := build(t, func(w *segment.Writer) { writeSections(w, want) })
	for name, b := range want {
		got, err := f.Section(name).All()
		if err != nil || !bytes.Equal(got, b) || f.SectionSize(name) != int64(len(b)) {
			t.Errorf("section %s came back with %d bytes (%v), want %d", name, len(got), err, len(b))
		}
	}
	if n := f.Section("no such").Len(); n != 0 {
		t.Errorf("a missing section has %d bytes, want 0", n)
	}
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
}

func TestUint32sComeBackAsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	want := make([]uint32, 5000)
	for i := range want {
		want[i] = r.Uint32()
	}
	f := build(t, func(w *segment.Writer) { w.Uint32s("numbers", want) })
	got := f.Section("numbers").Uint32s()
	if got.Len() != len(want) {
		t.Fatalf("%d numbers, want %d", got.Len(), len(want))
	}
	for i, v := range want {
		if got.At(i) != v || got.Int(i) != int(v) {
			t.Fatalf("number %d is %d, want %d", i, got.At(i), v)
		}
	}
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	if got.At(len(want)) != 0 || winnow.CodeOf(f.Err()) != winnow.Corrupt {
		t.Errorf("a number that is not there leaves %v", f.Err())
	}
}

func TestRangesOutsideASectionAreCorrupt(t *testing.T) {
	f := build(t, func(w *segment.Writer) { writeSections(w, sample(rand.New(rand.NewPCG(1, 3)))) })
	s := f.Section("small")
	for _, c := range [][2]int{{-1, 2}, {0, -1}, {0, 12}, {12, 0}, {5, 1 << 62}, {1 << 62, 5}} {
		if _, err := s.Bytes(c[0], c[1]); winnow.CodeOf(err) != winnow.Corrupt {
			t.Errorf("bytes %v gave %v, want a corrupt error", c, err)
		}
	}
	if b, err := s.Bytes(11, 0); err != nil || len(b) != 0 {
		t.Errorf("nothing at the end gave %q, %v", b, err)
	}
}

func TestASegmentIsNeverOverwritten(t *testing.T) {
	path := write(t, func(w *segment.Writer) { w.Begin("a") })
	if _, err := segment.Create(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want that the file exists", err)
	}
}

func TestAnAbortedFileIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "segment-000001")
	w, err := segment.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w.Begin("a")
	w.Abort()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that the file is gone", err)
	}
}

// TestEveryFlippedByteIsDetected flips bytes all over a file of several pages.
// Each section is then as it was or refused.
func TestEveryFlippedByteIsDetected(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	want := sample(r)
	path := write(t, func(w *segment.Writer) { writeSections(w, want) })
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	disk, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	put := func(at int, b byte) {
		if _, err := disk.WriteAt([]byte{b}, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	// All of the directory, the checksums and the trailer, and every 97th byte
	// of the pages.
	tail := len(whole) - 600
	for at := 0; at < len(whole); at++ {
		if at < tail && at%97 != 0 {
			continue
		}
		put(at, whole[at]^1<<r.IntN(8))
		f, err := segment.Open(path)
		if err != nil {
			if code := winnow.CodeOf(err); code != winnow.Corrupt && !(code == winnow.TooNew && inVersion(at, len(whole))) {
				t.Fatalf("byte %d: opening gave %v, want a corrupt error", at, err)
			}
			put(at, whole[at])
			continue
		}
		if err := f.Verify(); winnow.CodeOf(err) != winnow.Corrupt && !inVersion(at, len(whole)) {
			t.Fatalf("byte %d: verifying gave %v, want a corrupt error", at, err)
		}
		for name, b := range want {
			got, err := f.Section(name).All()
			if err == nil && !bytes.Equal(got, b) || err != nil && winnow.CodeOf(err) != winnow.Corrupt {
				t.Fatalf("byte %d: section %s was served damaged (%v)", at, name, err)
			}
		}
		f.Close()
		put(at, whole[at])
	}
}

// inVersion reports whether a byte of a file holds its format's version, which
// has to be understood before any checksum is.
func inVersion(at, size int) bool { return at >= size-12 && at < size-8 }

func TestATruncatedFileIsRefused(t *testing.T) {
	path := write(t, func(w *segment.Writer) { writeSections(w, sample(rand.New(rand.NewPCG(1, 5)))) })
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := st.Size() - 1; n >= 0; n -= 1 + n/20 {
		if err := os.Truncate(path, n); err != nil {
			t.Fatal(err)
		}
		if _, err := segment.Open(path); winnow.CodeOf(err) != winnow.Corrupt {
			t.Fatalf("%d of %d bytes: got %v, want a corrupt error", n, st.Size(), err)
		}
	}
}

func TestAFutureVersionIsRefusedByName(t *testing.T) {
	path := write(t, func(w *segment.Writer) { w.Begin("a") })
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(b[len(b)-12:], segment.Version+41)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = segment.Open(path)
	if winnow.CodeOf(err) != winnow.TooNew || !strings.Contains(err.Error(), "format 42") {
		t.Errorf("got %v, want a refusal that names format 42", err)
	}
}

func TestWriteFileLeavesNothingBeside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "name")
	for _, want := range []string{"old", "new and longer", ""} {
		if err := segment.WriteFile(path, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("got %q (%v), want %q", got, err, want)
		}
	}
	if err := segment.WriteFile(filepath.Join(dir, "no", "such"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that the folder does not exist", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%d files (%v), want one", len(entries), err)
	}
}
