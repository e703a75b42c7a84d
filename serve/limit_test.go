package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/policy/chat"
	"github.com/winnow-search/winnow/policy/query"
	"github.com/winnow-search/winnow/policy/scripted"
	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

// gate is a policy that searches and then waits to be let through, or for its
// context to end.
func gate(through <-chan struct{}) own {
	return deciding(func(ctx context.Context, v *winnow.View) (winnow.Action, error) {
		if v.Turn == 1 {
			return scripted.Calls(scripted.Search("hive")), nil
		}
		select {
		case <-through:
			return scripted.Answer("c1"), nil
		case <-ctx.Done():
			return winnow.Action{}, ctx.Err()
		}
	})
}

const hive = `{"question": "hive"}`

// begun reads a stream until the run has shown something.
func begun(t *testing.T, body io.Reader) {
	t.Helper()
	list := events(t, body, func(e event) bool { return e.name == "observation" })
	if len(list) == 0 || list[len(list)-1].name != "observation" {
		t.Fatalf("the stream ended with %q", names(list))
	}
}

// endOf waits until a run's record has its end.
func endOf(t *testing.T, s *served, id string) *winnow.End {
	t.Helper()
	for e, err := range s.desk.Runs().Follow(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		if e.End != nil {
			return e.End
		}
	}
	return nil
}

func TestWhoLeavesEndsTheRun(t *testing.T) {
	s := start(t, desk.Options{Own: gate(nil)}, serve.Options{})
	ctx, leave := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, "POST", s.URL+"/v1/ask", strings.NewReader(hive))
	r.Header.Set("Accept", stream)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	begun(t, resp.Body)
	leave()
	if end := endOf(t, s, resp.Header.Get("Winnow-Run")); end.Ended != winnow.WasCancelled || len(end.Ranking) == 0 {
		t.Errorf("the run ended as %+v", end)
	}
}

func TestBeyondTheQueueIsALaterTime(t *testing.T) {
	through := make(chan struct{})
	s := start(t, desk.Options{Own: gate(through), MaxRuns: 1, Queue: 1}, serve.Options{})
	first := s.do("POST", "/v1/ask", hive, "Accept", stream)
	begun(t, first.Body)
	second := s.do("POST", "/v1/ask", hive, "Accept", stream) // whose headers are there at once
	if list := events(t, second.Body, func(event) bool { return true }); list[0].comment != "queued 1" {
		t.Errorf("the second is told %+v", list[0])
	}
	third := s.do("POST", "/v1/ask", hive, "Accept", stream)
	var p wire.Problem
	if err := json.NewDecoder(third.Body).Decode(&p); err != nil {
		t.Fatal(err)
	}
	if third.StatusCode != http.StatusTooManyRequests || third.Header.Get("Retry-After") == "" || p.Code != "queue_full" {
		t.Errorf("the third is told %s, %v", third.Status, p)
	}
	close(through)
	if got := names(events(t, second.Body, nil)); !strings.HasSuffix(got, "end result") {
		t.Errorf("the second then gets %q", got)
	}
}

func TestWhoLeavesTheQueueMakesRoom(t *testing.T) {
	through := make(chan struct{})
	s := start(t, desk.Options{Own: gate(through), MaxRuns: 1, Queue: 1}, serve.Options{})
	first := s.do("POST", "/v1/ask", hive, "Accept", stream)
	begun(t, first.Body)
	second := s.do("POST", "/v1/ask", hive, "Accept", stream)
	second.Body.Close()
	for s.desk.Stats().Queued > 0 {
		runtime.Gosched() // until the server has noticed
	}
	third := s.do("POST", "/v1/ask", hive, "Accept", stream)
	close(through)
	if got := names(events(t, third.Body, nil)); !strings.HasSuffix(got, "end result") {
		t.Errorf("the third gets %q", got)
	}
}

func TestAReaderThatIsSlowHoldsNoPlace(t *testing.T) {
	s := start(t, desk.Options{MaxRuns: 1, Queue: 8}, serve.Options{})
	for range 4 { // none of whom reads
		s.do("POST", "/v1/ask", hive, "Accept", stream)
	}
	if a := fetch[wire.Ask](s, "POST", "/v1/ask", hive); a.Ended != winnow.Concluded {
		t.Errorf("behind them a run ended as %q", a.Ended)
	}
}

func TestARunEndsAtItsDeadlineWithWhatItHas(t *testing.T) {
	s := start(t, desk.Options{Own: gate(nil)}, serve.Options{})
	a := fetch[wire.Ask](s, "POST", "/v1/ask", `{"question": "hive", "deadline_s": 0.3}`)
	if a.Ended != winnow.AtDeadline || len(a.Ranking) == 0 {
		t.Errorf("the run ended as %q with %d documents", a.Ended, len(a.Ranking))
	}
}

func TestADrainedServerGivesWhatItHas(t *testing.T) {
	s := start(t, desk.Options{Own: gate(nil), MaxRuns: 1}, serve.Options{})
	ctx, stop := context.WithCancel(t.Context())
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.URL = "http://" + l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- s.server.Serve(ctx, l) }()
	running := s.do("POST", "/v1/ask", hive, "Accept", stream)
	begun(t, running.Body)
	queued := s.do("POST", "/v1/ask", hive, "Accept", stream)
	watching := s.do("GET", "/v1/runs", "", "Accept", stream)
	stop()
	list := events(t, running.Body, nil)
	var a wire.Ask
	if err := json.Unmarshal(list[len(list)-1].data, &a); err != nil || a.Ended != winnow.WasCancelled || len(a.Ranking) == 0 {
		t.Errorf("the run in flight ended with %q: %+v", names(list), a)
	}
	if got := names(events(t, queued.Body, nil)); got != "error" {
		t.Errorf("the one that waited got %q", got)
	}
	events(t, watching.Body, nil) // which ends
	if err := <-served; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

func TestAPanicEndsOneRun(t *testing.T) {
	panics := make(chan string, 1)
	s := start(t, desk.Options{
		Own: deciding(func(_ context.Context, v *winnow.View) (winnow.Action, error) {
			if v.Question == "panic" {
				panic("sk-secret")
			}
			return scripted.Answer(), nil
		}),
		Panicked: func(run string, reason any, stack []byte) { panics <- run },
	}, serve.Options{})
	resp := s.do("POST", "/v1/ask", `{"question": "panic"}`, "Accept", stream)
	list := events(t, resp.Body, nil)
	last := list[len(list)-1]
	if last.name != "error" || strings.Contains(string(last.data), "secret") {
		t.Errorf("the stream ends with %s %s", last.name, last.data)
	}
	if run := <-panics; run != resp.Header.Get("Winnow-Run") {
		t.Errorf("%q panicked", run)
	}
	fetch[wire.Ask](s, "POST", "/v1/ask", hive)
}

// broken is a corpus that panics in a search, on a goroutine of the run's tools.
type broken struct{ winnow.Corpus }

func (broken) Search(context.Context, winnow.Query) (*winnow.Results, error) { panic("broken") }

type overBroken struct{ own }

func (b overBroken) Options(o *open.Opened) (agent.Options, error) {
	options, err := b.own.Options(o)
	options.Corpus = broken{o.Corpus}
	return options, err
}

func TestAPanicInAToolEndsOneRun(t *testing.T) {
	s := start(t, desk.Options{Own: overBroken{func() winnow.Policy { return query.Policy{} }}}, serve.Options{})
	for _, body := range []string{hive, `{"question": "hive", "rollouts": 3}`} {
		list := events(t, s.do("POST", "/v1/ask", body, "Accept", stream).Body, nil)
		if last := list[len(list)-1]; last.name != "error" {
			t.Errorf("the stream ends with %s", last.name)
		}
	}
	if n := s.desk.Stats().Panics; n != 2 {
		t.Errorf("%d panics were counted", n)
	}
}

// keyed asks a model with a key.
type keyed struct{ url, key string }

func (k keyed) Options(o *open.Opened) (agent.Options, error) {
	p, err := chat.New(chat.Options{BaseURL: k.url, Model: "test", Key: k.key})
	return agent.Options{Policy: p, Corpus: o.Corpus, Collections: o.Collections}, err
}

func TestAKeyIsToldToNobody(t *testing.T) {
	const key = "sk-a-key-that-nobody-may-see"
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"error": {"message": "the key `+r.Header.Get("Authorization")+` is wrong"}}`)
	}))
	t.Cleanup(model.Close)
	s := start(t, desk.Options{Own: keyed{model.URL + "/v1", key}}, serve.Options{})
	told := ""
	for path, body := range map[string]string{"/v1/ask": hive, "/search": `{"query": "hive", "chroma_api_key": "` + key + `"}`} {
		resp := s.do("POST", path, body, "Accept", stream)
		data, _ := io.ReadAll(resp.Body)
		record, err := os.ReadFile(s.desk.Runs().Path(resp.Header.Get("Winnow-Run")))
		if err != nil {
			t.Fatal(err)
		}
		told += string(data) + string(record)
	}
	if told += strings.Join(s.failed, "\n"); strings.Contains(told, key) || !strings.Contains(told, "wrong") {
		t.Errorf("told was %s", told)
	}
}

func TestAPolicyThatFailsIsAnErrorInChromasContract(t *testing.T) {
	s := start(t, desk.Options{Own: deciding(func(context.Context, *winnow.View) (winnow.Action, error) {
		return winnow.Action{}, errors.New("no model is there")
	})}, serve.Options{})
	list := events(t, s.do("POST", "/search", `{"query": "hive"}`).Body, nil)
	if last := string(list[len(list)-1].data); last != `{"type":"error","data":{"message":"no model is there"}}` {
		t.Errorf("the stream ends with %s", last)
	}
	a := fetch[wire.Ask](s, "POST", "/v1/ask", hive)
	if a.Ended != winnow.Forced || !strings.Contains(strings.Join(a.Warnings, " "), "no model is there") {
		t.Errorf("an ask ends with %+v", a)
	}
}
