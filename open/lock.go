package open

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/winnow-search/winnow"
)

const lockName = "lock"

// lock makes this process the one that brings a collection up to date. It does
// not wait: who finds it taken searches the current generation, or says so.
//
// Commits are safe without it, the index has its own lock for them; this one
// keeps two processes from reading the same thousand files.
func lock(dir string) (unlock func(), err error) { return lockAt(filepath.Join(dir, lockName)) }

func lockAt(path string) (unlock func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			return nil, err
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			holder, _ := os.ReadFile(path)
			f.Close()
			return nil, &winnow.Error{Code: winnow.Locked,
				Message: fmt.Sprintf("another process (%s) is bringing the collection up to date", strings.TrimSpace(string(holder))),
				Hint:    "wait for it to finish, then run this again"}
		case err != nil:
			f.Close()
			return nil, &os.PathError{Op: "flock", Path: path, Err: err}
		case current(f, path):
			f.Truncate(0)
			f.WriteAt(fmt.Appendf(nil, "pid %d\n", os.Getpid()), 0)
			return func() { f.Close() }, nil
		}
		f.Close()
	}
}

// current reports whether the file is still the one at path: the collection may
// have been removed between our opening it and our locking it.
func current(f *os.File, path string) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(ours, now)
}
