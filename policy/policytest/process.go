package policytest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// asServer makes a test binary the server that its tests talk to.
const asServer = "WINNOW_TEST_SERVER"

// Main is a TestMain for packages whose tests use [Start].
func Main(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	if err := Run(os.Stdin, os.Stdout); err != nil {
		panic(err)
	}
	os.Exit(0)
}

// Start runs a server as a process of its own, until the test ends, and returns
// its address.
func Start(t testing.TB, s *Server) string {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), asServer+"=1")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	if err := json.NewEncoder(in).Encode(s); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// Run is the server as a process of its own. It reads a [Server] as one JSON
// object from in, writes its address as one line to out, and serves until in is
// closed.
func Run(in io.Reader, out io.Writer) error {
	s := &Server{}
	d := json.NewDecoder(in)
	if err := d.Decode(s); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://%s/v1\n", l.Addr())
	h := &http.Server{Handler: s}
	closed := make(chan error, 1)
	go func() { closed <- h.Serve(l) }()
	io.Copy(io.Discard, in) // the parent's end is the end, whatever it is
	h.Close()
	<-closed
	return nil
}
