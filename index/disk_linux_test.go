package index_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// fillDisk mounts a small disk for itself and fills it with one large file.
func fillDisk(dir string) error {
	const pages = 512
	if err := syscall.Mount("winnow", dir, "tmpfs", 0, fmt.Sprintf("size=%d", pages*diskPage)); err != nil {
		return err
	}
	ballast := filepath.Join(dir, "ballast")
	free := func() error {
		if err := os.Remove(ballast); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	full := func(left int) error {
		if err := free(); err != nil {
			return err
		}
		var st syscall.Statfs_t
		if err := syscall.Statfs(dir, &st); err != nil {
			return err
		}
		return os.WriteFile(ballast, make([]byte, (int(st.Bavail)-left)*diskPage), 0o644)
	}
	return disk{dir: filepath.Join(dir, "index"), full: full, free: free}.work()
}

// TestAFullDiskChangesNothing needs a name space of its own to mount a disk in,
// which some systems allow only root.
func TestAFullDiskChangesNothing(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "fill", t.TempDir(), "")
	p.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	if err := p.Start(); err != nil {
		t.Skipf("this system lets us mount no disk: %v", err)
	}
	p.finish(t)
}
