package runs

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/winnow-search/winnow"
)

func start(question string) *winnow.Event {
	return &winnow.Event{Kind: winnow.EventStart, Start: &winnow.Start{Version: winnow.TrajectoryVersion, Question: question}}
}

func end(rollout int) *winnow.Event {
	return &winnow.Event{Kind: winnow.EventEnd, Rollout: rollout, End: &winnow.End{Ended: winnow.Concluded, Warnings: []string{strings.Repeat("long ", 20_000)}}}
}

func record(t *testing.T, f Folder, id string, events ...*winnow.Event) *Journal {
	t.Helper()
	j := f.Record(id)
	for _, e := range events {
		if err := j.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func TestARecordIsLiveWhileItIsWritten(t *testing.T) {
	f := Folder{Dir: t.TempDir()}
	j := record(t, f, "a", start("why"))
	if !f.Live("a") {
		t.Error("a record that is being written is not live")
	}
	j.Close()
	if f.Live("a") || f.Live("none") {
		t.Error("what nobody writes is live")
	}
}

func TestAFollowerSeesWhatIsWrittenAndStopsAtTheEnd(t *testing.T) {
	f := Folder{Dir: t.TempDir()}
	j := record(t, f, "a", start("why"), end(1)) // of a rollout, which is not the end
	n := 0
	for e, err := range f.Follow(t.Context(), "a") {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 2 {
			if err := j.Write(end(0)); err != nil {
				t.Fatal(err)
			}
		}
		if n > 3 || n == 3 && e.End == nil {
			t.Fatalf("event %d is %+v", n, e)
		}
	}
	if n != 3 {
		t.Errorf("%d events were seen", n)
	}
}

func TestAFollowerLeavesWhenItIsTold(t *testing.T) {
	f := Folder{Dir: t.TempDir()}
	record(t, f, "a", start("why"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, err := range f.Follow(ctx, "a") {
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			return
		}
		cancel()
	}
	t.Error("it ended without a word")
}

func TestAFollowerSaysWhenARecordWasCutOff(t *testing.T) {
	f := Folder{Dir: t.TempDir()}
	record(t, f, "cut", start("why")).Close()
	write(t, f.Path("half"), `{"event":"sta`)
	write(t, f.Path("none"), "")
	write(t, f.Path("other"), "hello\n")
	for _, id := range []string{"cut", "half", "none", "other"} {
		var last error
		for _, err := range f.Follow(t.Context(), id) {
			last = err
		}
		if winnow.CodeOf(last) != winnow.Corrupt {
			t.Errorf("%s ends with %v", id, last)
		}
	}
}

func TestASummaryIsTheFirstAndTheLastLine(t *testing.T) {
	f := Folder{Dir: t.TempDir()}
	id := NewID("why")
	j := record(t, f, id, start("why"))
	s, err := f.Summarise(id)
	if err != nil || s.Start.Question != "why" || s.End != nil || !s.Live || time.Since(s.Began) > time.Minute {
		t.Errorf("while it goes on it is %+v (%v)", s, err)
	}
	for _, e := range []*winnow.Event{end(1), end(0)} {
		if err := j.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	if s, err := f.Summarise(id); err != nil || s.End == nil || s.Live {
		t.Errorf("afterwards it is %+v (%v)", s, err)
	}
	record(t, f, "rollout", start("why"), end(1)).Close()
	if s, err := f.Summarise("rollout"); err != nil || s.End != nil {
		t.Errorf("the end of a rollout is that of the run: %+v (%v)", s, err)
	}
}

func FuzzSummarise(f *testing.F) {
	f.Add([]byte(`{"event":"start","start":{"version":1}}` + "\n" + `{"event":"end","end":{"ended":"concluded"}}` + "\n"))
	f.Add([]byte("\n\n"))
	f.Add([]byte(`{"event":"start","start":{"version":99}}` + "\n{"))
	folder := Folder{Dir: f.TempDir()}
	once, cancel := context.WithCancel(context.Background()) // what is there is read, and no more is waited for
	cancel()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(folder.Path("x"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := folder.Summarise("x"); err == nil && s.Start == nil {
			t.Error("a summary has no start")
		}
		for e, err := range folder.Follow(once, "x") {
			if err == nil && e.Start != nil && e.Start.Version > winnow.TrajectoryVersion {
				t.Error("a later form is read")
			}
		}
	})
}
