package cache

import (
	"errors"
	"io"
	"os"
)

// generation is one file of records that is appended to, and where each key is
// in it.
type generation struct {
	file *os.File
	// offsets is nil until the file is first looked at.
	offsets map[uint64]int64
	// size is that of the file when it was last looked at, end that of its last
	// record. Between them is a record that a process is still writing, or that
	// one was killed while writing.
	size, end int64
	// dim is that of the newest record that has vectors.
	dim int
}

// window is how much of a file is looked at together: any record that begins in
// its first half is whole in it.
const window = 2 * maxRecord

// refresh takes in what was appended since the last time.
func (g *generation) refresh() error {
	info, err := g.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size < g.end { // someone has cut it
		g.offsets, g.size, g.end = nil, 0, 0
	}
	if size == g.size {
		return nil
	}
	buf := make([]byte, min(size-g.end, window))
	for at := g.end; ; {
		n, err := g.file.ReadAt(buf[:min(size-at, window)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		last := at+int64(n) == size || n < window
		end := scan(buf[:n], func(i int, record []byte) { g.add(at+int64(i), record, size) })
		if end > 0 {
			g.end = at + int64(end)
		}
		switch {
		case last:
			g.size = at + int64(n)
			return nil
		case end > 0:
			at = g.end
		default:
			at += window - maxRecord // nothing whole begins before
		}
	}
}

func (g *generation) add(at int64, record []byte, size int64) {
	if g.offsets == nil {
		g.offsets = make(map[uint64]int64, size/int64(len(record)))
	}
	g.offsets[keyIn(record).short()] = at
	if countOf(record) > 0 {
		g.dim = dimOf(record)
	}
}

// find returns the record of a key, nil if there is none that serves. It is
// checked again: what was whole when it was indexed may not be now.
func (g *generation) find(k key, dim int) []byte {
	if g == nil {
		return nil
	}
	at, ok := g.offsets[k.short()]
	if !ok {
		return nil
	}
	b := make([]byte, recordSize(dim, 1)) // as most are
	n, _ := g.file.ReadAt(b, at)
	size, ok := sizeOf(b[:n])
	if !ok {
		return nil
	}
	if size > n {
		b = make([]byte, size)
		if _, err := g.file.ReadAt(b, at); err != nil {
			return nil
		}
		n = size
	}
	if record := recordAt(b[:n]); record != nil && serves(record, k, dim) {
		return record
	}
	return nil
}

// append adds records by one write. A write that fails halfway is taken back;
// the caller holds the lock, so that nobody has appended behind it.
func (g *generation) append(records []byte) error {
	n, err := g.file.Write(records)
	if err != nil && n > 0 {
		return errors.Join(err, g.file.Truncate(g.size))
	}
	if err != nil {
		return err
	}
	return g.refresh()
}

func (g *generation) close() {
	if g != nil {
		g.file.Close()
	}
}
