package desk

import (
	"context"
	"fmt"
	"sync"

	"github.com/winnow-search/winnow"
)

// folder is a folder that is kept up to date.
type folder struct {
	name    string // of its collection: the real path
	settled chan struct{}

	mu          sync.Mutex
	err         error // of the last update
	done, total int   // files of the update under way
}

// settle notes that a folder has been brought up to date, or why not.
func (f *folder) settle(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
	select {
	case <-f.settled:
	default:
		close(f.settled)
	}
}

func (f *folder) told(done, total int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done, f.total = done, total
}

func (f *folder) progress() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.total == 0 {
		return f.name + " is still being indexed"
	}
	return fmt.Sprintf("%s is still being indexed: %d of %d files so far", f.name, f.done, f.total)
}

// why says why a folder can't be searched.
func (f *folder) why() error {
	f.mu.Lock()
	err := f.err
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return &winnow.Error{Code: winnow.Unavailable, Message: f.progress(), Hint: "ask again in a moment"}
}

// wait reports whether the folder has been brought up to date before ctx ends.
func (f *folder) wait(ctx context.Context) bool {
	select {
	case <-f.settled:
	case <-ctx.Done():
	}
	return f.isSettled()
}

func (f *folder) isSettled() bool {
	select {
	case <-f.settled:
		return true
	default:
		return false
	}
}
