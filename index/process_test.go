package index_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

// Some promises are about processes: what one leaves behind when it is killed,
// what it sees of another. For these the test binary runs itself, and plays one
// of these roles on a directory.
var roles = map[string]func(dir string) error{
	"commit":     commitForEver,
	"watch":      watch,
	"add":        addDocuments,
	"hold":       holdLock,
	"fill":       fillDisk,
	"fill files": fillFiles,
}

const roleVariable, dirVariable, argVariable = "WINNOW_TEST_ROLE", "WINNOW_TEST_DIR", "WINNOW_TEST_ARG"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := roles[role](os.Getenv(dirVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// process is a child in a role. It ends when its input is closed, if it does not
// end by itself.
type process struct {
	*exec.Cmd
	in  io.Closer
	out *bufio.Scanner
}

func newProcess(t *testing.T, role, dir, arg string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(self)}
	p.Env = append(os.Environ(), roleVariable+"="+role, dirVariable+"="+dir, argVariable+"="+arg)
	p.Stderr = os.Stderr
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewScanner(out)
	return p
}

func start(t *testing.T, role, dir, arg string) *process {
	t.Helper()
	p := newProcess(t, role, dir, arg)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	return p
}

// line waits for the child's next line of output.
func (p *process) line(t *testing.T) string {
	t.Helper()
	if !p.out.Scan() {
		t.Fatalf("the process ended: %v", p.Wait())
	}
	return p.out.Text()
}

// finish lets the child end and fails if it does not end well.
func (p *process) finish(t *testing.T) {
	t.Helper()
	p.in.Close()
	for p.out.Scan() {
	}
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
}

// parentGone is closed when the input ends.
func parentGone() <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(gone)
	}()
	return gone
}
