package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/endpoint"
)

// script answers with one step after the other and repeats the last.
func script(t *testing.T, steps ...http.HandlerFunc) (*httptest.Server, *atomic.Int32) {
	calls := new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		n := int(calls.Add(1))
		steps[min(n, len(steps))-1](w, r)
	}))
	t.Cleanup(s.Close)
	return s, calls
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func say(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
}

// reset breaks the connection off before a reply.
func reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// breakOff ends the connection within a reply.
func breakOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	io.WriteString(w, `{"results":[`)
}

const fine = `{"results":[{"index":0,"relevance_score":0.5}]}`

// patient returns a reranker that notes its waits and does not take them.
func patient(t *testing.T, o Options) (*Reranker, *[]time.Duration) {
	r := newReranker(t, o)
	waits := new([]time.Duration)
	r.sleep = func(_ context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return nil
	}
	return r, waits
}

func TestWhatPassesIsTriedAgain(t *testing.T) {
	for name, bad := range map[string]http.HandlerFunc{
		"429": status(429), "500": status(500), "502": status(502), "503": status(503), "504": status(504), "408": status(408),
		"reset": reset, "half a reply": breakOff,
	} {
		t.Run(name, func(t *testing.T) {
			s, calls := script(t, bad, bad, say(fine))
			r, waits := patient(t, Options{URL: s.URL + "/v1/rerank"})
			scores, err := r.Rerank(t.Context(), "q", hits("a"))
			if err != nil || scores[0] != 0.5 || calls.Load() != 3 {
				t.Fatalf("%v %v after %d calls", scores, err, calls.Load())
			}
			for i, w := range *waits {
				if full := firstWait << i; w < full/2 || w > full {
					t.Errorf("wait %d took %v, want %v to %v", i, w, full/2, full)
				}
			}
		})
	}
}

func TestAttemptsAreBounded(t *testing.T) {
	s, calls := script(t, status(503))
	r, waits := patient(t, Options{URL: s.URL + "/v1/rerank", Attempts: 3})
	_, err := r.Rerank(t.Context(), "q", hits("a"))
	if winnow.CodeOf(err) != winnow.Unavailable || calls.Load() != 3 || len(*waits) != 2 {
		t.Errorf("%v after %d calls and %d waits", err, calls.Load(), len(*waits))
	}
}

func TestRetryAfterIsKept(t *testing.T) {
	s, _ := script(t, status(429, "Retry-After", "7"), say(fine))
	r, waits := patient(t, Options{URL: s.URL + "/v1/rerank"})
	if _, err := r.Rerank(t.Context(), "q", hits("a")); err != nil {
		t.Fatal(err)
	}
	if w := (*waits)[0]; w < 7*time.Second || w > 8*time.Second {
		t.Errorf("waited %v", w)
	}
}

func TestNobodyWaitsLongerThanItMakesSense(t *testing.T) {
	s, calls := script(t, status(429, "Retry-After", "3600"), say(fine))
	r, waits := patient(t, Options{URL: s.URL + "/v1/rerank"})
	_, err := r.Rerank(t.Context(), "q", hits("a"))
	var e *winnow.Error
	if !errors.As(err, &e) || e.Code != winnow.Unavailable || !strings.Contains(e.Hint, "1h0m0s") || len(*waits) != 0 || calls.Load() != 1 {
		t.Errorf("%v after %v", err, *waits)
	}

	s, _ = script(t, status(429, "Retry-After", "15"), say(fine))
	r, waits = patient(t, Options{URL: s.URL + "/v1/rerank"})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := r.Rerank(ctx, "q", hits("a")); winnow.CodeOf(err) != winnow.Unavailable || len(*waits) != 0 {
		t.Errorf("past the caller's deadline: %v after %v", err, *waits)
	}
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	now := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-5": 0, "0": 0, "12": 12 * time.Second,
		"Sat, 01 Mar 2025 12:00:30 GMT": 30 * time.Second,
		"Sat, 01 Mar 2025 11:00:00 GMT": 0,
		"99999999999999999999":          0,
	} {
		if got := endpoint.RetryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

func TestWhatDoesNotPassIsNotTriedAgain(t *testing.T) {
	for _, c := range []struct {
		bad  http.HandlerFunc
		code winnow.Code
		say  string
		hint string
	}{
		{status(401), winnow.BadInput, "did not accept the key (401)", "key is valid"},
		{status(403), winnow.BadInput, "did not accept the key (403)", "key is valid"},
		{status(404), winnow.NotFound, "answered 404", "path of the URL"},
		{status(405), winnow.NotFound, "answered 405", "path of the URL"},
		{status(400), winnow.BadInput, "answered 400", "model"},
		{status(413), winnow.TooMuch, "answered 413", "smaller batches"},
		{status(501), winnow.BadInput, "answered 501", "URL"},
		{status(308, "Location", "https://u:p@other.example/v1/rerank?k=v"), winnow.BadInput, "answered 308", "https://other.example/v1/rerank"},
		{say("<!doctype html><title>Sign in</title>"), winnow.Unavailable, "HTML page", "rerank or score call"},
	} {
		s, calls := script(t, c.bad)
		r, _ := patient(t, Options{URL: s.URL + "/v1/rerank", Key: "k"})
		_, err := r.Rerank(t.Context(), "q", hits("a"))
		var e *winnow.Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(err.Error(), c.say) || !strings.Contains(e.Hint, c.hint) ||
			strings.Contains(e.Hint, "u:p") || calls.Load() != 1 {
			t.Errorf("want %s %q (%s), got %+v after %d calls", c.code, c.say, c.hint, err, calls.Load())
		}
	}
}

func TestAMissingKeyIsAskedFor(t *testing.T) {
	s, _ := script(t, status(401))
	r, _ := patient(t, Options{URL: s.URL + "/v1/rerank"})
	_, err := r.Rerank(t.Context(), "q", hits("a"))
	if winnow.CodeOf(err) != winnow.BadInput || !strings.Contains(err.Error(), "wants a key") {
		t.Error(err)
	}
}

func TestTheServersWordsAreInTheError(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":"batch size 40 > maximum allowed batch size 32","error_type":"Validation"}`: "400: batch size 40 > maximum allowed batch size 32",
		`{"error":{"message":"no such model","type":"NotFound"}}`:                             "400: no such model",
		`{"message":"invalid request"}`:                                                       "400: invalid request",
		`{"detail":"field required"}`:                                                         "400: field required",
		`{"detail":[{"loc":["body"],"msg":"wrong"}]}`:                                         `400: {"detail":[{"loc":["body"],"msg":"wrong"}]}`,
		"  plain \n words ":                                                                   "400: plain words",
		"<html><body>nginx</body></html>":                                                     "400: an HTML page",
		strings.Repeat("é", 500):                                                              "400: " + strings.Repeat("é", 100) + " …",
		"":                                                                                    "400",
	} {
		s, _ := script(t, func(w http.ResponseWriter, r *http.Request) { http.Error(w, body, 400) })
		r, _ := patient(t, Options{URL: s.URL + "/v1/rerank"})
		_, err := r.Rerank(t.Context(), "q", hits("a"))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func TestNoErrorHoldsASecret(t *testing.T) {
	const key = "sk-0123456789abcdef"
	pad := strings.Repeat("x", endpoint.QuoteLen-len(key)/2) // so that the quote is cut within the key
	for name, step := range map[string]http.HandlerFunc{
		"refused": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "invalid key "+r.Header.Get("Authorization"), 401)
		},
		"refused at length": func(w http.ResponseWriter, r *http.Request) { http.Error(w, pad+key, 400) },
		"no results":        say(`{"error":"` + key + `"}`),
		"not JSON":          say(key),
		"reset":             reset,
		"redirected":        status(302, "Location", "https://user:"+key+"@h/?key="+key),
	} {
		s, _ := script(t, step)
		address := strings.Replace(s.URL, "http://", "http://user:"+key+"@", 1) + "/v1/rerank?key=" + key
		r, _ := patient(t, Options{URL: address, Key: key})
		_, err := r.Rerank(t.Context(), "q", hits("a"))
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		var e *winnow.Error
		errors.As(err, &e)
		if all := fmt.Sprintf("%v %+v %s", err, errors.Unwrap(err), e.Hint); strings.Contains(all, key[:8]) {
			t.Errorf("%s: %s", name, all)
		}
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	r, waits := patient(t, Options{URL: s.URL})
	_, err := r.Rerank(t.Context(), "q", hits("a"))
	if winnow.CodeOf(err) != winnow.Unavailable || len(*waits) != 3 {
		t.Errorf("%v after %v", err, *waits)
	}
}

func TestAnUntrustedCertificateIsNotTriedAgain(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	r, waits := patient(t, Options{URL: s.URL})
	_, err := r.Rerank(t.Context(), "q", hits("a"))
	if winnow.CodeOf(err) != winnow.Unavailable || len(*waits) != 0 {
		t.Errorf("%v after %v", err, *waits)
	}
}
