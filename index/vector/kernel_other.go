//go:build !amd64

package vector

// kernels lists what this CPU can run, the best first.
func kernels() []*kernel { return []*kernel{portable()} }
