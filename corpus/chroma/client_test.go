package chroma

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
)

func TestAddressesAreReadAndWritten(t *testing.T) {
	for in, want := range map[string]Address{
		"chroma://localhost:8000/notes":        {Host: "localhost:8000", Collection: "notes"},
		"chroma://localhost":                   {Host: "localhost:8000"},
		"chroma://h:1/t/d/c":                   {Host: "h:1", Tenant: "t", Database: "d", Collection: "c"},
		"chroma+https://api.example.com/t/d/c": {TLS: true, Host: "api.example.com", Tenant: "t", Database: "d", Collection: "c"},
		"chroma+https://h/t/d":                 {TLS: true, Host: "h", Tenant: "t", Database: "d"},
	} {
		got, err := ParseAddress(in)
		if err != nil || got != want {
			t.Errorf("%s is %+v (%v), want %+v", in, got, err, want)
		}
		if again, err := ParseAddress(got.String()); err != nil || again != got {
			t.Errorf("%s is written as %s", in, got)
		}
	}
	for _, in := range []string{"", "chroma://", "http://h/c", "chroma://user:secret@h/c", "chroma://h/a/b/c/d", "chroma://h//c", "chroma://h/c?x=1", "chroma://h/../c", "chroma://:8000/c"} {
		if a, err := ParseAddress(in); winnow.CodeOf(err) != winnow.BadInput || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q is %+v (%v)", in, a, err)
		}
	}
}

func FuzzAddress(f *testing.F) {
	for _, s := range []string{"chroma://h:1/t/d/c", "chroma+https://h", "chroma://[::1]:8000/ü", "chroma://h/%2f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := ParseAddress(s)
		if err != nil {
			return
		}
		if again, err := ParseAddress(a.String()); err != nil || again != a {
			t.Errorf("%q is %+v, written as %q and read as %+v (%v)", s, a, a.String(), again, err)
		}
	})
}

// client of a handler, which waits for nothing.
func client(t *testing.T, h http.HandlerFunc, o Options) (*Client, *[]time.Duration) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	a, err := ParseAddress("chroma://" + strings.TrimPrefix(s.URL, "http://") + "/things")
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(a, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var waits []time.Duration
	c.sleep = func(ctx context.Context, d time.Duration) error {
		waits = append(waits, d)
		return ctx.Err()
	}
	return c, &waits
}

func TestWhatPassesIsTriedAgainAndWhatDoesNotIsNot(t *testing.T) {
	for _, test := range []struct {
		status int
		header string
		tries  int32
		code   winnow.Code
	}{
		{500, "", 6, winnow.Unavailable}, {503, "", 6, winnow.Unavailable}, {429, "1", 6, winnow.Unavailable},
		{429, "3600", 1, winnow.Unavailable}, // longer than anybody waits
		{400, "", 1, winnow.BadInput}, {401, "", 1, winnow.BadInput}, {404, "", 1, winnow.NotFound},
		{413, "", 1, winnow.TooMuch}, {501, "", 1, winnow.BadInput},
	} {
		var tries atomic.Int32
		c, waits := client(t, func(w http.ResponseWriter, r *http.Request) {
			tries.Add(1)
			w.Header().Set("Retry-After", test.header)
			w.WriteHeader(test.status)
			w.Write([]byte(`{"error":"X","message":"it says so, ` + r.Header.Get("x-chroma-token") + `"}`))
		}, Options{Token: "tok-123"})
		err := c.call(t.Context(), patient, http.MethodGet, "/x", nil, nil)
		if tries.Load() != test.tries || winnow.CodeOf(err) != test.code || statusOf(err) != test.status {
			t.Errorf("%d: %d tries, %v", test.status, tries.Load(), err)
		}
		if !strings.Contains(err.Error(), "it says so") || strings.Contains(err.Error(), "tok-123") {
			t.Errorf("%d: the error is %q", test.status, err)
		}
		if test.header == "1" && !slices.ContainsFunc(*waits, func(d time.Duration) bool { return d >= time.Second }) {
			t.Errorf("it waits %v where the server asks for a second", *waits)
		}
	}
}

func TestAServerThatComesBackIsAnswered(t *testing.T) {
	var tries atomic.Int32
	c, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		if tries.Add(1) < 3 {
			panic(http.ErrAbortHandler) // the connection is reset
		}
		w.Write([]byte("7"))
	}, Options{})
	n := 0
	if err := c.call(t.Context(), patient, http.MethodGet, "/x", nil, &n); err != nil || n != 7 {
		t.Errorf("%d, %v", n, err)
	}
}

func TestASilentServerIsNotWaitedForForever(t *testing.T) {
	release := make(chan struct{})
	c, _ := client(t, func(w http.ResponseWriter, r *http.Request) { <-release }, Options{Timeout: 20 * time.Millisecond})
	defer close(release)
	bounded, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if err := c.call(bounded, impatient, http.MethodGet, "/x", nil, nil); winnow.CodeOf(err) != winnow.Unavailable {
		t.Errorf("it gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.call(ctx, patient, http.MethodGet, "/x", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, it gives %v", err)
	}
}

func TestTokenAndHeadersAreSentAndRedirectsAreNotFollowed(t *testing.T) {
	c, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("x-chroma-token") != "tok" || r.Header.Get("X-Gate") != "open" {
			t.Errorf("headers are %v", r.Header)
		}
		http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect)
	}, Options{Token: "tok", Headers: map[string]string{"X-Gate": "open"}})
	if err := c.call(t.Context(), patient, http.MethodGet, "/x", nil, nil); statusOf(err) != http.StatusTemporaryRedirect {
		t.Errorf("it gives %v", err)
	}
}

func TestACertificateOfOnesOwnIsTrusted(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("1")) }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of the one who does not trust it
	s.StartTLS()
	defer s.Close()
	a, err := ParseAddress("chroma+https://" + strings.TrimPrefix(s.URL, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	for _, test := range []struct {
		ca []byte
		ok bool
	}{{ca, true}, {nil, false}} {
		c, err := NewClient(a, Options{CA: test.ca})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.call(t.Context(), impatient, http.MethodGet, "/x", nil, nil); (err == nil) != test.ok {
			t.Errorf("with %d bytes of certificates: %v", len(test.ca), err)
		}
		c.Close()
	}
	if _, err := NewClient(a, Options{CA: []byte("no certificate")}); winnow.CodeOf(err) != winnow.BadInput {
		t.Errorf("what is no certificate gives %v", err)
	}
}

func TestABodyThatIsTooLargeIsWrittenInHalves(t *testing.T) {
	var sizes []int
	c, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		if sizes = append(sizes, int(r.ContentLength)); r.ContentLength > 2000 {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
	}, Options{})
	col := &Collection{client: c, limits: Limits{Write: 100, Page: 100}}
	records := make([]Record, 8)
	for i := range records {
		records[i] = Record{ID: string(rune('a' + i)), Document: strings.Repeat("x", 500), Vector: winnow.Vector{1}}
	}
	if err := col.upsert(t.Context(), records); err != nil || len(sizes) != 7 {
		t.Errorf("sizes %v (%v)", sizes, err)
	}
	records[0].Document = strings.Repeat("x", 5000)
	if err := col.upsert(t.Context(), records[:1]); winnow.CodeOf(err) != winnow.TooMuch {
		t.Errorf("one record that is too large gives %v", err)
	}
}
