//go:build unix

package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/winnow-search/winnow"
)

const lockName = "lock"

// lockWait is how long a commit waits for another process's commit, which takes
// milliseconds.
const lockWait = 10 * time.Second

// lock takes the directory's write lock for one commit. The kernel releases it
// if the process dies; the pid in the file is only for the message.
func lock(caller context.Context, dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(caller, lockWait)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, &os.PathError{Op: "flock", Path: f.Name(), Err: err}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			pid, _ := os.ReadFile(f.Name())
			f.Close()
			return nil, &winnow.Error{Code: winnow.Locked,
				Message: fmt.Sprintf("another process (%s) is writing to %s", strings.TrimSpace(string(pid)), dir),
				Hint:    "wait for it to finish, then run this again; readers are not affected",
				Err:     caller.Err()}
		}
	}
	f.Truncate(0)
	f.WriteAt(fmt.Appendf(nil, "pid %d\n", os.Getpid()), 0)
	return func() { f.Close() }, nil
}
