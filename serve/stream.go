package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// stream is a reply of server-sent events.
type stream struct {
	w http.ResponseWriter
	c *http.ResponseController
}

const (
	// writeTime is how long a reader may take to make room for one event.
	writeTime = 30 * time.Second
	// keepAlive is how often a stream without events says that it is there:
	// proxies close what is silent for a minute.
	keepAlive = 15 * time.Second
	// queueTold is how often one who waits is told the position.
	queueTold = 2 * time.Second
)

func wantsStream(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

// startStream sends the headers.
func startStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	w.WriteHeader(http.StatusOK)
	return &stream{w: w, c: http.NewResponseController(w)}
}

// send writes one event or comment and sees that it leaves. A reader that does
// not take it in time is given up.
func (s *stream) send(text []byte) error {
	s.c.SetWriteDeadline(time.Now().Add(writeTime)) // not every connection can
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	return s.c.Flush()
}

// comment is read by nobody and keeps the line open.
func (s *stream) comment(format string, args ...any) error {
	return s.send(fmt.Appendf(nil, ": "+format+"\n\n", args...))
}

// event sends a named event with its number in the stream; no name and no number
// where they are empty.
func (s *stream) event(name string, id int, v any) error {
	var b bytes.Buffer
	if name != "" {
		fmt.Fprintf(&b, "event: %s\n", name)
	}
	if id > 0 {
		fmt.Fprintf(&b, "id: %d\n", id)
	}
	b.WriteString("data: ")
	e := json.NewEncoder(&b) // which ends the line
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.WriteByte('\n')
	return s.send(b.Bytes())
}
