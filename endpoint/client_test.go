package endpoint

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// client is one for a server that answers as handle does.
func client(t *testing.T, handle http.HandlerFunc) *Client {
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	base, err := url.Parse(s.URL + "/api")
	if err != nil {
		t.Fatal(err)
	}
	return &Client{Base: base, Header: http.Header{"X-Key": {"k"}}, Silence: time.Minute}
}

func TestARequestIsSentAsItStands(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, name := range []string{"X-Key", "Accept", "Content-Type"} {
			io.WriteString(w, r.Header.Get(name)+" ")
		}
		io.WriteString(w, r.Method+" "+r.URL.String()+" "+string(body))
	})
	resp, err := c.Post(t.Context(), "a/b", map[string]string{"x": "<a> & b"})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := Whole(resp.Body); err != nil || string(got) != `k text/event-stream application/json POST /api/a/b {"x":"<a> & b"}` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := c.Get(t.Context(), "list?n=1"); err != nil || string(got) != "k application/json  GET /api/list?n=1 " {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := c.Post(t.Context(), "", func() {}); err == nil {
		t.Error("a function was sent")
	}
}

func TestWhatIsNoReplyIsAnError(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		case "/api/elsewhere":
			http.Redirect(w, r, "/api/page", http.StatusTemporaryRedirect)
		case "/api/cut":
			w.Header().Set("Content-Length", "9")
			io.WriteString(w, "half")
		default:
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
			io.WriteString(w, "slow "+strings.Repeat("x", 2*maxRefusal))
		}
	})
	for path, want := range map[string]error{"page": ErrPage, "cut": ErrCut} {
		if _, err := c.Get(t.Context(), path); !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	var r *Refusal
	if _, err := c.Get(t.Context(), "elsewhere"); !errors.As(err, &r) || r.Status != 307 {
		t.Errorf("a redirect was followed: %v", err)
	}
	if _, err := c.Get(t.Context(), "busy"); !errors.As(err, &r) || !r.Passing() || r.After() != 3*time.Second || len(r.Body) != maxRefusal || r.Error() != "Too Many Requests" {
		t.Errorf("%v: %+v", err, r)
	}
}

func TestARefusalPassesOrNot(t *testing.T) {
	for _, c := range []struct {
		status int
		says   string
		want   bool
	}{{400, "", false}, {408, "", true}, {425, "", true}, {429, "", true}, {500, "", true}, {501, "", false}, {529, "", true}, {429, "false", false}, {409, "true", true}} {
		r := &Refusal{Status: c.status, Header: http.Header{"X-Should-Retry": {c.says}}}
		if r.Passing() != c.want {
			t.Errorf("%d %s: %v", c.status, c.says, r.Passing())
		}
	}
	r := &Refusal{Header: http.Header{"Retry-After-Ms": {"40"}, "Retry-After": {"7"}}}
	if r.After() != 40*time.Millisecond {
		t.Errorf("after %v", r.After())
	}
}

func TestOnlySilenceIsALimit(t *testing.T) {
	const piece = 10 * time.Millisecond
	alive := true
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(piece)
		defer tick.Stop()
		for range 30 {
			io.WriteString(w, ".")
			http.NewResponseController(w).Flush()
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
		if !alive {
			<-r.Context().Done()
		}
	})
	c.Silence = 20 * piece
	if got, err := c.Get(t.Context(), ""); err != nil || len(got) != 30 {
		t.Errorf("a slow reply: %d, %v", len(got), err)
	}
	alive = false
	if _, err := c.Get(t.Context(), ""); !errors.Is(err, ErrSilent) {
		t.Errorf("a reply without end: %v", err)
	}
	c.Silence = time.Nanosecond
	if _, err := c.Get(t.Context(), ""); !errors.Is(err, ErrSilent) {
		t.Errorf("no reply: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Get(ctx, ""); !errors.Is(err, context.Canceled) || errors.Is(err, ErrSilent) {
		t.Errorf("nobody waits: %v", err)
	}
}

// endless is a body without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
func (endless) Close() error               { return nil }

func TestAReplyHasABound(t *testing.T) {
	h := &heard{from: endless{}, silence: time.NewTimer(time.Hour), limit: time.Hour}
	if n, err := io.Copy(io.Discard, h); n != MaxReply || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
