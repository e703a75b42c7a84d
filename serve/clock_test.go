package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

// one is a listener with a single connection.
type one struct {
	net.Conn
	next chan net.Conn
}

func (l one) Accept() (net.Conn, error) {
	c, ok := <-l.next
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l one) Addr() net.Addr { return l.LocalAddr() }

// A pipe holds nothing back, so that a reader who takes nothing is noticed with
// the first event; a socket's buffers only put that off.
func TestAReaderThatTakesNothingIsGivenUp(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	run := fetch[wire.Ask](s, "POST", "/v1/ask", hive).Run
	for _, c := range []struct {
		pause time.Duration
		whole bool
	}{{29 * time.Second, true}, {31 * time.Second, false}} {
		synctest.Test(t, func(t *testing.T) {
			here, there := net.Pipe()
			l := one{there, make(chan net.Conn, 1)}
			l.next <- there
			server := &http.Server{Handler: s.server.Handler()}
			ended := make(chan error, 1)
			go func() { ended <- server.Serve(l) }()
			fmt.Fprintf(here, "GET /v1/runs/%s HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\nConnection: close\r\n\r\n", run, stream)
			lines := bufio.NewReader(here)
			if first, err := lines.ReadString('\n'); err != nil || !strings.Contains(first, "200 OK") {
				t.Fatalf("the reply begins with %q (%v)", first, err)
			}
			time.Sleep(c.pause)
			rest, err := io.ReadAll(lines)
			if whole := strings.Contains(string(rest), "event: result"); whole != c.whole || err != nil {
				t.Errorf("after %s without reading, whole is %t (%v)", c.pause, whole, err)
			}
			here.Close()
			close(l.next)
			server.Close()
			<-ended
		})
	}
}

func TestLinksAndSessionsExpire(t *testing.T) {
	d := start(t, desk.Options{}, serve.Options{}).desk
	synctest.Test(t, func(t *testing.T) {
		s, err := serve.New(serve.Options{Desk: d, Token: token})
		if err != nil {
			t.Fatal(err)
		}
		get := func(path string, cookies ...*http.Cookie) *http.Response {
			r := httptest.NewRequest("GET", "http://localhost"+path, nil)
			for _, c := range cookies {
				r.AddCookie(c)
			}
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			return w.Result()
		}
		link := func() string { return strings.TrimPrefix(s.LoginLink("localhost"), "http://localhost") }
		used, late := link(), link()
		time.Sleep(15*time.Minute - time.Second)
		session := get(used).Cookies()
		if len(session) != 1 {
			t.Fatalf("a link of fifteen minutes gives the cookies %v", session)
		}
		time.Sleep(2 * time.Second)
		if resp := get(late); resp.StatusCode != http.StatusUnauthorized || len(resp.Cookies()) > 0 {
			t.Errorf("a link that is older logs in: %s", resp.Status)
		}
		if want := int((12 * time.Hour).Seconds()); session[0].MaxAge != want {
			t.Errorf("the browser is told to keep the cookie for %d s, not %d", session[0].MaxAge, want)
		}
		time.Sleep(12*time.Hour - 3*time.Second)
		if resp := get("/v1/server", session...); resp.StatusCode != http.StatusOK {
			t.Errorf("before twelve hours are over the session is answered %s", resp.Status)
		}
		time.Sleep(2 * time.Second) // a browser may keep a cookie for longer than it was told to
		resp := get("/v1/server", session...)
		if data, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusUnauthorized || !strings.Contains(string(data), "the session has expired") {
			t.Errorf("afterwards it is answered %s: %s", resp.Status, data)
		}
	})
}
