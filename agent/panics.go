package agent

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// panics takes panics from goroutines of a run to the run's own, where whoever
// started it can recover: a server must not end because one run does.
type panics struct {
	once  sync.Once
	first any
}

// keep is deferred by a goroutine of the run.
func (p *panics) keep() {
	if reason := recover(); reason != nil {
		p.once.Do(func() { p.first = fmt.Sprintf("%v\n%s", reason, debug.Stack()) })
	}
}

// raise panics as the first goroutine did, when all have ended.
func (p *panics) raise() {
	if p.first != nil {
		panic(p.first)
	}
}
