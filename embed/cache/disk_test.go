package cache

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/winnow-search/winnow"
)

// alone runs the test in a process of its own and reports true, or false in
// that process: the limit holds for the log of the test run too.
func alone(t *testing.T) bool {
	t.Helper()
	const variable = "WINNOW_TEST_ALONE"
	if os.Getenv(variable) != "" {
		return false
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), variable+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return true
}

// limitFiles makes writes beyond size fail, as on a full disk, until the test
// calls lift. No test of the package runs beside another.
func limitFiles(t *testing.T, size int64) (lift func()) {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	now := was
	now.Cur = uint64(size)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
		t.Skipf("this system sets no limit on files: %v", err)
	}
	lift = func() {
		syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was)
		signal.Reset(syscall.SIGXFSZ)
	}
	t.Cleanup(lift)
	return lift
}

func TestAFullDiskCostsTheKeepingAndNothingElse(t *testing.T) {
	if alone(t) {
		return
	}
	dir, f := t.TempDir(), newFake()
	e := open(t, f, dir)
	want := embed(t, e, numbered(0, 2)...)
	before, err := os.Stat(e.store.path)
	if err != nil {
		t.Fatal(err)
	}
	lift := limitFiles(t, before.Size()+int64(recordSize(f.dims, 1))/2)
	for range 2 { // not kept, so computed again
		if got := mustAsk(t, f, e, numbered(0, 4), numbered(2, 4)); len(got[3]) != 1 || !equal(got[:2], want) {
			t.Error("wrong vectors")
		}
		if after, err := os.Stat(e.store.path); err != nil || after.Size() != before.Size() {
			t.Errorf("the file has %d bytes, want %d: half a record was left behind (%v)", after.Size(), before.Size(), err)
		}
	}
	lift()
	mustAsk(t, f, e, numbered(0, 4), numbered(2, 4))
	mustAsk(t, f, e, numbered(0, 4), nil)
	if err := e.Close(); winnow.CodeOf(err) != winnow.Unavailable || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("closed with %v", err)
	}
}
