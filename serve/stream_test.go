package serve

import (
	"net/http/httptest"
	"testing"
	"time"
)

func TestASilentStreamSaysThatItIsThere(t *testing.T) {
	for _, c := range []struct {
		why      string
		position int
		silent   time.Duration
		want     string
	}{
		{"one who waits is told the place", 3, 0, ": queued 3\n\n"},
		{"a stream with events is left alone", 0, keepAlive / 2, ""},
		{"a silent one is kept open", 0, keepAlive, ": keep-alive\n\n"},
	} {
		w := httptest.NewRecorder()
		out := startStream(w)
		last := time.Now().Add(-c.silent)
		if err := waiting(out, c.position, &last); err != nil {
			t.Fatal(err)
		}
		if got := w.Body.String(); got != c.want {
			t.Errorf("%s: %q", c.why, got)
		}
		if c.want != "" && time.Since(last) > keepAlive/2 {
			t.Errorf("%s: and again at once", c.why)
		}
	}
}

// Whatever an event holds, it is one line of data: a document can't end an event
// and begin another.
func TestAnEventIsOneLine(t *testing.T) {
	w := httptest.NewRecorder()
	if err := startStream(w).event("action", 7, map[string]string{"text": "a\n\nevent: result\r\ndata: {}\u2028"}); err != nil {
		t.Fatal(err)
	}
	if got, want := w.Body.String(), "event: action\nid: 7\ndata: {\"text\":\"a\\n\\nevent: result\\r\\ndata: {}\\u2028\"}\n\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
