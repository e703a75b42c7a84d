package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// The rhythm of progress: a terminal is drawn on as soon as a person would
// wonder; elsewhere a line tells a log that work goes on.
const (
	drawAfter  = 300 * time.Millisecond
	drawEvery  = 100 * time.Millisecond
	printAfter = 5 * time.Second
	printEvery = 10 * time.Second
)

// progress tells on stderr how far a piece of work is.
type progress struct {
	w     io.Writer
	term  terminal
	label string

	mu    sync.Mutex
	start time.Time
	done  int
	total int
	drawn bool

	stopping chan struct{}
	finished sync.WaitGroup
}

// startProgress begins to tell of work called label, until stop.
func (c *cli) startProgress(label string) *progress {
	p := &progress{w: c.stderr, term: c.errTerminal, label: label, start: time.Now(), stopping: make(chan struct{})}
	if !c.quiet {
		p.finished.Go(p.tell)
	}
	return p
}

// set says how many of how many are done; a total of 0 is not known yet.
func (p *progress) set(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
}

// restart begins the next step: what is left is reckoned from here.
func (p *progress) restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start, p.done, p.total = time.Now(), 0, 0
}

// stop ends the telling and clears what was drawn.
func (p *progress) stop() {
	close(p.stopping)
	p.finished.Wait()
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func (p *progress) tell() {
	wait, every := printAfter, printEvery
	if p.term.is() {
		wait, every = drawAfter, drawEvery
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-p.stopping:
			return
		case <-timer.C:
			timer.Reset(every)
			if p.term.is() {
				fmt.Fprint(p.w, "\r"+p.line()+"\x1b[K")
				p.drawn = true
			} else {
				fmt.Fprintln(p.w, p.line())
			}
		}
	}
}

const barWidth = 24

func (p *progress) line() string {
	p.mu.Lock()
	done, total, elapsed := p.done, p.total, time.Since(p.start)
	p.mu.Unlock()
	switch {
	case total <= 0:
		return p.label + ", " + round(elapsed)
	case done >= total: // what is left has no number
		return fmt.Sprintf("%s: %s of %s, finishing, %s", p.label, count(done), count(total), round(elapsed))
	}
	line := fmt.Sprintf("%s: %s of %s", p.label, count(done), count(total))
	if p.term.is() {
		full := barWidth * min(done, total) / total
		line = fmt.Sprintf("%s %s %s of %s", p.label,
			p.term.paint(cyan, strings.Repeat("━", full))+p.term.paint(dim, strings.Repeat("━", barWidth-full)), count(done), count(total))
	}
	if done == 0 {
		return line + ", " + round(elapsed)
	}
	left := time.Duration(float64(elapsed) / float64(done) * float64(max(0, total-done)))
	return line + ", " + round(left) + " left"
}
