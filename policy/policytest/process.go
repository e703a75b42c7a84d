package policytest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
)

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
