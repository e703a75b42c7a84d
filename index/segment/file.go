// Package segment is the engine's file format: an immutable file of named
// sections, memory-mapped, with a checksum for every page that is verified when
// the page is first touched.
//
// Five features of the engine (terms, trigrams, metadata, names, mentions) are
// the same thing on disk, a sorted dictionary whose keys lead to lists of
// ordinals, so the package holds that one mechanism ([Dict], [List]) beside the
// container ([File]) and the compressed record store ([Store]).
//
// Checking at first touch rather than at opening keeps opening instant whatever
// the size; the price is a bit test on every access. A page that fails is
// reported, never served.
package segment

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/winnow-search/winnow"
)

// Version is the format that [Create] writes. [Open] reads every version up to
// it.
const Version = 1

const (
	magic    = "winnowsg"
	pageSize = 16 << 10
	trailer  = 32 // directory offset, directory length, checksum, version, magic
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A file is sections, then the directory (JSON), then one checksum per page of
// the sections, then the trailer. The directory and the checksums carry a
// checksum of their own in the trailer, verified at opening.
type directory struct {
	Sections map[string]extent `json:"sections"`
}

type extent struct {
	Off int64 `json:"off"`
	Len int64 `json:"len"`
}

// Writer writes a segment file, section after section.
type Writer struct {
	path string
	f    *os.File
	buf  []byte // one page, flushed when full
	sums []byte
	off  int64
	dir  directory
	open string
	err  error
}

// Create starts a new file. It fails if the file exists: segments are never
// overwritten.
func Create(path string) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &Writer{path: path, f: f, buf: make([]byte, 0, pageSize), dir: directory{Sections: map[string]extent{}}}, nil
}

// Begin ends the current section and starts the named one.
func (w *Writer) Begin(name string) {
	w.end()
	if pad := int(-w.off & 7); pad > 0 {
		w.Write(make([]byte, pad))
	}
	w.open = name
	w.dir.Sections[name] = extent{Off: w.off}
}

func (w *Writer) end() {
	if w.open == "" {
		return
	}
	e := w.dir.Sections[w.open]
	e.Len = w.off - e.Off
	w.dir.Sections[w.open] = e
	w.open = ""
}

// Write appends to the current section. The first error sticks and is returned
// by every later call and by Finish.
func (w *Writer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && w.err == nil {
		c := min(len(p), pageSize-len(w.buf))
		w.buf = append(w.buf, p[:c]...)
		p = p[c:]
		w.off += int64(c)
		if len(w.buf) == pageSize {
			w.flush()
		}
	}
	return n - len(p), w.err
}

func (w *Writer) flush() {
	w.sums = binary.LittleEndian.AppendUint32(w.sums, crc32.Checksum(w.buf, castagnoli))
	_, w.err = w.f.Write(w.buf)
	w.buf = w.buf[:0]
}

// Finish writes the directory, syncs the file to disk and closes it. On any
// error the file is removed.
func (w *Writer) Finish() error {
	w.end()
	if len(w.buf) > 0 && w.err == nil {
		w.flush()
	}
	dir, err := json.Marshal(w.dir)
	if err == nil {
		err = w.err
	}
	if err == nil {
		tail := append(dir, w.sums...)
		sum := crc32.Checksum(tail, castagnoli)
		tail = binary.LittleEndian.AppendUint64(tail, uint64(w.off))
		tail = binary.LittleEndian.AppendUint64(tail, uint64(len(dir)))
		tail = binary.LittleEndian.AppendUint32(tail, sum)
		tail = binary.LittleEndian.AppendUint32(tail, Version)
		tail = append(tail, magic...)
		_, err = w.f.Write(tail)
	}
	if err == nil {
		err = w.f.Sync()
	}
	if cerr := w.f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(w.path)
	}
	return err
}

// Abort closes and removes the file.
func (w *Writer) Abort() {
	w.f.Close()
	os.Remove(w.path)
}

// File is an open segment file. Its bytes stay valid until Close.
type File struct {
	path     string
	data     []byte
	sections map[string]extent
	sums     []byte
	verified []atomic.Uint64 // one bit per page
	limit    int64           // end of the sections
	fault    atomic.Pointer[error]
}

// Open maps a file and verifies its directory; the rest is verified when it is
// touched.
func Open(path string) (*File, error) {
	data, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, data: data}
	if err := f.readDirectory(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *File) readDirectory() error {
	n := int64(len(f.data))
	if n < trailer || string(f.data[n-8:]) != magic {
		return f.corrupt("it is cut short or not a segment")
	}
	t := f.data[n-trailer:]
	if v := binary.LittleEndian.Uint32(t[20:]); v > Version {
		return &winnow.Error{Code: winnow.TooNew,
			Message: fmt.Sprintf("%s has format %d, and this winnow reads up to %d", filepath.Base(f.path), v, Version),
			Hint:    "use the newer winnow that wrote it, or index again into a new collection"}
	}
	off, dirLen := int64(binary.LittleEndian.Uint64(t)), int64(binary.LittleEndian.Uint64(t[8:]))
	if off < 0 || dirLen < 0 || off > n-trailer || dirLen > n-trailer-off {
		return f.corrupt("its directory lies outside the file")
	}
	tail := f.data[off : n-trailer]
	if crc32.Checksum(tail, castagnoli) != binary.LittleEndian.Uint32(t[16:]) {
		return f.corrupt("its directory fails the checksum")
	}
	var dir directory
	if err := json.Unmarshal(tail[:dirLen], &dir); err != nil {
		return f.corrupt("its directory can't be read")
	}
	pages := (off + pageSize - 1) / pageSize
	f.sums = tail[dirLen:]
	if int64(len(f.sums)) != 4*pages {
		return f.corrupt("its checksums are incomplete")
	}
	for name, e := range dir.Sections {
		if e.Off < 0 || e.Len < 0 || e.Off > off || e.Len > off-e.Off {
			return f.corrupt("section " + name + " lies outside the file")
		}
	}
	f.limit = off
	f.sections = dir.Sections
	f.verified = make([]atomic.Uint64, (pages+63)/64)
	return nil
}

// Close unmaps the file. No slice taken from it may be used afterwards.
func (f *File) Close() error { return unmapFile(f.data) }

// Size is the file's length in bytes.
func (f *File) Size() int64 { return int64(len(f.data)) }

// SectionSize is the length of a section in bytes, 0 if the file lacks it.
func (f *File) SectionSize(name string) int64 { return f.sections[name].Len }

func (f *File) corrupt(why string) error {
	return &winnow.Error{Code: winnow.Corrupt, Message: filepath.Base(f.path) + " is damaged: " + why,
		Hint: "index again with --rebuild; the source files are not touched"}
}

// Verify checks every page against its checksum.
func (f *File) Verify() error { return f.touch(0, f.limit) }

func (f *File) touch(from, to int64) error {
	for p := from / pageSize; p*pageSize < to; p++ {
		word, bit := &f.verified[p>>6], uint64(1)<<(p&63)
		if word.Load()&bit != 0 {
			continue
		}
		page := f.data[p*pageSize : min((p+1)*pageSize, f.limit)]
		if crc32.Checksum(page, castagnoli) != binary.LittleEndian.Uint32(f.sums[4*p:]) {
			return f.corrupt(fmt.Sprintf("page %d fails its checksum", p))
		}
		word.Or(bit)
	}
	return nil
}

// Section is a named range of a file.
type Section struct {
	f   *File
	off int64
	n   int64
}

// Section returns the named section; a missing one is empty, so that an older
// file lacks a newer feature and nothing else.
func (f *File) Section(name string) Section {
	e := f.sections[name]
	return Section{f: f, off: e.Off, n: e.Len}
}

// Len is the section's length in bytes.
func (s Section) Len() int { return int(s.n) }

// Bytes returns n bytes at off, verified.
func (s Section) Bytes(off, n int) ([]byte, error) {
	if off < 0 || n < 0 || int64(off) > s.n || int64(n) > s.n-int64(off) {
		return nil, s.f.corrupt("an offset points outside its section")
	}
	from := s.off + int64(off)
	to := from + int64(n)
	if err := s.f.touch(from, to); err != nil {
		return nil, err
	}
	return s.f.data[from:to:to], nil
}

// All returns the whole section, verified.
func (s Section) All() ([]byte, error) { return s.Bytes(0, int(s.n)) }

// Uint32s is a section of integers as [Writer.Uint32s] writes it. It is verified
// where it is touched, so that opening a large file costs no more than a small
// one. A damaged or missing value reads as 0 and leaves its error in [File.Err]:
// who reads values asks for that before using what follows from them.
type Uint32s struct{ s Section }

// Uint32s returns the section as integers.
func (s Section) Uint32s() Uint32s { return Uint32s{s} }

func (u Uint32s) Len() int      { return int(u.s.n) / 4 }
func (u Uint32s) Int(i int) int { return int(u.At(i)) }

// At returns value i.
func (u Uint32s) At(i int) uint32 {
	b, err := u.s.Bytes(4*i, 4)
	if err != nil {
		return uint32(u.s.f.damaged(err))
	}
	return binary.LittleEndian.Uint32(b)
}

// Uint16s is the same for integers of two bytes.
type Uint16s struct{ s Section }

// Uint16s returns the section as integers of two bytes.
func (s Section) Uint16s() Uint16s { return Uint16s{s} }

func (u Uint16s) Len() int { return int(u.s.n) / 2 }

// At returns value i.
func (u Uint16s) At(i int) uint16 {
	b, err := u.s.Bytes(2*i, 2)
	if err != nil {
		return uint16(u.s.f.damaged(err))
	}
	return binary.LittleEndian.Uint16(b)
}

// Bytes returns the values from lo to hi as they are stored.
func (u Uint16s) Bytes(lo, hi int) ([]byte, error) { return u.s.Bytes(2*lo, 2*(hi-lo)) }

// damaged keeps the first damage that was met and stands for the value. It is a
// function of its own because its error goes to the heap: in At every value that
// is read would take one there.
func (f *File) damaged(err error) (zero int) {
	f.fault.CompareAndSwap(nil, &err)
	return 0
}

// Err is the first damage that reading integers has met, nil if there was none.
func (f *File) Err() error {
	if err := f.fault.Load(); err != nil {
		return *err
	}
	return nil
}

// Uint32s writes a section of integers.
func (w *Writer) Uint32s(name string, vs []uint32) {
	w.Begin(name)
	var b [4096]byte
	for len(vs) > 0 {
		n := min(len(vs), len(b)/4)
		for i, v := range vs[:n] {
			binary.LittleEndian.PutUint32(b[4*i:], v)
		}
		w.Write(b[:4*n])
		vs = vs[n:]
	}
}

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// WriteFile replaces path with data so that a crash leaves the old content or
// the new, never something between.
func WriteFile(path string, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

var _ io.Writer = (*Writer)(nil)
