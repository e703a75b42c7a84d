package boost

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls work for 0 … n−1, each once, on GOMAXPROCS goroutines, and
// returns when all are done. The order is open, so every i must write to places
// of its own: that alone makes the results those of a plain loop.
func parallel(n int, work func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for i := range n {
			work(i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	wait.Wait()
}
