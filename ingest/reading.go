package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"runtime"
	"sync"

	"github.com/winnow-search/winnow"
)

// reading is what was read of a file: all of it, or one block of a stream.
type reading struct {
	entry       int
	file        *readState // shared by the readings of a file
	first, last bool
	size        int64 // bytes of the file
	documents   []*winnow.Document
	hashes      []uint64 // of the documents
	warnings    []string

	// Known with the last reading of a file.
	hash      fingerprint
	unchanged bool // the content is what it was
	err       error
}

// job is a reading to be made on a worker.
type job struct {
	run  func() *reading
	done chan *reading
}

// read reads files on all processors and accepts the results in order. One
// goroutine decides what to read and cuts streams into blocks, workers read and
// chunk, and the caller's goroutine talks to the sink.
func (s *syncer) read(todo []int) error {
	for _, i := range todo {
		s.progress.TotalFiles++
		s.progress.TotalBytes += s.files[i].size
	}
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	workers := runtime.GOMAXPROCS(0)
	order := make(chan *job, 4*workers) // bounds what is read ahead
	work := make(chan *job)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for j := range work {
				j.done <- j.run()
			}
		})
	}
	wg.Go(func() {
		defer close(order)
		defer close(work)
		for _, i := range todo {
			s.produce(i, func(run func() *reading) bool {
				j := &job{run, make(chan *reading, 1)}
				select {
				case order <- j:
					work <- j
					return true
				case <-ctx.Done():
					return false
				}
			})
			if ctx.Err() != nil {
				return
			}
		}
	})
	var err error
	for j := range order {
		r := <-j.done
		if err != nil {
			continue
		}
		if err = s.accept(r); err != nil {
			cancel()
		}
	}
	wg.Wait()
	if err != nil {
		return err
	}
	return s.ctx.Err()
}

// streamFrom is the size from which files of many documents are read block by
// block instead of whole.
const streamFrom = 1 << 20

// produce submits the readings of a file.
func (s *syncer) produce(i int, submit func(func() *reading) bool) {
	f, known, state := s.files[i], s.entries[i].hash, &readState{}
	if f.size > streamFrom {
		as, ok := formatByName(f.name)
		if !ok {
			// An error will be met again by the reading of the whole.
			head, _ := f.root.read(f.name, 64<<10)
			as = formatOf(f.name, head)
		}
		if as.records != nil {
			s.produceStream(i, state, known, as, submit)
			return
		}
	}
	submit(func() *reading {
		r := &reading{entry: i, file: state, first: true, last: true, size: f.size}
		r.whole(f, known, s.opts.MaxText)
		return r
	})
}

// containerFactor is how much larger than the text a file may be that packs its
// text or holds more than text.
const containerFactor = 16

// whole reads a file in one go.
func (r *reading) whole(f *file, known fingerprint, maxText int) {
	data, err := f.root.read(f.name, maxText+1)
	if err != nil {
		r.err = err
		return
	}
	as := formatOf(f.name, data)
	if as.container && len(data) > maxText {
		if f.size > containerFactor*int64(maxText) {
			r.err = fmt.Errorf("larger than %s", byteSize(containerFactor*maxText))
			return
		}
		if data, err = f.root.read(f.name, containerFactor*maxText); err != nil {
			r.err = err
			return
		}
	}
	r.hash = fingerprintOf(sha256.Sum256(data))
	if r.hash == known {
		r.unchanged = true
		return
	}
	src := newSource(f.id, data, maxText)
	r.parse(src, func() ([]*winnow.Document, error) { return as.documents(src) })
}

// parse runs a reader. A reader that panics has met a file that no test
// thought of; the file fails, not the sync.
func (r *reading) parse(src *source, documents func() ([]*winnow.Document, error)) {
	defer func() {
		if p := recover(); p != nil {
			r.documents, r.err = nil, fmt.Errorf("the reader failed: %v", p)
		}
	}()
	r.documents, r.err = documents()
	r.warnings = src.warnings
	r.hashes = make([]uint64, len(r.documents))
	for i, d := range r.documents {
		r.hashes[i] = documentHash(d)
	}
}

// produceStream submits a stream block by block.
func (s *syncer) produceStream(i int, state *readState, known fingerprint, as format, submit func(func() *reading) bool) {
	f := s.files[i]
	finish := func(r reading) {
		r.entry, r.file, r.last = i, state, true
		submit(func() *reading { return &r })
	}
	in, err := f.root.open(f.name)
	if err != nil {
		finish(reading{first: true, err: err})
		return
	}
	defer in.Close()
	h := sha256.New()
	if known != (fingerprint{}) {
		if _, err := io.Copy(h, in); err != nil {
			finish(reading{first: true, err: err})
			return
		}
		if sumOf(h) == known {
			finish(reading{first: true, unchanged: true, hash: known, size: f.size})
			return
		}
		h.Reset()
		if _, err := in.Seek(0, io.SeekStart); err != nil {
			finish(reading{first: true, err: err})
			return
		}
	}
	first := true
	err = eachBlock(io.TeeReader(in, h), as.boundary, containerFactor*s.opts.MaxText, func(block []byte, line int) bool {
		r := &reading{entry: i, file: state, first: first, size: int64(len(block))}
		first = false
		return submit(func() *reading {
			src := newSource(f.id, nil, s.opts.MaxText)
			r.parse(src, func() ([]*winnow.Document, error) { return as.block(src, block, line), nil })
			return r
		})
	})
	finish(reading{first: first, err: err, hash: sumOf(h)})
}

// blockSize is how much of a stream is read by one worker at a time.
const blockSize = 256 << 10

// eachBlock cuts a stream into blocks of whole records and calls yield with each
// and the number of its first line. A record longer than maxRecord is cut.
func eachBlock(in io.Reader, boundary func([]byte) int, maxRecord int, yield func(block []byte, line int) bool) error {
	var rest []byte // of the last block
	line := 1
	for {
		block := make([]byte, len(rest)+max(blockSize, len(rest)))
		copy(block, rest)
		n, err := io.ReadFull(in, block[len(rest):])
		block = block[:len(rest)+n]
		atEnd := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !atEnd {
			return err
		}
		end := len(block)
		if !atEnd && len(block) < maxRecord {
			end = boundary(block)
		}
		rest = block[end:]
		if end > 0 {
			if !yield(block[:end:end], line) {
				return nil
			}
			line += bytes.Count(block[:end], []byte("\n"))
		}
		if atEnd {
			return nil
		}
	}
}

func sumOf(h hash.Hash) fingerprint { return fingerprintOf([sha256.Size]byte(h.Sum(nil))) }

func fingerprintOf(sum [sha256.Size]byte) fingerprint { return fingerprint(sum[:]) }

// isUnreadable reports whether an error says that a file could not be read, and
// not that its content is bad.
func isUnreadable(err error) bool {
	var pathError *fs.PathError
	return errors.As(err, &pathError)
}
