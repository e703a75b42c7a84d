// Package desk is where questions are taken in: which collections can be
// reached, who answers, how many at once, and what is kept in order meanwhile.
//
// HTTP and MCP are two ways to the same desk, so that a question asked over one
// gets the same answer, under the same limits, as over the other. A run does not
// wait for whoever listens to it: its events are kept until they have been
// taken, and its place is free as soon as it has ended. What was traded away is
// memory, a trajectory for each listener that is slow.
package desk

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/winnow-search/winnow"
	"github.com/winnow-search/winnow/agent"
	"github.com/winnow-search/winnow/open"
	"github.com/winnow-search/winnow/runs"
)

// Options of a desk. Home, Config and Dir are needed.
type Options struct {
	Home   open.Home
	Config *open.Config
	// Dir is the current folder: what is searched if nothing else is said.
	Dir string
	// Where is what is searched where a request names nothing. If it names
	// collections, no other can be reached.
	Where open.Where
	// Scope binds everything that is searched and read; a request can narrow it.
	Scope winnow.Scope
	// Policy answers where a request names no other.
	Policy open.PolicySettings
	// Own answers in place of Policy, where a program brings a policy of its own
	// in code; nil means Policy.
	Own Searcher
	// MaxRuns is how many runs go on at once; 0 means one for each core where the
	// policy is code, which more of them only slow down, and 16 where a model
	// answers, which is waited for.
	MaxRuns int
	// Queue is how many wait beyond that; 0 means 256, less than 0 none.
	Queue int
	// MaxTime ends a run with its best ranking; 0 means ten minutes.
	MaxTime time.Duration
	// Runs is where runs are recorded.
	Runs runs.Folder
	// Panicked is told of a run that panicked, with the stack. It may be nil.
	Panicked func(run string, reason any, stack []byte)
}

// Searcher is who answers: [open.Searcher], or a policy in code.
type Searcher interface {
	// Options are those of a run over what was opened; every run has a policy of
	// its own.
	Options(*open.Opened) (agent.Options, error)
}

// Desk answers questions. Its methods may be called concurrently.
type Desk struct {
	options  Options
	keeper   *open.Keeper
	name     string // of the policy
	searcher Searcher
	shelf    *shelf
	queue    *queue
	counts   counts
	// descriptions are those made from figures, by name.
	descriptions sync.Map
	trimming     sync.Mutex
	trimmed      time.Time

	ctx      context.Context // ends when the desk drains
	drain    context.CancelFunc
	draining sync.RWMutex   // held while a run begins, so that none does after the drain
	work     sync.WaitGroup // everything in the background
}

// New opens a desk and begins, behind it, to bring what it searches up to date.
// The caller closes it.
func New(o Options) (*Desk, error) {
	o.Queue = max(0, cmp.Or(o.Queue, 256))
	o.MaxTime = cmp.Or(max(0, o.MaxTime), 10*time.Minute)
	own, err := o.Config.Searcher(o.Policy)
	if err != nil {
		return nil, err
	}
	if o.MaxRuns <= 0 {
		o.MaxRuns = runtime.GOMAXPROCS(0) // which knows a container's limit
		if own.Asks() {
			o.MaxRuns = 16
		}
	}
	keeper, err := o.Home.Keep(o.Dir, o.Config)
	if err != nil {
		return nil, err
	}
	d := &Desk{options: o, keeper: keeper, name: own.Name, searcher: own, queue: newQueue(o.MaxRuns, o.Queue)}
	if o.Own != nil {
		d.name, d.searcher = "own", o.Own
	}
	d.ctx, d.drain = context.WithCancel(context.Background())
	if d.shelf, err = newShelf(d); err != nil {
		keeper.Close()
		return nil, err
	}
	d.shelf.tend()
	return d, nil
}

// Drain ends what is under way: runs end with their best ranking, and new ones
// are refused.
func (d *Desk) Drain() {
	d.draining.Lock()
	defer d.draining.Unlock()
	d.drain()
}

// Close drains the desk and waits until everything has ended.
func (d *Desk) Close() error {
	d.Drain()
	d.work.Wait()
	d.options.Runs.Trim()
	return d.keeper.Close()
}

// draining is the error of a desk that takes no more.
func draining() error {
	return &winnow.Error{Code: winnow.Unavailable, Message: "the server is stopping", Hint: "ask again when it is back"}
}

// Ready reports whether every folder has been brought up to date once.
func (d *Desk) Ready() bool {
	for _, f := range d.shelf.folders {
		if !f.isSettled() {
			return false
		}
	}
	return d.ctx.Err() == nil
}

// Policy is the name of the policy that answers where a request names none.
func (d *Desk) Policy() string { return d.name }

// Runs is where runs are recorded.
func (d *Desk) Runs() runs.Folder { return d.options.Runs }

// Draining is closed when the desk takes no more.
func (d *Desk) Draining() <-chan struct{} { return d.ctx.Done() }
