package serve_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/serve"
	"github.com/winnow-search/winnow/serve/desk"
	"github.com/winnow-search/winnow/wire"
)

// record returns the events of a run, to be written again elsewhere.
func record(s *served) []winnow.Event {
	a := fetch[wire.Ask](s, "POST", "/v1/ask", `{"question": "where was the builder of the hive born", "explain": true}`)
	return fetch[wire.Record](s, "GET", "/v1/runs/"+a.Run, "").Events
}

func TestARecordedRunIsFetchedAndToldAgain(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	a := fetch[wire.Ask](s, "POST", "/v1/ask", `{"question": "hive"}`)
	r := fetch[wire.Record](s, "GET", "/v1/runs/last", "")
	if r.Run != a.Run || r.State != wire.RunEnded || r.Question != "hive" || r.Ask == nil || len(r.Ask.Ranking) != len(a.Ranking) || len(r.Events) != 5 {
		t.Errorf("fetched as %+v", r)
	}
	list := events(t, s.do("GET", "/v1/runs/"+a.Run, "", "Accept", stream).Body, nil)
	if got := names(list); got != "start action observation action end result" {
		t.Errorf("told again it is %q", got)
	}
	list = events(t, s.do("GET", "/v1/runs/"+a.Run, "", "Accept", stream, "Last-Event-ID", "4").Body, nil)
	if got := names(list); got != "end result" {
		t.Errorf("from the fourth on it is %q", got)
	}
}

func TestTheListOfRunsHasPages(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	var asked []string
	for range 5 {
		asked = append(asked, fetch[wire.Ask](s, "POST", "/v1/ask", `{"question": "hive"}`).Run)
	}
	var listed []string
	for before, pages := "", 0; pages == 0 || before != ""; pages++ {
		page := fetch[wire.Runs](s, "GET", "/v1/runs?limit=2&before="+before, "")
		for _, r := range page.Runs {
			listed = append(listed, r.Run)
		}
		before = page.Next
	}
	slices.Sort(asked) // ids tell milliseconds apart, and no more
	slices.Reverse(asked)
	if !slices.Equal(listed, asked) {
		t.Errorf("asked %q, listed %q", asked, listed)
	}
}

// A run that another process writes is only a file that grows and is held.
func TestARunOfAnotherProcessIsFollowedLive(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	past := record(s)
	list := s.do("GET", "/v1/runs", "", "Accept", stream).Body
	events(t, list, func(e event) bool { return e.name == "run" }) // the past one
	const id = "29991231-235959.000-abcdef"
	journal := s.desk.Runs().Record(id)
	write := func(from, to int) {
		for i := range past[from:to] {
			if err := journal.Write(&past[from+i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	state := func() wire.Recorded {
		var r wire.Recorded
		seen := events(t, list, func(e event) bool { return e.name == "run" })
		if err := json.Unmarshal(seen[len(seen)-1].data, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	write(0, 2)
	if r := state(); r.Run != id || r.State != wire.RunLive {
		t.Errorf("it appears as %+v", r)
	}
	follow := s.do("GET", "/v1/runs/"+id, "", "Accept", stream).Body
	if got := names(events(t, follow, func(e event) bool { return e.name == "action" })); got != "start action" {
		t.Errorf("it begins with %q", got)
	}
	write(2, 3)
	events(t, follow, func(e event) bool { return e.name == "observation" })
	write(3, len(past))
	if got := names(events(t, follow, nil)); got != "action end result" {
		t.Errorf("it ends with %q", got)
	}
	if r := state(); r.State != wire.RunEnded {
		t.Errorf("then it is %+v", r)
	}
	journal.Close()
}

func TestARunThatWasCutOffSaysSo(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	past := record(s)
	const id = "29991231-235959.000-abcdef"
	journal := s.desk.Runs().Record(id)
	for i := range past[:3] {
		if err := journal.Write(&past[i]); err != nil {
			t.Fatal(err)
		}
	}
	journal.Close() // as the system does for a process that was killed
	if got := names(events(t, s.do("GET", "/v1/runs/"+id, "", "Accept", stream).Body, nil)); got != "start action observation error" {
		t.Errorf("followed it is %q", got)
	}
	if r := fetch[wire.Record](s, "GET", "/v1/runs/"+id, ""); r.State != wire.RunCut || r.Ask != nil || len(r.Events) != 3 {
		t.Errorf("fetched it is %+v", r.Recorded)
	}
}

func TestWhatIsNoRunIsLeftOut(t *testing.T) {
	s := start(t, desk.Options{}, serve.Options{})
	dir := s.desk.Runs().Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"empty": "", "half": `{"event": "sta`, "other": "hello\nworld\n", "list": "[]\n"} {
		if err := os.WriteFile(s.desk.Runs().Path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p := problemIn(t, s.do("GET", "/v1/runs/"+name, "")); p.Status != 404 {
			t.Errorf("%s is %+v", name, p)
		}
		if got := names(events(t, s.do("GET", "/v1/runs/"+name, "", "Accept", stream).Body, nil)); got != "error" {
			t.Errorf("%s is told as %q", name, got)
		}
	}
	if list := fetch[wire.Runs](s, "GET", "/v1/runs", "").Runs; len(list) != 0 {
		t.Errorf("listed are %+v", list)
	}
}
