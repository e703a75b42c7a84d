package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
)

const key = "sk-secret-1234"

// serve starts a server and an embedder that asks it and does not really wait;
// the pauses it would have made are returned by the function.
func serve(t *testing.T, o Options, h http.HandlerFunc) (*Embedder, func() []time.Duration) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	o.BaseURL, o.Model, o.Key = s.URL+"/v1", "m", key
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var pauses []time.Duration
	e.sleep = func(ctx context.Context, d time.Duration) error {
		pauses = append(pauses, d)
		return ctx.Err()
	}
	return e, func() []time.Duration { return pauses }
}

// answer replies with a vector per text that tells which it was: its length
// and 1.
func answer(w http.ResponseWriter, r *http.Request) {
	var req request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.Header.Get("Authorization") != "Bearer "+key || r.URL.Path != "/v1/embeddings" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	var data []string
	for i, text := range req.Input {
		data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,1,0]}`, i, len(text)))
	}
	slices.Reverse(data) // the order in a reply means nothing
	fmt.Fprintf(w, `{"object":"list","data":[%s],"model":"m"}`, strings.Join(data, ","))
}

// hang waits until the client has gone away, which a server notices only once it
// has read the request.
func hang(r *http.Request) {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func TestVectorsComeBackInTheOrderOfTheTexts(t *testing.T) {
	var requests atomic.Int32
	e, _ := serve(t, Options{Batch: 3}, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		answer(w, r)
	})
	var texts []string
	for i := range 10 {
		texts = append(texts, strings.Repeat("x", i))
	}
	vectors, err := e.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors[0]) != 0 {
		t.Errorf("the empty text has %d vectors", len(vectors[0]))
	}
	for i := 1; i < 10; i++ {
		v := vectors[i][0]
		if length := float64(v[0] / v[1]); math.Abs(length-float64(i)) > 1e-4 {
			t.Errorf("text %d has the vector of %v", i, length)
		}
		if math.Abs(float64(v[0]*v[0]+v[1]*v[1])-1) > 1e-5 {
			t.Errorf("text %d: not of unit length", i)
		}
	}
	if requests.Load() != 3 {
		t.Errorf("%d requests for 9 texts in batches of 3", requests.Load())
	}
	if e.Dim() != 3 {
		t.Errorf("Dim() = %d", e.Dim())
	}
}

func TestBadRepliesAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		code   winnow.Code
		says   string
	}{
		"HTML":              {200, "<!doctype html><title>nginx</title>", winnow.Unavailable, "HTML"},
		"not JSON":          {200, "ok", winnow.Unavailable, "JSON"},
		"half a batch":      {200, `{"data":[{"index":0,"embedding":[1,0,0]}]}`, winnow.Unavailable, "1 vectors for 2"},
		"twice the same":    {200, `{"data":[{"index":0,"embedding":[1,0,0]},{"index":0,"embedding":[1,0,0]}]}`, winnow.Unavailable, "second"},
		"index too large":   {200, `{"data":[{"index":0,"embedding":[1,0,0]},{"index":7,"embedding":[1,0,0]}]}`, winnow.Unavailable, "impossible"},
		"NaN":               {200, `{"data":[{"index":0,"embedding":[1,0,0]},{"index":1,"embedding":[NaN,0,0]}]}`, winnow.Unavailable, "JSON"},
		"null":              {200, `{"data":[{"index":0,"embedding":[1,0,0]},{"index":1,"embedding":[null,0,1]}]}`, winnow.Unavailable, "null"},
		"too large":         {200, `{"data":[{"index":0,"embedding":[1,0,0]},{"index":1,"embedding":[1e999,0,0]}]}`, winnow.Unavailable, "JSON"},
		"overflow":          {200, `{"data":[{"index":0,"embedding":[1,0,0]},{"index":1,"embedding":[1e300,0,0]}]}`, winnow.Unavailable, "finite"},
		"zero":              {200, `{"data":[{"index":0,"embedding":[1,0,0]},{"index":1,"embedding":[0,0,0]}]}`, winnow.Unavailable, "zero"},
		"no numbers":        {200, `{"data":[{"index":0,"embedding":[1,0,0]},{"index":1}]}`, winnow.Unavailable, "empty"},
		"other dimension":   {200, `{"data":[{"index":0,"embedding":[1,0,0]},{"index":1,"embedding":[1,0]}]}`, winnow.BadInput, "2 dimensions instead of 3"},
		"wrong key":         {401, `{"error":"key sk-secret-1234 is not valid"}`, winnow.BadInput, "401"},
		"unknown model":     {404, `{"error":"no such model"}`, winnow.BadInput, "no such model"},
		"redirect":          {302, ``, winnow.BadInput, "302"},
		"always overloaded": {429, `slow down`, winnow.Unavailable, "429"},
		"always down":       {503, ``, winnow.Unavailable, "503"},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := serve(t, Options{Dim: 3}, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			})
			vectors, err := e.Embed(context.Background(), []string{"a", "b"})
			var said *winnow.Error
			if vectors != nil || !errors.As(err, &said) {
				t.Fatalf("vectors %v, error %v", vectors, err)
			}
			if said.Code != c.code || said.Hint == "" || !strings.Contains(err.Error(), c.says) {
				t.Errorf("code %s, hint %q, error %q", said.Code, said.Hint, err)
			}
			if strings.Contains(err.Error()+said.Hint, key) {
				t.Errorf("the key is in %q", err)
			}
		})
	}
}

func TestPassingTroubleIsRetried(t *testing.T) {
	var tries atomic.Int32
	e, pauses := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		switch tries.Add(1) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case 3: // the connection breaks
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			conn.Close()
		case 4: // the connection breaks inside the body
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"data":`)
		default:
			answer(w, r)
		}
	})
	vectors, err := e.Embed(context.Background(), []string{"four"})
	if err != nil || len(vectors[0]) != 1 {
		t.Fatalf("vectors %v, error %v", vectors, err)
	}
	p := pauses()
	if len(p) != 4 {
		t.Fatalf("pauses %v", p)
	}
	if p[1] != 7*time.Second {
		t.Errorf("Retry-After: 7 led to a pause of %v", p[1])
	}
	for i, least := range []time.Duration{firstPause / 2, firstPause, 2 * firstPause, 4 * firstPause} {
		if p[i] < least {
			t.Errorf("pause %d is %v, want at least %v", i, p[i], least)
		}
	}
}

func TestServerThatAsksForAnHourIsGivenUp(t *testing.T) {
	e, pauses := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusTooManyRequests)
	})
	if _, err := e.Embed(context.Background(), []string{"x"}); winnow.CodeOf(err) != winnow.Unavailable || len(pauses()) != 0 {
		t.Errorf("error %v after pauses %v", err, pauses())
	}
}

func TestCancelledEmbedStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e, _ := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		hang(r)
	})
	if _, err := e.Embed(ctx, []string{"x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestSlowServerTimesOut(t *testing.T) {
	e, _ := serve(t, Options{Timeout: time.Millisecond, Attempts: 2}, func(w http.ResponseWriter, r *http.Request) {
		hang(r)
	})
	if _, err := e.Embed(context.Background(), []string{"x"}); winnow.CodeOf(err) != winnow.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestLongTextIsCutBetweenWords(t *testing.T) {
	e, _ := serve(t, Options{Window: 100}, answer)
	text := strings.Repeat("abcdefg ", 30)
	vectors, err := e.Embed(context.Background(), []string{text, strings.Repeat("word ", 100_000)})
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors[0]) != 3 || len(vectors[1]) != MaxWindows {
		t.Errorf("%d and %d vectors", len(vectors[0]), len(vectors[1]))
	}
}

func FuzzCut(f *testing.F) {
	f.Add("some words to cut", 5)
	f.Add("日本語日本語", 4)
	f.Add("\xff\x80\x80\x80", 2)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size < 4 || size > 1<<20 {
			return
		}
		rest := text
		for _, part := range cut(text, size) {
			if part == "" || len(part) > size {
				t.Fatalf("a part of %d bytes", len(part))
			}
			i := strings.Index(rest, part)
			if i < 0 || strings.TrimSpace(rest[:i]) != "" {
				t.Fatalf("%q is lost before %q", rest[:max(i, 0)], part)
			}
			rest = rest[i+len(part):]
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":1,"embedding":[1,0]},{"index":0,"embedding":[0,2]}]}`), 2)
	f.Add([]byte(`{"data":[{"embedding":[1]}]}`), 1)
	f.Add([]byte(`<html>`), 1)
	f.Fuzz(func(t *testing.T, body []byte, n int) {
		if n < 0 || n > 1000 {
			return
		}
		vectors, err := parse(body, n)
		if err != nil {
			return
		}
		if len(vectors) != n {
			t.Fatalf("%d vectors for %d texts", len(vectors), n)
		}
		for _, v := range vectors {
			var square float64
			for _, x := range v {
				square += float64(x) * float64(x)
			}
			if math.Abs(square-1) > 1e-4 {
				t.Fatalf("square length %v", square)
			}
		}
	})
}

func TestBadSettingsAreRefused(t *testing.T) {
	for _, o := range []Options{{}, {BaseURL: "localhost:8000", Model: "m"}, {BaseURL: "ftp://host/v1", Model: "m"}, {BaseURL: "http://host/v1"}} {
		if _, err := New(o); winnow.CodeOf(err) != winnow.BadInput {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
