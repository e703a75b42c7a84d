package recent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-search/winnow"
)

// model counts what it is asked, takes a second, and fails while it is told to.
type model struct {
	mu    sync.Mutex
	asked map[string]int
	fails error
}

func (*model) Name() string { return "model" }
func (*model) Dim() int     { return 1 }

func (m *model) Embed(ctx context.Context, texts []string) ([][]winnow.Vector, error) {
	m.mu.Lock()
	for _, t := range texts {
		m.asked[t]++
	}
	err := m.fails
	m.mu.Unlock()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	out := make([][]winnow.Vector, len(texts))
	for i, t := range texts {
		out[i] = []winnow.Vector{{float32(len(t))}}
	}
	return out, err
}

func TestATextIsEmbeddedOnceForAllWhoAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{asked: map[string]int{}}
		e := New(m)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				vs, err := e.Embed(t.Context(), []string{"lock"})
				if err != nil || len(vs) != 1 || vs[0][0][0] != 4 {
					t.Errorf("%v, %v", vs, err)
				}
			})
		}
		all.Wait()
		if _, err := e.Embed(t.Context(), []string{"lock"}); err != nil || m.asked["lock"] != 1 {
			t.Errorf("asked %d times, %v", m.asked["lock"], err)
		}
	})
}

func TestSeveralTextsGoThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{asked: map[string]int{}}
		e := New(m)
		for range 2 {
			if vs, err := e.Embed(t.Context(), []string{"a", "bb"}); err != nil || len(vs) != 2 || vs[1][0][0] != 2 {
				t.Fatalf("%v, %v", vs, err)
			}
		}
		if m.asked["a"] != 2 || len(e.byText) != 0 {
			t.Errorf("asked %d times, %d remembered", m.asked["a"], len(e.byText))
		}
	})
}

func TestAFailureIsNotRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{asked: map[string]int{}, fails: errors.New("no server")}
		e := New(m)
		if _, err := e.Embed(t.Context(), []string{"lock"}); err == nil {
			t.Fatal("no error")
		}
		m.fails = nil
		if _, err := e.Embed(t.Context(), []string{"lock"}); err != nil {
			t.Error(err)
		}
	})
}

// Who asked first may give up; who waits for the same must not suffer for it.
func TestAnImpatientCallerDoesNotFailTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(&model{asked: map[string]int{}})
		hasty, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := e.Embed(hasty, []string{"lock"}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the hasty one has %v", err)
			}
		})
		synctest.Wait()
		both.Go(func() {
			if _, err := e.Embed(t.Context(), []string{"lock"}); err != nil {
				t.Errorf("the patient one has %v", err)
			}
		})
		both.Wait()
	})
}

func TestWhoWaitsForAnothersAnswerCanGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(&model{asked: map[string]int{}})
		go e.Embed(t.Context(), []string{"lock"})
		synctest.Wait()
		hasty, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := e.Embed(hasty, []string{"lock"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		time.Sleep(2 * time.Second) // of the test's clock: until the first is done
	})
}

func TestTheMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{asked: map[string]int{}}
		e := New(m)
		for i := range kept + 10 {
			if _, err := e.Embed(t.Context(), []string{fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		}
		if len(e.byText) != kept {
			t.Errorf("%d texts are remembered, not %d", len(e.byText), kept)
		}
		e.Embed(t.Context(), []string{fmt.Sprint(kept + 9)})
		e.Embed(t.Context(), []string{"0"})
		if m.asked[fmt.Sprint(kept+9)] != 1 || m.asked["0"] != 2 {
			t.Error("the newest was forgotten, or the oldest was not")
		}
	})
}
