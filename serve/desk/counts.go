package desk

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-search/winnow"
)

// counts are what a desk has done, for whoever watches it.
type counts struct {
	refused atomic.Int64
	panics  atomic.Int64

	mu      sync.Mutex
	ends    map[winnow.Ended]int64
	seconds float64
}

func (c *counts) ended(how winnow.Ended, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ends == nil {
		c.ends = map[winnow.Ended]int64{}
	}
	if how == "" {
		how = "failed" // it did not begin
	}
	c.ends[how]++
	c.seconds += took.Seconds()
}

// Stats are the figures of a desk.
type Stats struct {
	Running, Queued int
	// Ended counts runs by how they ended; Seconds is what they took together.
	Ended   map[winnow.Ended]int64
	Seconds float64
	// Refused counts questions for which there was no room.
	Refused int64
	Panics  int64
}

// Stats returns the figures.
func (d *Desk) Stats() Stats {
	s := Stats{Refused: d.counts.refused.Load(), Panics: d.counts.panics.Load(), Ended: map[winnow.Ended]int64{}}
	s.Running, s.Queued = d.queue.load()
	d.counts.mu.Lock()
	defer d.counts.mu.Unlock()
	for how, n := range d.counts.ends {
		s.Ended[how] = n
	}
	s.Seconds = d.counts.seconds
	return s
}
