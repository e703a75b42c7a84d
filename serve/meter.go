package serve

import (
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// meter counts requests.
type meter struct {
	mu       sync.Mutex
	requests map[requestKey]*requestCount
}

type requestKey struct {
	route  string
	status int
}

type requestCount struct {
	n       int64
	seconds float64
}

func newMeter() *meter { return &meter{requests: map[requestKey]*requestCount{}} }

// count takes a request in. Routes are the patterns, of which there are few;
// what a client makes up is no label.
func (m *meter) count(route string, status int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := requestKey{route, status}
	c := m.requests[k]
	if c == nil {
		c = &requestCount{}
		m.requests[k] = c
	}
	c.n++
	c.seconds += took.Seconds()
}

// metrics prints the figures in Prometheus's text format. It is two dozen lines
// of text: a client library would be the largest dependency of the binary.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) error {
	var b strings.Builder
	metric := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	}
	stats := s.desk.Stats()
	metric("winnow_runs_running", "gauge", "Runs under way.")
	fmt.Fprintf(&b, "winnow_runs_running %d\n", stats.Running)
	metric("winnow_runs_queued", "gauge", "Runs that wait for their turn.")
	fmt.Fprintf(&b, "winnow_runs_queued %d\n", stats.Queued)
	metric("winnow_runs_total", "counter", "Runs by how they ended.")
	for _, how := range slices.Sorted(maps.Keys(stats.Ended)) {
		fmt.Fprintf(&b, "winnow_runs_total{ended=%q} %d\n", how, stats.Ended[how])
	}
	metric("winnow_run_seconds_total", "counter", "Time that runs took, the wait for their turn left out.")
	fmt.Fprintf(&b, "winnow_run_seconds_total %g\n", stats.Seconds)
	metric("winnow_runs_refused_total", "counter", "Questions for which the queue had no room.")
	fmt.Fprintf(&b, "winnow_runs_refused_total %d\n", stats.Refused)
	metric("winnow_run_panics_total", "counter", "Runs that ended in a panic.")
	fmt.Fprintf(&b, "winnow_run_panics_total %d\n", stats.Panics)
	s.meter.print(&b, metric)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	metric("go_goroutines", "gauge", "Goroutines.")
	fmt.Fprintf(&b, "go_goroutines %d\n", runtime.NumGoroutine())
	metric("go_memstats_heap_inuse_bytes", "gauge", "Heap in use.")
	fmt.Fprintf(&b, "go_memstats_heap_inuse_bytes %d\n", memory.HeapInuse)
	metric("winnow_info", "gauge", "The version, as a label.")
	fmt.Fprintf(&b, "winnow_info{version=%q} 1\n", s.options.Version)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	w.Write([]byte(b.String())) // who has left does not read it
	return nil
}

func (m *meter) print(b *strings.Builder, metric func(name, kind, help string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(m.requests), func(x, y requestKey) int {
		return strings.Compare(fmt.Sprint(x.route, x.status), fmt.Sprint(y.route, y.status))
	})
	metric("winnow_http_requests_total", "counter", "Requests by route and status.")
	for _, k := range keys {
		fmt.Fprintf(b, "winnow_http_requests_total{route=%q,status=\"%d\"} %d\n", k.route, k.status, m.requests[k].n)
	}
	metric("winnow_http_request_seconds_total", "counter", "Time that requests took, streams to their end.")
	for _, k := range keys {
		fmt.Fprintf(b, "winnow_http_request_seconds_total{route=%q,status=\"%d\"} %g\n", k.route, k.status, m.requests[k].seconds)
	}
}
