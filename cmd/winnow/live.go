package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/winnow-search/winnow"
)

// live tells a run while it goes on. On a terminal a line below what was told
// says what is waited for and how full the view is; elsewhere the lines are all.
type live struct {
	*narrator // nil where nothing is told
	term      terminal
	start     time.Time

	mu      sync.Mutex
	waiting map[int]string // for what, by rollout
	drawn   bool
	told    bool

	stopping chan struct{}
	finished sync.WaitGroup
}

// startTelling begins to tell of a run. Without a terminal only runs that ask a
// model are told of: the others are over before a line is read.
func (c *cli) startTelling(asks bool) *live {
	l := &live{term: c.errTerminal, start: time.Now(), waiting: map[int]string{}, stopping: make(chan struct{})}
	if c.quiet || !c.errTerminal.is() && !asks {
		return l
	}
	l.narrator = &narrator{w: c.stderr, term: c.errTerminal}
	if c.errTerminal.is() {
		l.finished.Go(l.redraw)
	}
	return l
}

// tell tells an event.
func (l *live) tell(e *winnow.Event) {
	if l.narrator == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	l.narrator.tell(e)
	l.told = true
	switch {
	case e.Start != nil, e.Observation != nil:
		l.waiting[e.Rollout] = "thinking"
	case e.Action != nil && len(e.Action.Calls) > 0:
		l.waiting[e.Rollout] = "searching"
	case e.End != nil:
		delete(l.waiting, e.Rollout)
	}
}

// stop ends the telling and clears what is not to stay.
func (l *live) stop() {
	close(l.stopping)
	l.finished.Wait()
	l.clear()
	if l.told && l.term.is() {
		fmt.Fprintln(l.w) // what follows is the answer
	}
}

func (l *live) redraw() {
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.stopping:
			return
		case <-tick.C:
			l.mu.Lock()
			if line := l.line(); line != "" {
				fmt.Fprint(l.w, "\r"+line+"\x1b[K")
				l.drawn = true
			}
			l.mu.Unlock()
		}
	}
}

func (l *live) clear() {
	if l.drawn {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.drawn = false
	}
}

// line is what is waited for, of all rollouts that are not over.
func (l *live) line() string {
	thinking := 0
	for _, what := range l.waiting {
		if what == "thinking" {
			thinking++
		}
	}
	elapsed := round(time.Since(l.start))
	switch n := len(l.waiting); {
	case n == 0:
		return ""
	case n > 1:
		return l.term.paint(dim, fmt.Sprintf("%s going on, %d of them thinking, %s", plural(n, "rollout"), thinking, elapsed))
	case thinking == 1:
		return l.term.paint(dim, "thinking, "+elapsed)
	}
	return l.term.paint(dim, "searching, "+elapsed)
}
