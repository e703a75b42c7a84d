package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// store is the files of a space: the newer, which is appended to, and the older,
// which was full.
type store struct {
	path string

	mu    sync.Mutex
	newer *generation
	older *generation // nil if there is none
	err   error       // the first thing that went wrong
}

func openStore(dir, space string) (*store, error) {
	s := &store{path: filepath.Join(dir, fileName(space))}
	return s, s.open()
}

// fileName is readable, safe on every file system, and different for every
// space.
func fileName(space string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '_'
	}, space)
	hash := sha256.Sum256([]byte(space))
	return fmt.Sprintf("%s-%x.vectors", strings.TrimLeft(safe[:min(len(safe), 60)], "."), hash[:6])
}

func (s *store) olderPath() string { return s.path + ".old" }

// open opens what is now at the paths. A file that is open already and has only
// changed its name keeps its index.
func (s *store) open() error {
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	was := s.newer
	s.newer = &generation{file: f}
	s.older.close()
	s.older = nil
	old, err := os.Open(s.olderPath())
	if errors.Is(err, fs.ErrNotExist) {
		was.close()
		return nil
	}
	if err != nil {
		was.close()
		return err
	}
	if was != nil && same(was.file, old) {
		s.older = was
		return old.Close()
	}
	was.close()
	s.older = &generation{file: old}
	return nil
}

func same(a, b *os.File) bool {
	x, errX := a.Stat()
	y, errY := b.Stat()
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// current tells whether the newer file is still the one at the path: another
// process may have found it full.
func (s *store) current() bool {
	now, err := os.Stat(s.path)
	if err != nil {
		return false
	}
	ours, err := s.newer.file.Stat()
	return err == nil && os.SameFile(now, ours)
}

// refresh takes in what other processes have done.
func (s *store) refresh() error {
	if !s.current() {
		if err := s.open(); err != nil {
			return err
		}
	}
	if s.older != nil {
		if err := s.older.refresh(); err != nil {
			return err
		}
	}
	return s.newer.refresh()
}

func (s *store) note(err error) {
	if s.err == nil {
		s.err = err
	}
}

// find returns the records of keys; aged are those that only the older file has.
func (s *store) find(keys []key, dim int) (records map[key][]byte, aged [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(s.refresh())
	records = make(map[key][]byte, len(keys))
	for _, k := range keys {
		if r := s.newer.find(k, dim); r != nil {
			records[k] = r
		} else if r := s.older.find(k, dim); r != nil {
			records[k] = r
			aged = append(aged, r)
		}
	}
	return records, aged
}

// keep appends records to the newer file, but for those that another process or
// call has appended meanwhile.
func (s *store) keep(ctx context.Context, records [][]byte, maxBytes int64) {
	if len(records) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(s.append(ctx, records, maxBytes))
}

func (s *store) append(ctx context.Context, records [][]byte, maxBytes int64) error {
	for {
		g := s.newer
		if err := lock(ctx, g.file); err != nil {
			return err
		}
		if !s.current() {
			unlock(g.file)
			if err := s.open(); err != nil {
				return err
			}
			continue
		}
		if err := g.refresh(); err != nil {
			return errors.Join(err, unlock(g.file))
		}
		var batch []byte
		for _, r := range records {
			if len(r) <= maxRecord && g.find(keyIn(r), dimOf(r)) == nil {
				batch = append(batch, r...)
			}
		}
		if g.size > 0 && g.size+int64(len(batch)) > maxBytes/2 {
			if err := os.Rename(s.path, s.olderPath()); err != nil {
				return errors.Join(err, unlock(g.file))
			}
			unlock(g.file)
			continue
		}
		return errors.Join(g.append(batch), unlock(g.file))
	}
}

// dim is that of the newest vector kept, 0 if there is none.
func (s *store) dim() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(s.refresh())
	if s.newer.dim == 0 && s.older != nil {
		return s.older.dim
	}
	return s.newer.dim
}

// close closes the files and returns the first thing that went wrong.
func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newer.close()
	s.older.close()
	return s.err
}
