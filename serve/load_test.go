package serve_test

import (
	"io"
	"testing"

	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
)

// BenchmarkAsk is a whole run over HTTP, of the policy that costs the least: what
// is left is the server's own.
func BenchmarkAsk(b *testing.B) {
	s := start(b, desk.Options{}, serve.Options{})
	for b.Loop() {
		resp := s.do("POST", "/v1/ask", hive, "Accept", stream)
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}
