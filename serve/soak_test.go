package serve_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/policy/chat"
	"github.com/winnow-search/winnow/policy/policytest"
	"github.com/winnow-search/winnow/policy/scripted"
	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

// endpoint is a model's server that can be killed and comes back.
type endpoint struct {
	t    *testing.T
	addr string
	stop func()
}

func (e *endpoint) start() {
	l, err := net.Listen("tcp", e.addr)
	if err != nil {
		e.t.Error(err)
		return
	}
	e.addr = l.Addr().String()
	model := &policytest.Server{}
	for range 200 { // a search and an answer by turns, to whichever run asks
		model.Script = append(model.Script, policytest.Reply{Calls: []winnow.Call{scripted.Search("hive")}}, policytest.Reply{Text: `<Document id="c1"><Justification>hive</Justification></Document>`})
	}
	h := &http.Server{Handler: model}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	e.stop = func() {
		h.Close()
		<-ended
	}
}

// modelled asks the endpoint.
type modelled struct{ url string }

func (m modelled) Options(o *open.Opened) (agent.Options, error) {
	p, err := chat.New(chat.Options{BaseURL: m.url, Model: "test"})
	return agent.Options{Policy: p, Corpus: o.Corpus, Collections: o.Collections}, err
}

// files is how many the process has open; 0 where the system does not tell.
func files() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

// settled waits until no run is under way and no more than so many goroutines and
// files are left.
func (s *served) settled(goroutines, open int) bool {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); runtime.Gosched() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		stats := s.desk.Stats()
		if stats.Running+stats.Queued == 0 && runtime.NumGoroutine() <= goroutines && files() <= open {
			return true
		}
	}
	return false
}

// Clients leave when they like, read slowly or not at all, and the model dies in
// the middle. Nothing of it may be left behind. WINNOW_SOAK=10m makes it long.
func TestNothingIsLeftBehind(t *testing.T) {
	lasts := 2 * time.Second
	if text := os.Getenv("WINNOW_SOAK"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	model := &endpoint{t: t, addr: "127.0.0.1:0"}
	model.start()
	s := start(t, desk.Options{Own: modelled{"http://" + model.addr + "/v1"}, MaxRuns: 8, Queue: 16}, serve.Options{})
	fetch[wire.Ask](s, "POST", "/v1/ask", hive) // everything that stays is there now
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	goroutines, open := runtime.NumGoroutine(), files()

	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	var group sync.WaitGroup
	outcomes := map[string]int{}
	var mu sync.Mutex
	for i := range 12 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for ctx.Err() == nil {
				kind := visit(ctx, s, r)
				mu.Lock()
				outcomes[kind]++
				mu.Unlock()
			}
		})
	}
	group.Go(func() {
		r := rand.New(rand.NewPCG(99, 1))
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(50+r.IntN(200)) * time.Millisecond):
				model.stop()
				model.start()
			}
		}
	})
	group.Wait()
	model.stop()
	t.Logf("visits: %v", outcomes)
	if outcomes["whole"] == 0 || outcomes["left in the middle"] == 0 {
		t.Errorf("the visits were %v", outcomes)
	}
	if goroutines--; !s.settled(goroutines, open) { // the endpoint's own is gone
		var stacks strings.Builder
		pprof.Lookup("goroutine").WriteTo(&stacks, 1)
		t.Errorf("%d goroutines and %d files were %d and %d:\n%s", runtime.NumGoroutine(), files(), goroutines, open, stacks.String())
	}
	if stats := s.desk.Stats(); stats.Panics > 0 {
		t.Errorf("there were panics: %+v", stats)
	}
}

// visit asks in one of several ways and returns what became of it.
func visit(ctx context.Context, s *served, r *rand.Rand) string {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	how := r.IntN(5)
	request, _ := http.NewRequestWithContext(ctx, "POST", s.URL+[]string{"/v1/ask", "/search"}[r.IntN(2)], nil)
	body := `{"query": "hive"}`
	if request.URL.Path == "/v1/ask" {
		body = fmt.Sprintf(`{"question": "hive %d", "deadline_s": 0.5}`, r.IntN(100))
	}
	if how == 4 {
		request, _ = http.NewRequestWithContext(ctx, "GET", s.URL+[]string{"/v1/runs", "/v1/runs/last"}[r.IntN(2)], nil)
	} else {
		request.Body = io.NopCloser(strings.NewReader(body))
	}
	request.Header.Set("Accept", stream)
	resp, err := client.Do(request)
	if err != nil {
		return "no answer"
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode != http.StatusOK:
		return "refused"
	case how == 0:
		return "left at once"
	case how == 1 || how == 4: // a stream of runs has no end
		io.CopyN(io.Discard, resp.Body, int64(r.IntN(8000)))
		return "left in the middle"
	case how == 2:
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(r.IntN(100)) * time.Millisecond):
		}
		return "not read"
	}
	io.Copy(io.Discard, resp.Body)
	return "whole"
}
