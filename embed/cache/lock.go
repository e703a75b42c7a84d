package cache

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// lockWait is how long an append waits for those of other processes, which take
// less than a millisecond. One that was stopped meanwhile is not waited for.
const lockWait = 5 * time.Second

// lock makes this process the one that appends to a file. The system takes the
// lock back if the process dies.
func lock(ctx context.Context, f *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return &os.PathError{Op: "flock", Path: f.Name(), Err: err}
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return &os.PathError{Op: "flock", Path: f.Name(), Err: ctx.Err()}
		}
	}
}

func unlock(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_UN); err != nil {
		return &os.PathError{Op: "flock", Path: f.Name(), Err: err}
	}
	return nil
}
